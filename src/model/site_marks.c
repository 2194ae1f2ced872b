// See site_marks.h.
#include "model/site_marks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

enum { NUMBER_MAX = 1 << 22 }; // a damaged file may have any numbers

static struct site_marks_row *new_row(const struct sites *sites, uint32_t process)
{
    uint32_t count = sites_count(sites, process), highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = sites_number(sites, process, i);
        highest = number > highest && number <= NUMBER_MAX ? number : highest;
    }
    struct site_marks_row *row = calloc(1, sizeof *row);
    if (row) {
        row->count = (size_t)highest + 1;
        row->marks = calloc(row->count, sizeof *row->marks);
    }
    if (row && !row->marks) {
        free(row);
        return NULL;
    }
    return row;
}

struct site_marks_row *site_marks_of(struct site_marks *marks, const struct sites *sites, uint32_t process)
{
    uint64_t index = marks->count;
    if (map_get(&marks->row_of, process, &index)) {
        CLEW_ASSERT(index < marks->count);
        return marks->rows[index];
    }
    struct site_marks_row *row = new_row(sites, process);
    if (!row || !array_grow(&marks->rows, marks->count, &marks->room, sizeof(struct site_marks_row *)) ||
        !map_put(&marks->row_of, process, marks->count)) {
        if (row) {
            free(row->marks);
        }
        free(row);
        return NULL;
    }
    marks->rows[marks->count++] = row;
    return row;
}

void site_marks_free(struct site_marks *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        free(marks->rows[i]->marks);
        free(marks->rows[i]);
    }
    free(marks->rows);
    map_free(&marks->row_of);
    *marks = (struct site_marks){0};
}
