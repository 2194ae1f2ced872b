#include "model/events/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/map.h"

#define NO_RECORD UINT32_MAX

// Copies of a block's records, in the order of their events, with a map from each object to its newest record so far.
struct boxes {
    struct recording_box *records;
    uint32_t *before; // of those that apply: the record of the same object that applied before; NO_RECORD: none
    uint32_t *cells;
    uint32_t count;
    uint32_t passed;    // how many of `records` apply to the current event
    uint32_t forgotten; // records below this index no longer apply
    struct map newest;  // object number -> index in `records`
};

// Chooses the records to copy. Those before event `from` still apply there unless events are lost in between.
static void choose(const struct recording_events *block, uint32_t from, uint32_t to, uint32_t *first, uint32_t *end)
{
    uint32_t lost = 0; // records before this event no longer apply
    for (uint32_t i = 0; i < from && i < block->count; i++) {
        lost = block->events[i].kind == RECORDING_LOST ? i : lost;
    }
    *first = *end = 0;
    while (*end < block->box_count && block->boxes[*end].event < to) {
        *first += block->boxes[*end].event < lost;
        ++*end;
    }
}

// How many cells the records first..end have in the block.
static size_t cells_of(const struct recording_events *block, uint32_t first, uint32_t end)
{
    return first == end
               ? 0
               : (end < block->box_count ? block->boxes[end].at : block->box_cell_count) - block->boxes[first].at;
}

size_t boxes_size(const struct recording_events *block, uint32_t from, uint32_t to)
{
    uint32_t first, end;
    if (block->box_count == 0) {
        return 0;
    }
    choose(block, from, to, &first, &end);
    return (end - first) * (sizeof *block->boxes + sizeof(uint32_t) + 4 * sizeof(struct map_slot)) +
           cells_of(block, first, end) * sizeof *block->box_cells;
}

enum clew_error boxes_new(const struct recording_events *block, uint32_t from, uint32_t to, struct boxes **out)
{
    uint32_t first = 0, end = 0;
    *out = NULL;
    if (block->box_count > 0) {
        choose(block, from, to, &first, &end);
    }
    if (first == end) {
        return CLEW_OK;
    }
    struct boxes *boxes = calloc(1, sizeof *boxes);
    if (!boxes) {
        return CLEW_NO_MEMORY;
    }
    size_t cells = cells_of(block, first, end);
    CLEW_ASSERT(first < end && end <= block->box_count);
    boxes->count = end - first;
    boxes->records = malloc(boxes->count * sizeof *boxes->records);
    boxes->before = malloc(boxes->count * sizeof *boxes->before);
    boxes->cells = malloc((cells + 1) * sizeof *boxes->cells);
    if (!boxes->records || !boxes->before || !boxes->cells) {
        boxes_free(boxes);
        return CLEW_NO_MEMORY;
    }
    memcpy(boxes->records, block->boxes + first, boxes->count * sizeof *boxes->records);
    memcpy(boxes->cells, block->box_cells + block->boxes[first].at, cells * sizeof *boxes->cells);
    for (uint32_t i = 0; i < boxes->count; i++) {
        boxes->records[i].at -= block->boxes[first].at;
    }
    *out = boxes;
    return CLEW_OK;
}

void boxes_free(struct boxes *boxes)
{
    if (boxes) {
        free(boxes->records);
        free(boxes->before);
        free(boxes->cells);
        map_free(&boxes->newest);
        free(boxes);
    }
}

// The next record applies from now on.
static bool apply(struct boxes *boxes)
{
    uint64_t before = NO_RECORD;
    uint32_t object = boxes->records[boxes->passed].object;
    (void)map_get(&boxes->newest, object, &before); // stays NO_RECORD for the first
    if (!map_put(&boxes->newest, object, boxes->passed)) {
        return false;
    }
    boxes->before[boxes->passed++] = (uint32_t)before;
    return true;
}

// The last record applies no longer.
static bool withdraw(struct boxes *boxes)
{
    uint32_t last = boxes->passed - 1, object = boxes->records[last].object;
    if (boxes->before[last] == NO_RECORD) {
        map_remove(&boxes->newest, object);
    } else if (!map_put(&boxes->newest, object, boxes->before[last])) {
        return false;
    }
    boxes->passed = last;
    return true;
}

bool boxes_reach(struct boxes *boxes, uint32_t event)
{
    bool kept = true;
    while (kept && boxes && boxes->passed < boxes->count && boxes->records[boxes->passed].event <= event) {
        CLEW_ASSERT(
            (boxes->passed == 0 || boxes->records[boxes->passed - 1].event <= boxes->records[boxes->passed].event) &&
            "boxes are recorded in the order of their events");
        kept = apply(boxes);
    }
    return kept;
}

void boxes_forget(struct boxes *boxes)
{
    if (boxes) {
        boxes->forgotten = boxes->passed;
        CLEW_ASSERT(boxes->passed <= boxes->count);
    }
}

struct boxes_mark boxes_mark(const struct boxes *boxes)
{
    return boxes ? (struct boxes_mark){boxes->passed, boxes->forgotten} : (struct boxes_mark){0};
}

bool boxes_return(struct boxes *boxes, struct boxes_mark to)
{
    bool kept = true;
    while (kept && boxes && boxes->passed != to.passed) {
        CLEW_ASSERT(to.forgotten <= to.passed && to.passed <= boxes->count);
        kept = boxes->passed > to.passed ? withdraw(boxes) : apply(boxes);
    }
    if (boxes) {
        boxes->forgotten = to.forgotten;
    }
    return kept;
}

bool boxes_find(const struct boxes *boxes, uint32_t object, const uint32_t **cells, uint32_t *size)
{
    uint64_t place;
    if (!boxes || !map_get(&boxes->newest, object, &place) || place < boxes->forgotten) {
        return false;
    }
    CLEW_ASSERT(place < boxes->passed && "none is known before its event");
    *cells = boxes->cells + boxes->records[place].at;
    *size = boxes->records[place].size;
    return true;
}
