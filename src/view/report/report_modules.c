// The report `modules`: a table of modules with own time, calls, and numbers of methods. All loads of a file, in any
// process, are one row.
#include <stdlib.h>

#include "base/assert.h"
#include "view/report/report_methods.h"
#include "view/report/reports.h"
#include "view/text/format_header.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

static void print_row(const struct view *view, const struct model *model, const struct table_module *row)
{
    char own[FORMAT_CELL], calls[FORMAT_CELL], methods[FORMAT_CELL], woven[FORMAT_CELL];
    const struct recording_module *module = &model->catalog.modules[row->module];
    (void)fprintf(view->out, "%12s %10s %9s %12s  ", format_ticks(own, model, row->own),
                  format_count(calls, row->calls), format_count(methods, row->methods),
                  format_count(woven, row->woven));
    format_name(view, module->name, 48);
    if (module->reason.size) {
        (void)fputs("  (", view->out);
        format_foreign(view, module->reason);
        (void)fputc(')', view->out);
    }
    (void)fputc('\n', view->out);
}

// Every program loads dozens of framework modules, so those without calls are only counted.
static bool is_quiet_framework(const struct model *model, const struct table_module *row)
{
    return model->catalog.modules[row->module].flags & MODULE_FRAMEWORK && row->calls == 0 && row->own == 0;
}

enum clew_error view_modules(const struct view *view, struct model *model)
{
    struct table_methods methods;
    struct table_modules modules;
    char count[FORMAT_CELL];
    CLEW_TRY(table_methods(model, &methods));
    enum clew_error error = table_modules(model, &methods, &modules);
    free(methods.rows);
    CLEW_TRY(error);
    format_header(view, model);
    (void)fprintf(view->out, "\n%s%12s %10s %9s %12s  %s%s\n", format_style(view, FORMAT_BOLD), "Own", "Calls",
                  "Methods", "Instrumented", "Module", format_style(view, FORMAT_PLAIN));
    uint32_t top = view->top && view->top < modules.count ? view->top : modules.count;
    uint32_t printed = 0, framework = 0;
    for (uint32_t i = 0; i < modules.count; i++) {
        bool nothing = is_quiet_framework(model, &modules.rows[i]);
        framework += nothing;
        if (!nothing && printed < top) {
            print_row(view, model, &modules.rows[i]);
            printed++;
        }
    }
    CLEW_ASSERT(printed + framework <= modules.count);
    if (modules.count - framework > printed) {
        (void)fprintf(view->out, "... %s modules more\n", format_count(count, modules.count - framework - printed));
    }
    if (framework) {
        (void)fprintf(view->out, "%s module%s of the framework of which nothing was recorded\n",
                      format_count(count, framework), framework == 1 ? "" : "s");
    }
    free(modules.rows);
    return CLEW_OK;
}
