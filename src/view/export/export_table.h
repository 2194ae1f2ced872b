// Tables as csv, jsonl and parquet: a table produces rows, a sink writes them as they come.
#ifndef CLEW_VIEW_EXPORT_TABLE_H
#define CLEW_VIEW_EXPORT_TABLE_H

#include "view/export/export_cells.h"

// The columns of a table.
uint32_t export_columns(enum export_table table, const struct export_column **out);
// Passes the rows of the table that export->options choose to the sink, which was made for its columns. NOTHING_RECORDED:
// the recording has no such table.
enum clew_error export_rows(struct export *export, struct export_sink *sink);

// Used by export_rows(): one table each.
enum clew_error export_rows_of_methods(struct export *export, struct export_sink *sink);
enum clew_error export_rows_of_modules(struct export *export, struct export_sink *sink);
enum clew_error export_rows_of_threads(struct export *export, struct export_sink *sink);
enum clew_error export_rows_of_lines(struct export *export, struct export_sink *sink);
enum clew_error export_rows_of_allocations(struct export *export, struct export_sink *sink);
enum clew_error export_rows_of_tree(struct export *export, struct export_sink *sink);
enum clew_error export_rows_of_events(struct export *export, struct export_sink *sink);
extern const struct export_column export_methods_columns[], export_modules_columns[], export_threads_columns[],
    export_lines_columns[], export_allocations_columns[], export_tree_columns[], export_events_columns[];

#endif
