// The table `methods`: all methods, with statements if the recording counted any.
#include <stdlib.h>

#include "base/assert.h"
#include "trace/instrument.h"
#include "view/table/tables.h"

enum {
    STATEMENTS_FROM = 90,
    CPU_FROM = 100,
    EXTREMES_FROM = 120
};                                 // columns of a terminal with room for them; the last: Min and Max
enum { STATEMENTS = 8, CPU = 18 }; // indices of columns

static const struct table_column columns[] = {
    {"method", TABLE_METHOD, "Method", .at = 10},
    {"module", .kind = TABLE_TEXT},
    {"kind", .kind = TABLE_TEXT},
    {"file", .kind = TABLE_TEXT},
    {"line", .kind = TABLE_NUMBER},
    {"calls", TABLE_COUNT, "Calls", .at = 4, .width = 10, .narrow = 9},
    {"exceptions", TABLE_COUNT, "Exc", .at = 8, .width = 8, .narrow = 6},
    {"open", TABLE_COUNT, .before = "  [", .after = " open]"},
    {"statements", TABLE_COUNT, "Statements", .at = 9, .width = 12, .narrow = 10, .gap = 2, .from = STATEMENTS_FROM},
    {"own_ns", TABLE_TIME, "Own", .at = 1, .width = 12, .narrow = 10},
    {"total_ns", TABLE_TIME, "Total", .at = 2, .width = 12, .narrow = 10},
    {"min_ns", TABLE_TIME, "Min", .at = 5, .width = 12, .narrow = 10, .from = EXTREMES_FROM},
    {"mean_ns", TABLE_TIME, "Mean", .at = 6, .width = 12, .narrow = 10},
    {"max_ns", TABLE_TIME, "Max", .at = 7, .width = 12, .narrow = 10, .from = EXTREMES_FROM},
    {"cpu_user_ns", .kind = TABLE_TIME},
    {"cpu_kernel_ns", .kind = TABLE_TIME},
    {"own_cpu_user_ns", .kind = TABLE_TIME},
    {"own_cpu_kernel_ns", .kind = TABLE_TIME},
    {NULL, TABLE_TIME, "CPU", .at = 3, .width = 12, .from = CPU_FROM},
    {0},
};

enum table_key methods_key(const struct view *view, const struct model *model)
{
    return view->has_sort ? view->sort : table_first_key(model);
}

enum clew_error methods_sorted(const struct view *view, const struct model *model, enum table_key key,
                               struct table_methods *out)
{
    CLEW_TRY(table_methods(model, out));
    table_sort(model, out, view->has_sort ? view->sort : key);
    return CLEW_OK;
}

bool methods_shown(const struct view *view, const struct model *model, const struct table_method *row)
{
    return !view->has_min_time || row->total >= model_ticks(model, view->min_time_ns);
}

// What lines say about methods.
struct counted {
    bool statements, times;
    enum clock_kind clock; // of the times
};

// Adds the counts of statements, which needs one more pass over the file. They are of the whole session.
static enum clew_error add_statements(struct table_source *source, struct table_methods *methods, struct counted *out)
{
    const struct view *view = source->view;
    const struct model *model = source->model;
    struct lines lines = {0};
    bool any = source->sites || model->session.instruments & (INSTRUMENT_LINES | INSTRUMENT_STATEMENTS);
    if (!any || view->without_lines || model_is_selection(model)) {
        return CLEW_OK;
    }
    CLEW_TRY(table_source_sites(source));
    enum clew_error error = lines_load(model, source->sites, &lines);
    if (error == CLEW_OK) {
        table_add_lines(model, &lines, methods);
        *out = (struct counted){true, lines.has_time, lines_clock(model, &lines)};
    }
    view_merge_health(view, &lines.health);
    lines_free(&lines);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

// The own time of a row. If the row is known only from line counters, it is the sum of its lines' times.
static struct table_cell own(const struct model *model, const struct counted *counted, const struct table_method *row)
{
    struct table_cell cell = table_ticks(model, row->own, row->no_calls ? counted->times : table_is_timed(row));
    cell.clock = row->no_calls ? counted->clock : cell.clock;
    return cell;
}

static enum clew_error pass_row(const struct table_source *source, struct table_sink *sink,
                                const struct counted *counted, const struct table_method *row)
{
    const struct model *model = source->model;
    const struct view *view = source->view;
    bool calls = !row->no_calls, timed = calls && table_is_timed(row), ended = row->shortest != UINT64_MAX;
    bool cpu = timed && (source->files || !model_has_range(model)); // files state 0 for a range
    struct table_cell cells[] = {
        [5] = table_maybe(row->calls, calls),
        table_maybe(row->exceptions, timed),
        table_maybe(row->open, timed),
        [STATEMENTS] = table_maybe(row->statements, counted->statements),
        own(model, counted, row),
        table_ticks(model, row->total, timed),
        table_ticks(model, row->shortest, ended),
        table_ticks(model, timed && row->calls ? row->sum / (row->calls - row->counted) : 0, timed && row->calls > 0),
        table_ticks(model, row->longest, ended),
        table_maybe(row->cpu_user_ns, cpu),
        table_maybe(row->cpu_kernel_ns, cpu),
        table_maybe(row->own_cpu_user_ns, cpu),
        table_maybe(row->own_cpu_kernel_ns, cpu),
        table_maybe(table_own_cpu(row), table_own_cpu(row) > 0), // else no sample was taken there
    };
    table_method_cells(model, row->method, cells);
    if (source->places && source->places[row->method].document) {
        cells[3] = table_text(source->places[row->method].document->path);
        cells[4] = table_number(source->places[row->method].line);
    }
    bool shown = methods_shown(view, model, row);
    return table_row(sink, cells, sizeof cells / sizeof *cells, shown ? TABLE_ROW : TABLE_SHORT);
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    struct table_methods methods;
    struct counted counted = {0};
    CLEW_TRY(table_methods(source->model, &methods));
    enum clew_error error = add_statements(source, &methods, &counted);
    if (error == CLEW_OK) {
        table_sort(source->model, &methods, methods_key(source->view, source->model));
        const struct table_head head = {.unused = (counted.statements ? 0 : 1u << STATEMENTS) |
                                                  (table_has_cpu(source->model) ? 0 : 1u << CPU)};
        error = table_begin(sink, &methods_table, &head);
    }
    for (uint32_t i = 0; i < methods.count && error == CLEW_OK; i++) {
        error = pass_row(source, sink, &counted, &methods.rows[i]);
    }
    free(methods.rows);
    return error;
}

const struct table methods_table = {.columns = columns, .rows = rows, .noun = "method"};
