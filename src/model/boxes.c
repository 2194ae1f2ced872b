#include "model/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

struct boxes {
    struct recording_box *told;
    uint32_t *cells;
    uint32_t count;
    uint32_t passed;    // of `told`: those that hold now
    uint32_t forgotten; // of those: they hold no more
    struct map newest;  // of an object's number -> its place in `told`
};

enum clew_error boxes_new(const struct recording_events *block, struct boxes **out)
{
    *out = NULL;
    if (block->box_count == 0) {
        return CLEW_OK;
    }
    struct boxes *boxes = calloc(1, sizeof *boxes);
    if (!boxes) {
        return CLEW_NO_MEMORY;
    }
    boxes->count = block->box_count;
    boxes->told = malloc(block->box_count * sizeof *boxes->told);
    boxes->cells = malloc(((size_t)block->box_cell_count + 1) * sizeof *boxes->cells);
    if (!boxes->told || !boxes->cells) {
        boxes_free(boxes);
        return CLEW_NO_MEMORY;
    }
    memcpy(boxes->told, block->boxes, block->box_count * sizeof *boxes->told);
    memcpy(boxes->cells, block->box_cells, block->box_cell_count * sizeof *boxes->cells);
    *out = boxes;
    return CLEW_OK;
}

void boxes_free(struct boxes *boxes)
{
    if (boxes) {
        free(boxes->told);
        free(boxes->cells);
        map_free(&boxes->newest);
        free(boxes);
    }
}

bool boxes_reach(struct boxes *boxes, uint32_t event)
{
    while (boxes && boxes->passed < boxes->count && boxes->told[boxes->passed].event <= event) {
        if (!map_put(&boxes->newest, boxes->told[boxes->passed].object, boxes->passed)) {
            return false;
        }
        boxes->passed++;
    }
    return true;
}

void boxes_forget(struct boxes *boxes)
{
    if (boxes) {
        boxes->forgotten = boxes->passed;
    }
}

bool boxes_find(const struct boxes *boxes, uint32_t object, const uint32_t **cells, uint32_t *size)
{
    uint64_t place;
    if (!boxes || !map_get(&boxes->newest, object, &place) || place < boxes->forgotten) {
        return false;
    }
    *cells = boxes->cells + boxes->told[place].at;
    *size = boxes->told[place].size;
    return true;
}
