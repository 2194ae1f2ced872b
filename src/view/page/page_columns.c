// See page_columns.h.
#include "view/page/page_columns.h"

#include <string.h>

#include "model/table.h"

static uint64_t figure_at(const struct page_columns *columns, uint32_t row, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)columns->rows + row * columns->size + offset, sizeof value);
    return value;
}

void page_columns_write(const struct page_columns *columns, const struct model *model, struct json *json,
                        const char *key, size_t offset, enum figure_kind kind)
{
    json_key(json, key);
    if (kind == FIGURE_CPU && !table_has_cpu(model)) {
        json_null(json);
        return;
    }
    json_open(json, '[');
    for (uint32_t i = 0; i < columns->count; i++) {
        uint64_t value = figure_at(columns, i, offset);
        bool ended = figure_at(columns, i, columns->shortest) != UINT64_MAX;
        bool ticks = kind != FIGURE_COUNT && kind != FIGURE_CPU;
        if (ticks && (!model_has_times(model) || (kind == FIGURE_TICKS_OF_ENDED && !ended))) {
            json_null(json);
        } else {
            json_u64(json, ticks ? model_ns(model, value) : value);
        }
    }
    json_close(json, ']');
}
