// The text of the report `hot`: methods by own time, with their share of the own time of all methods. The overview
// contains its first rows.
#include <stdlib.h>

#include "base/assert.h"
#include "view/table/tables.h"

enum { TOP_DEFAULT = 40 };

static const struct table_column columns[] = {
    {NULL, TABLE_SHARE, "Share", .at = 1, .width = 8, .narrow = 7},
    {NULL, TABLE_TIME, "Own", .at = 2, .width = 12, .narrow = 10},
    {NULL, TABLE_TIME, "Total", .at = 3, .width = 12, .narrow = 10},
    {NULL, TABLE_COUNT, "Calls", .at = 4, .width = 10, .narrow = 9},
    {NULL, TABLE_METHOD, "Method", .at = 5},
    {0},
};

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    const struct model *model = source->model;
    struct table_methods methods;
    CLEW_TRY(methods_sorted(source->view, model, TABLE_OWN, &methods));
    CLEW_ASSERT(methods.count <= model->catalog.method_count && "a row a method");
    uint64_t whole = 0;
    for (uint32_t i = 0; i < methods.count; i++) {
        whole += methods.rows[i].own;
    }
    bool times = model_has_times(model);
    const struct table_head head = {.of = times ? "the own time of all methods" : NULL,
                                    .of_kind = TABLE_TIME,
                                    .whole = table_ticks(model, whole, true)};
    enum clew_error error = table_begin(sink, &hot_table, &head);
    for (uint32_t i = 0; i < methods.count && error == CLEW_OK; i++) {
        const struct table_method *row = &methods.rows[i];
        const struct table_cell cells[] = {table_share(row->own, times ? whole : 0), table_ticks(model, row->own, true),
                                           table_ticks(model, row->total, true), table_number(row->calls),
                                           table_text(model->catalog.methods[row->method].record.name)};
        bool shown = methods_shown(source->view, model, row);
        error = table_row(sink, cells, sizeof cells / sizeof *cells, shown ? TABLE_ROW : TABLE_SHORT);
    }
    free(methods.rows);
    return error;
}

const struct table hot_table = {.columns = columns, .rows = rows, .top = TOP_DEFAULT, .noun = "method"};
