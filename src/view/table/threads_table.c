// The table `threads`: threads in the order of first appearance, with start, end, CPU times and calls. Times of the CPU
// come from the kernel, so they are known even under the clock `none`.
#include "view/table/tables.h"

// Text shows a start and a number of calls for each thread, also where JSON does not know it.
static const struct table_column columns[] = {
    {"thread", TABLE_NUMBER, "Thread", .at = 1, .width = 7},
    {"process", TABLE_NUMBER, "Process", .at = 2, .width = 8},
    {"os_id", TABLE_NUMBER, "OS id", .at = 3, .width = 9, .from = 100},
    {"name", TABLE_TEXT, "Name", .at = 9},
    {"start_ns", .kind = TABLE_TIME},
    {"end_ns", TABLE_TIME, "End", .at = 5, .width = 12},
    {"calls", .kind = TABLE_COUNT},
    {"open", .kind = TABLE_COUNT},
    {"lost", TABLE_COUNT, .before = "  [", .after = " events lost]"},
    {"cpu_user_ns", TABLE_TIME, "CPU user", .at = 6, .width = 12},
    {"cpu_kernel_ns", TABLE_TIME, "CPU kernel", .at = 7, .width = 12},
    {NULL, TABLE_TIME, "Start", .at = 4, .width = 12, .from = 100},
    {NULL, TABLE_COUNT, "Calls", .at = 8, .width = 10},
    {0},
};

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    const struct model *model = source->model;
    bool counted = model_counted_calls(model), times = model_has_times(model);
    CLEW_TRY(table_begin(sink, &threads_table, NULL));
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        const struct catalog_thread *row = &model->catalog.threads[i];
        const struct recording_thread *thread = &row->record;
        const struct table_cell cells[] = {
            table_number(thread->thread),
            table_number(thread->process),
            table_number(thread->os_id),
            table_text(thread->name),
            table_moment(model, thread->started_clock),
            table_moment(model, thread->ended_clock),
            table_maybe(row->calls, counted),
            table_maybe(row->open, counted),
            table_number(row->lost),
            table_number(thread->cpu_user_ns),
            table_number(thread->cpu_kernel_ns),
            table_maybe(model_since_start_ns(model, thread->started_clock), times),
            table_number(row->calls),
        };
        if (model_takes_thread(model, thread->process, thread->thread)) {
            CLEW_TRY(table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW));
        }
    }
    return CLEW_OK;
}

const struct table threads_table = {.columns = columns, .rows = rows, .noun = "thread"};
