// The table `modules`: modules with own time, calls, and numbers of methods. All loads of a file, in any process, are one
// row.
#include <stdlib.h>

#include "view/table/tables.h"

static const struct table_column columns[] = {
    {"module", TABLE_TEXT, "Module", .at = 5},
    {"path", .kind = TABLE_TEXT},
    {"methods", TABLE_COUNT, "Methods", .at = 3, .width = 9},
    {"origin", .kind = TABLE_TEXT},
    {"woven", TABLE_COUNT, "Instrumented", .at = 4, .width = 12},
    {"calls", TABLE_COUNT, "Calls", .at = 2, .width = 10},
    {"own_ns", TABLE_TIME, "Own", .at = 1, .width = 12},
    {NULL, TABLE_TEXT, .before = "  (", .after = ")"}, // why it is not instrumented, or has no symbols
    {0},
};

// Where the module's code comes from. "other": it has no symbols and is in no shared framework.
static struct text origin(uint32_t flags)
{
    return text_of(flags & MODULE_FRAMEWORK    ? "framework"
                   : flags & MODULE_TOOL       ? "tool"
                   : flags & MODULE_PACKAGE    ? "package"
                   : flags & MODULE_SOURCELESS ? "no sources"
                   : module_is_my_code(flags)  ? "my code"
                                               : "other");
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    const struct model *model = source->model;
    struct table_methods methods;
    struct table_modules modules;
    CLEW_TRY(table_methods(model, &methods));
    enum clew_error error = table_modules(model, &methods, &modules);
    free(methods.rows);
    CLEW_TRY(error);
    error = table_begin(sink, &modules_table, NULL);
    for (uint32_t i = 0; i < modules.count && error == CLEW_OK; i++) {
        const struct table_module *row = &modules.rows[i];
        const struct recording_module *module = &model->catalog.modules[row->module];
        const struct table_cell cells[] = {table_text(module->name),           table_text(module->path),
                                           table_number(row->methods),         table_text(origin(module->flags)),
                                           table_number(row->woven),           table_number(row->calls),
                                           table_ticks(model, row->own, true), table_text(module->reason)};
        // Every program loads dozens of framework modules, so text only counts those without calls.
        bool quiet = module->flags & MODULE_FRAMEWORK && row->calls == 0 && row->own == 0;
        error = table_row(sink, cells, sizeof cells / sizeof *cells, quiet ? TABLE_QUIET : TABLE_ROW);
    }
    free(modules.rows);
    return error;
}

const struct table modules_table = {
    .columns = columns, .rows = rows, .noun = "module", .quiet = "of the framework of which nothing was recorded"};
