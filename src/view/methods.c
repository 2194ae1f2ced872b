// All methods as a table: Own, Total, Calls, Min, Mean, Max, Exc, Statements (where there are any), Method.
#include "view/methods.h"

#include <stdlib.h>
#include <string.h>

#include "model/sites.h"
#include "view/format.h"

enum { PREFIX_WIDTH = 86, STATEMENTS_WIDTH = 14 };

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

static enum clew_error add_statements(const struct view *view, const struct model *model, struct methods_counted *out)
{
    struct sites *sites;
    struct lines lines;
    CLEW_TRY(sites_load(view->path, &sites));
    enum clew_error error = lines_load(view->path, model, sites, &lines);
    if (error == CLEW_OK) {
        table_add_lines(model, &lines, &out->methods);
        out->statements = true;
        out->line_times = lines.has_time;
        out->line_clock = lines_clock(model, &lines);
    }
    view_meet(view, sites_health(sites));
    view_meet(view, &lines.health);
    lines_free(&lines);
    sites_free(sites);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

enum clew_error methods_counted(const struct view *view, const struct model *model, enum table_key key,
                                struct methods_counted *out)
{
    *out = (struct methods_counted){0};
    CLEW_TRY(table_methods(model, &out->methods));
    if (model->session.instruments & (RECORDING_LINES | RECORDING_STATEMENTS)) {
        enum clew_error error = add_statements(view, model, out);
        if (error != CLEW_OK) {
            free(out->methods.rows);
            return error;
        }
    }
    sort(view, model, key, &out->methods);
    return CLEW_OK;
}

// What is not known of a row counted by line alone.
static const char *known(const struct table_method *row, const char *text)
{
    return row->no_calls ? "-" : text;
}

// Of a row counted by line alone it is the lines' time.
static const char *own_time(char room[FORMAT_CELL], const struct model *model, const struct methods_counted *counted,
                            const struct table_method *row)
{
    if (!row->no_calls) {
        return format_ticks(room, model, row->own);
    }
    return counted->line_times ? format_by_clock(room, counted->line_clock, model_ns(model, row->own)) : "-";
}

static void print_row(const struct view *view, const struct model *model, const struct methods_counted *counted,
                      const struct table_method *row)
{
    char own[FORMAT_CELL], total[FORMAT_CELL], calls[FORMAT_CELL], least[FORMAT_CELL], mean[FORMAT_CELL];
    char most[FORMAT_CELL], exceptions[FORMAT_CELL], statements[FORMAT_CELL];
    bool ended = row->shortest != UINT64_MAX;
    (void)fprintf(view->out, "%12s %12s %10s %12s %12s %12s %8s  ", own_time(own, model, counted, row),
                  known(row, format_ticks(total, model, row->total)), known(row, format_count(calls, row->calls)),
                  format_extreme(least, model, row->shortest, ended), known(row, format_mean(mean, model, row)),
                  format_extreme(most, model, row->longest, ended),
                  known(row, format_count(exceptions, row->exceptions)));
    if (counted->statements) {
        (void)fprintf(view->out, "%12s  ", format_count(statements, row->statements));
    }
    char open[FORMAT_CELL + 16] = "";
    if (row->open) {
        (void)snprintf(open, sizeof open, "  [%s open]", format_count(calls, row->open));
    }
    (void)format_method(view, model->catalog.methods[row->method].record.name,
                        strlen(open) + PREFIX_WIDTH + (counted->statements ? STATEMENTS_WIDTH : 0U));
    (void)fprintf(view->out, "%s\n", open);
}

static void print_titles(const struct view *view, bool statements)
{
    (void)fprintf(view->out, "\n%s%12s %12s %10s %12s %12s %12s %8s  ", format_style(view, FORMAT_BOLD), "Own", "Total",
                  "Calls", "Min", "Mean", "Max", "Exc");
    if (statements) {
        (void)fprintf(view->out, "%12s  ", "Statements");
    }
    (void)fprintf(view->out, "Method%s\n", format_style(view, FORMAT_PLAIN));
}

// With --min-time: rows whose total is at least that.
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
