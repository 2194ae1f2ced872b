// All methods as a table: Own, Total, Calls, Min, Mean, Max, Exc, Method.
#include "view/methods.h"

#include <stdlib.h>

#include "view/format.h"

enum { PREFIX_WIDTH = 86 };

enum clew_error methods_sorted(const struct view *view, const struct model *model, enum table_key key,
                               struct table_methods *out)
{
    CLEW_TRY(table_methods(model, out));
    key = view->has_sort ? view->sort : model_has_times(model) ? key : TABLE_CALLS;
    table_sort(model, out, key);
    return CLEW_OK;
}

static void print_row(const struct view *view, const struct model *model, const struct table_method *row)
{
    char own[FORMAT_CELL], total[FORMAT_CELL], calls[FORMAT_CELL], least[FORMAT_CELL], mean[FORMAT_CELL];
    char most[FORMAT_CELL], exceptions[FORMAT_CELL];
    bool ended = row->shortest != UINT64_MAX;
    (void)fprintf(view->out, "%12s %12s %10s %12s %12s %12s %8s  ", format_ticks(own, model, row->own),
                  format_ticks(total, model, row->total), format_count(calls, row->calls),
                  format_extreme(least, model, row->shortest, ended), format_mean(mean, model, row),
                  format_extreme(most, model, row->longest, ended), format_count(exceptions, row->exceptions));
    format_name(view, model->catalog.methods[row->method].record.name, PREFIX_WIDTH);
    if (row->open) {
        (void)fprintf(view->out, "  [%s open]", format_count(calls, row->open));
    }
    (void)fputc('\n', view->out);
}

// With --min-time: rows whose total is at least that.
static bool shown(const struct view *view, const struct model *model, const struct table_method *row)
{
    return !view->has_min_time || row->total >= model_ticks(model, view->min_time_ns);
}

enum clew_error view_methods(const struct view *view, struct model *model)
{
    struct table_methods methods;
    char count[FORMAT_CELL];
    CLEW_TRY(methods_sorted(view, model, TABLE_OWN, &methods));
    format_header(view, model);
    (void)fprintf(view->out, "\n%s%12s %12s %10s %12s %12s %12s %8s  %s%s\n", format_style(view, FORMAT_BOLD), "Own",
                  "Total", "Calls", "Min", "Mean", "Max", "Exc", "Method", format_style(view, FORMAT_PLAIN));
    uint32_t printed = 0, left = 0;
    for (uint32_t i = 0; i < methods.count; i++) {
        if ((view->top && printed >= view->top) || !shown(view, model, &methods.rows[i])) {
            left++;
            continue;
        }
        print_row(view, model, &methods.rows[i]);
        printed++;
    }
    if (left) {
        (void)fprintf(view->out, "... %s methods more\n", format_count(count, left));
    }
    free(methods.rows);
    return CLEW_OK;
}
