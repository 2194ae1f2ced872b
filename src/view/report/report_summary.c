// The report `summary`: one line per method, "Namespace.Type.Method : call count = N". Overloads have lines of their
// own. Nothing else is printed, so that the output can be compared with other logs of this form.
#include <stdlib.h>

#include "view/report/reports.h"
#include "view/table/tables.h"
#include "view/text/format_method.h"
#include "view/text/format_text.h"

enum clew_error view_summary(const struct view *view, struct model *model)
{
    struct table_methods methods;
    CLEW_TRY(methods_sorted(view, model, TABLE_CALLS, &methods));
    uint32_t top = view->top && view->top < methods.count ? view->top : methods.count;
    for (uint32_t i = 0; i < top; i++) {
        struct text head, tail;
        format_short_name(model->catalog.methods[methods.rows[i].method].record.name, &head, &tail);
        format_foreign(view, head);
        format_foreign(view, tail);
        (void)fprintf(view->out, " : call count = %llu\n", (unsigned long long)methods.rows[i].calls);
    }
    free(methods.rows);
    return CLEW_OK;
}
