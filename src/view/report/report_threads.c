// The report `threads`: a table of threads in the order of first appearance, with start, end, CPU times and calls.
// Times of the CPU come from the kernel, so they are known even under the clock `none`.
#include "view/report/reports.h"
#include "view/text/format_header.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

static void print_row(const struct view *view, const struct model *model, const struct catalog_thread *row)
{
    char start[FORMAT_CELL], end[FORMAT_CELL], user[FORMAT_CELL], kernel[FORMAT_CELL], calls[FORMAT_CELL];
    const struct recording_thread *thread = &row->record;
    bool times = model_has_times(model);
    uint64_t started = model_since_start_ns(model, thread->started_clock);
    uint64_t ended = model_since_start_ns(model, thread->ended_clock);
    (void)fprintf(view->out, "%7u %8u %9u %12s %12s %12s %12s %10s  ", thread->thread, thread->process, thread->os_id,
                  times ? format_ns(start, started) : "-", times && thread->ended_clock ? format_ns(end, ended) : "-",
                  format_ns(user, thread->cpu_user_ns), format_ns(kernel, thread->cpu_kernel_ns),
                  format_count(calls, row->calls));
    format_name(view, thread->name, 91);
    if (row->lost) {
        (void)fprintf(view->out, "  [%s events lost]", format_count(calls, row->lost));
    }
    (void)fputc('\n', view->out);
}

enum clew_error view_threads(const struct view *view, struct model *model)
{
    char count[FORMAT_CELL];
    format_header(view, model);
    (void)fprintf(view->out, "\n%s%7s %8s %9s %12s %12s %12s %12s %10s  %s%s\n", format_style(view, FORMAT_BOLD),
                  "Thread", "Process", "OS id", "Start", "End", "CPU user", "CPU kernel", "Calls", "Name",
                  format_style(view, FORMAT_PLAIN));
    uint32_t shown = 0, more = 0;
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        const struct catalog_thread *row = &model->catalog.threads[i];
        if (!model_takes_thread(model, row->record.process, row->record.thread)) {
            continue;
        }
        if (view->top && shown == view->top) {
            more++;
            continue;
        }
        print_row(view, model, row);
        shown++;
    }
    if (more > 0) {
        (void)fprintf(view->out, "... %s threads more\n", format_count(count, more));
    }
    return CLEW_OK;
}
