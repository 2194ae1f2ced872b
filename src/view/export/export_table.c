// See export_table.h.
#include "view/export/export_table.h"

#include "base/assert.h"

static const struct {
    const struct export_column *columns;
    enum clew_error (*rows)(struct export *export, struct export_sink *sink);
} tables[] = {
    [EXPORT_METHODS] = {export_methods_columns, export_rows_of_methods},
    [EXPORT_HOT] = {export_methods_columns, export_rows_of_methods},
    [EXPORT_MODULES] = {export_modules_columns, export_rows_of_modules},
    [EXPORT_THREADS] = {export_threads_columns, export_rows_of_threads},
    [EXPORT_LINES] = {export_lines_columns, export_rows_of_lines},
    [EXPORT_ALLOCATIONS] = {export_allocations_columns, export_rows_of_allocations},
    [EXPORT_TREE] = {export_tree_columns, export_rows_of_tree},
    [EXPORT_EVENTS] = {export_events_columns, export_rows_of_events},
};

static_assert(sizeof tables / sizeof *tables == EXPORT_EVENTS + 1, "an entry for each table");

uint32_t export_columns(enum export_table table, const struct export_column **out)
{
    uint32_t count = 0;
    *out = tables[table].columns;
    while ((*out)[count].name) {
        count++;
    }
    CLEW_ASSERT(count > 0 && count <= EXPORT_COLUMNS_MAX);
    return count;
}

enum clew_error export_rows(struct export *export, struct export_sink *sink)
{
    CLEW_ASSERT(sink->columns == tables[export->options->table].columns);
    return tables[export->options->table].rows(export, sink);
}
