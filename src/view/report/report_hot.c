// The report `hot`: methods by own time, with their share of the own time of all methods. The overview contains its
// first rows.
#include <stdlib.h>

#include "base/assert.h"
#include "view/report/report_methods.h"
#include "view/report/reports.h"
#include "view/text/format_header.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum { TOP_DEFAULT = 40 };

static void print_row(const struct view *view, const struct model *model, const struct table_method *row,
                      uint64_t whole)
{
    char share[FORMAT_CELL], own[FORMAT_CELL], total[FORMAT_CELL], calls[FORMAT_CELL];
    size_t used = format_cells(view, format_share(share, row->own, model_has_times(model) ? whole : 0),
                               format_ticks(own, model, row->own), format_ticks(total, model, row->total),
                               format_count(calls, row->calls));
    (void)format_method(view, model->catalog.methods[row->method].record.name, used);
    (void)fputc('\n', view->out);
}

enum clew_error hot_print(const struct view *view, const struct model *model, uint32_t top)
{
    struct table_methods methods;
    char count[FORMAT_CELL];
    CLEW_TRY(methods_sorted(view, model, TABLE_OWN, &methods));
    uint64_t whole = 0;
    for (uint32_t i = 0; i < methods.count; i++) {
        whole += methods.rows[i].own;
    }
    if (model_has_times(model)) {
        format_whole(view, format_ticks(count, model, whole), "the own time of all methods");
    }
    (void)fputs(format_style(view, FORMAT_BOLD), view->out);
    (void)format_cells(view, "Share", "Own", "Total", "Calls");
    (void)fprintf(view->out, "Method%s\n", format_style(view, FORMAT_PLAIN));
    top = top < methods.count ? top : methods.count;
    CLEW_ASSERT(methods.count <= model->catalog.method_count && "a row a method");
    for (uint32_t i = 0; i < top; i++) {
        print_row(view, model, &methods.rows[i], whole);
    }
    if (methods.count > top) {
        (void)fprintf(view->out, "... %s methods more\n", format_count(count, methods.count - top));
    }
    free(methods.rows);
    return CLEW_OK;
}

enum clew_error view_hot(const struct view *view, struct model *model)
{
    format_header(view, model);
    (void)fputc('\n', view->out);
    return hot_print(view, model, view->top ? view->top : TOP_DEFAULT);
}
