// The tables of reports. Each is one file, and ends with its entry.
#ifndef CLEW_VIEW_TABLES_H
#define CLEW_VIEW_TABLES_H

#include "model/requests.h"
#include "view/table/table_rows.h"

extern const struct table methods_table, modules_table, requests_table, threads_table, lines_table, allocations_table,
    exceptions_table, jit_table, coverage_table;
// The text of `hot`, which has fewer columns than its JSON; that is methods_table.
extern const struct table hot_table;

// Makes rows of methods and sorts them by the user's key, or else by `key`. The caller frees out->rows.
enum clew_error methods_sorted(const struct view *view, const struct model *model, enum table_key key,
                               struct table_methods *out);
// Whether --min-time leaves the method in.
bool methods_shown(const struct view *view, const struct model *model, const struct table_method *row);
// The cells of the methods at which requests begin, one for each column of requests_table.
void requests_cells(const struct model *model, const struct request_row *row, struct table_cell *cells);
// The key that the user chose, or else that of table_first_key().
enum table_key methods_key(const struct view *view, const struct model *model);

#endif
