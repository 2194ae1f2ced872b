// Figures of many rows as columns of JSON: one array for each figure.
#ifndef CLEW_VIEW_PAGE_COLUMNS_H
#define CLEW_VIEW_PAGE_COLUMNS_H

#include "model/model.h"
#include "view/json/json.h"

// Rows of a structure whose figures are uint64_t, times in ticks.
struct page_columns {
    const void *rows;
    uint32_t count;
    size_t size;     // of a row
    size_t shortest; // offset of its figure that is UINT64_MAX where no activation has ended
};

// Writes the figure at an offset as the member `key`: times as nanoseconds, null where they are not known. A column of CPU times
// is null as a whole where none were sampled.
void page_columns_write(const struct page_columns *columns, const struct model *model, struct json *json,
                        const char *key, size_t offset, enum figure_kind kind);

#endif
