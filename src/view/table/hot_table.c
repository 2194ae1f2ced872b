// The text of the report `hot`: methods by CPU time, with their share of that of all methods; by own time where no CPU time is
// known. The overview contains its first rows.
#include <stdlib.h>

#include "base/assert.h"
#include "view/table/tables.h"

enum { TOP_DEFAULT = 40, CPU_FROM = 100, CPU = 1 }; // columns of a terminal with room for CPU; its index

static const struct table_column columns[] = {
    {NULL, TABLE_SHARE, "Share", .at = 1, .width = 8, .narrow = 7},
    {NULL, TABLE_TIME, "CPU", .at = 2, .width = 12, .from = CPU_FROM},
    {NULL, TABLE_TIME, "Own", .at = 3, .width = 12, .narrow = 10},
    {NULL, TABLE_TIME, "Total", .at = 4, .width = 12, .narrow = 10},
    {NULL, TABLE_COUNT, "Calls", .at = 5, .width = 10, .narrow = 9},
    {NULL, TABLE_METHOD, "Method", .at = 6},
    {0},
};

// The time of a row that its share is computed from: CPU time where rows are sorted by it, else own time.
static uint64_t weight(const struct table_method *row, bool cpu)
{
    return cpu ? table_own_cpu(row) : row->own;
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    const struct model *model = source->model;
    struct table_methods methods;
    enum table_key key = methods_key(source->view, model);
    CLEW_TRY(methods_sorted(source->view, model, key, &methods));
    CLEW_ASSERT(methods.count <= model->catalog.method_count && "a row a method");
    bool times = model_has_times(model), sampled = table_has_cpu(model), cpu = sampled && key == TABLE_CPU;
    uint64_t whole = 0;
    for (uint32_t i = 0; i < methods.count; i++) {
        whole += weight(&methods.rows[i], cpu);
    }
    const struct table_head head = {.unused = sampled ? 0 : 1u << CPU,
                                    .of = cpu     ? "the sampled CPU time of all methods"
                                          : times ? "the own time of all methods"
                                                  : NULL,
                                    .of_kind = TABLE_TIME,
                                    .whole = cpu ? table_number(whole) : table_ticks(model, whole, true)};
    enum clew_error error = table_begin(sink, &hot_table, &head);
    for (uint32_t i = 0; i < methods.count && error == CLEW_OK; i++) {
        const struct table_method *row = &methods.rows[i];
        const struct table_cell cells[] = {
            table_share(weight(row, cpu), (cpu ? weight(row, cpu) > 0 : times && table_is_timed(row)) ? whole : 0),
            table_maybe(table_own_cpu(row), table_own_cpu(row) > 0), // else no sample was taken there
            table_ticks(model, row->own, table_is_timed(row)),
            table_ticks(model, row->total, table_is_timed(row)),
            table_number(row->calls),
            table_text(model->catalog.methods[row->method].record.name)};
        bool shown = methods_shown(source->view, model, row);
        error = table_row(sink, cells, sizeof cells / sizeof *cells, shown ? TABLE_ROW : TABLE_SHORT);
    }
    free(methods.rows);
    return error;
}

const struct table hot_table = {.columns = columns, .rows = rows, .top = TOP_DEFAULT, .noun = "method"};
