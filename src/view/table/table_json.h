// Writes tables as JSON.
#ifndef CLEW_VIEW_TABLE_JSON_H
#define CLEW_VIEW_TABLE_JSON_H

#include "view/json/json.h"
#include "view/table/table_rows.h"

// Writes a table as the member `key`, an array with an object for each row; before it the tables that the report has
// besides, by their own names.
enum clew_error table_json(const struct view *view, struct model *model, const struct table *table, const char *key,
                           struct json *json);
// Writes the cells of a row that have a key as members.
void table_json_members(struct json *json, const struct table *table, const struct table_cell *cells);
// Writes a cell as a value.
void table_json_cell(struct json *json, const struct table_column *column, const struct table_cell *cell);

#endif
