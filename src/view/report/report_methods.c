// The report `methods`: a table of all methods with Own, Total, Calls, Min, Mean, Max, Exc, Statements (if counted),
// Method.
#include "view/report/report_methods.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "model/sites.h"
#include "trace/instrument.h"
#include "view/report/reports.h"
#include "view/text/format_header.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum { EXTREMES_FROM = 120 }; // columns of a terminal that has room for Min and Max

// Without times all times are 0, so calls are the better default.
static void sort(const struct view *view, const struct model *model, enum table_key key, struct table_methods *methods)
{
    table_sort(model, methods, view->has_sort ? view->sort : model_has_times(model) ? key : TABLE_CALLS);
}

enum clew_error methods_sorted(const struct view *view, const struct model *model, enum table_key key,
                               struct table_methods *out)
{
    CLEW_TRY(table_methods(model, out));
    sort(view, model, key, out);
    return CLEW_OK;
}

// Adds the counts of statements, which needs one more pass over the file. They are of the whole session.
static enum clew_error add_statements(const struct view *view, const struct model *model, struct methods_counted *out)
{
    struct sites *sites;
    struct lines lines;
    CLEW_TRY(sites_load(model->recording, &sites));
    enum clew_error error = lines_load(model, sites, &lines);
    if (error == CLEW_OK) {
        table_add_lines(model, &lines, &out->methods);
        out->statements = true;
        out->line_times = lines.has_time;
        out->line_clock = lines_clock(model, &lines);
    }
    view_merge_health(view, sites_health(sites));
    view_merge_health(view, &lines.health);
    lines_free(&lines);
    sites_free(sites);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

enum clew_error methods_counted(const struct view *view, const struct model *model, enum table_key key,
                                struct methods_counted *out)
{
    *out = (struct methods_counted){0};
    CLEW_TRY(table_methods(model, &out->methods));
    bool counted = model->session.instruments & (INSTRUMENT_LINES | INSTRUMENT_STATEMENTS);
    if (counted && !view->without_lines && !model_is_selection(model)) {
        enum clew_error error = add_statements(view, model, out);
        if (error != CLEW_OK) {
            free(out->methods.rows);
            return error;
        }
    }
    sort(view, model, key, &out->methods);
    return CLEW_OK;
}

// A cell that is unknown for a row known only from line counters.
static const char *known(const struct table_method *row, const char *text)
{
    return row->no_calls ? "-" : text;
}

// The own time of a row. If the row is known only from line counters, it is the sum of its lines' times.
static const char *own_time(char room[FORMAT_CELL], const struct model *model, const struct methods_counted *counted,
                            const struct table_method *row)
{
    if (!row->no_calls) {
        return format_ticks(room, model, row->own);
    }
    return counted->line_times ? format_by_clock(room, counted->line_clock, model_ns(model, row->own)) : "-";
}

// The columns of a row, left to right. Narrow terminals omit Min and Max.
enum { OWN, TOTAL, CALLS, MIN, MEAN, MAX, EXC, STATEMENTS, CELLS };

// Prints the cells before the name. Returns the columns printed.
static size_t print_cells(const struct view *view, const char *const cells[CELLS], bool statements)
{
    static const int widths[2][CELLS] = {{12, 12, 10, 12, 12, 12, 8, 12}, {10, 10, 9, 10, 10, 10, 6, 10}};
    static_assert(sizeof *widths / sizeof **widths == STATEMENTS + 1, "a width for each column");
    bool narrow = format_is_narrow(view);
    size_t used = 2;
    for (uint32_t i = 0; i < CELLS; i++) {
        bool extreme = i == MIN || i == MAX, shown = (!extreme || !view->width || view->width >= EXTREMES_FROM);
        int width = widths[narrow][i];
        if (shown && (i != STATEMENTS || statements)) {
            (void)fprintf(view->out, "%s%*s", i == OWN ? "" : i == STATEMENTS ? "  " : " ", width, cells[i]);
            used += (size_t)width + (i == OWN ? 0 : i == STATEMENTS ? 2 : 1);
        }
    }
    (void)fputs("  ", view->out);
    return used;
}

// Prints a method with all its columns, and how many activations are still open.
static void print_row(const struct view *view, const struct model *model, const struct methods_counted *counted,
                      const struct table_method *row)
{
    char rooms[CELLS][FORMAT_CELL], open[FORMAT_CELL + 16] = "";
    bool ended = row->shortest != UINT64_MAX;
    const char *const cells[CELLS] = {
        [OWN] = own_time(rooms[OWN], model, counted, row),
        [TOTAL] = known(row, format_ticks(rooms[TOTAL], model, row->total)),
        [CALLS] = known(row, format_count(rooms[CALLS], row->calls)),
        [MIN] = format_extreme(rooms[MIN], model, row->shortest, ended),
        [MEAN] = known(row, format_mean(rooms[MEAN], model, row)),
        [MAX] = format_extreme(rooms[MAX], model, row->longest, ended),
        [EXC] = known(row, format_count(rooms[EXC], row->exceptions)),
        [STATEMENTS] = format_count(rooms[STATEMENTS], row->statements),
    };
    size_t used = print_cells(view, cells, counted->statements);
    if (row->open) {
        (void)snprintf(open, sizeof open, "  [%s open]", format_count(rooms[CALLS], row->open));
    }
    (void)format_method(view, model->catalog.methods[row->method].record.name, used + strlen(open));
    (void)fprintf(view->out, "%s\n", open);
}

static void print_titles(const struct view *view, bool statements)
{
    static const char *const titles[CELLS] = {"Own", "Total", "Calls", "Min", "Mean", "Max", "Exc", "Statements"};
    (void)fprintf(view->out, "\n%s", format_style(view, FORMAT_BOLD));
    (void)print_cells(view, titles, statements);
    (void)fprintf(view->out, "Method%s\n", format_style(view, FORMAT_PLAIN));
}

// With --min-time, only rows with at least that total are shown.
static bool shown(const struct view *view, const struct model *model, const struct table_method *row)
{
    return !view->has_min_time || row->total >= model_ticks(model, view->min_time_ns);
}

enum clew_error view_methods(const struct view *view, struct model *model)
{
    struct methods_counted counted;
    char count[FORMAT_CELL];
    CLEW_TRY(methods_counted(view, model, TABLE_OWN, &counted));
    const struct table_methods *methods = &counted.methods;
    format_header(view, model);
    print_titles(view, counted.statements);
    uint32_t printed = 0, left = 0;
    for (uint32_t i = 0; i < methods->count; i++) {
        if ((view->top && printed >= view->top) || !shown(view, model, &methods->rows[i])) {
            left++;
            continue;
        }
        print_row(view, model, &counted, &methods->rows[i]);
        printed++;
    }
    if (left) {
        (void)fprintf(view->out, "... %s methods more\n", format_count(count, left));
    }
    free(methods->rows);
    return CLEW_OK;
}
