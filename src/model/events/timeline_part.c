// See timeline_part.h. The events of a part are chosen by the memory that they need, then copied from the decoded
// block, which the reader reuses.
#include "model/events/timeline_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// Limits for the bytes of loaded events with their stacks, cells and boxes: the default target, and the limit for all
// parts together. A part has at least EVENTS_LEAST events.
enum { LOADED_WANTED = 256 << 20, LOADED_MAX = 512 << 20, EVENTS_LEAST = 64 };

static_assert(sizeof(struct timeline_event) == 16 && RECORDING_AT_SITE < 1 << 4, "a kind has four bits of 16 bytes");

// The events from..to of a block, with the ranges of their stacks and cells.
struct range {
    uint32_t from, to;
    uint64_t stacks_from, stacks_to, cells_from, cells_to;
};

// -- Choice -----------------------------------------------------------------------------------------------------------

static uint64_t bytes_of_range(const struct range *range)
{
    return (uint64_t)(range->to - range->from) * sizeof(struct timeline_event) +
           (range->stacks_to - range->stacks_from + range->cells_to - range->cells_from) * sizeof(uint32_t);
}

// Where the cells of the next event of a site begin, from `event` on.
static uint32_t cells_at(const struct recording_events *block, uint32_t event)
{
    while (event < block->count && block->events[event].kind != RECORDING_AT_SITE) {
        event++;
    }
    return event < block->count ? (uint32_t)block->events[event].cell : block->cell_count;
}

// Chooses events from `from` on until they take `most` bytes, but always some.
static struct range choose_range(const struct recording_events *block, uint32_t from, uint64_t most)
{
    struct range range = {.from = from, .to = from};
    for (uint32_t i = 0; i < from; i++) {
        range.stacks_from += recording_stated(&block->events[i]);
    }
    range.stacks_to = range.stacks_from;
    range.cells_from = range.cells_to = cells_at(block, from);
    for (; range.to < block->count; range.to++) {
        const struct recording_event *event = &block->events[range.to];
        range.cells_to = event->kind == RECORDING_AT_SITE ? event->cell : range.cells_to;
        if (range.to - from >= EVENTS_LEAST && bytes_of_range(&range) >= most) {
            break;
        }
        range.stacks_to += recording_stated(event);
    }
    range.cells_to = cells_at(block, range.to);
    CLEW_ASSERT(range.from <= range.to && range.to <= block->count && range.stacks_from <= range.stacks_to);
    CLEW_ASSERT(range.cells_from <= range.cells_to && range.cells_to <= block->cell_count);
    return range;
}

// The number of bytes that a thread may load now.
static uint64_t room_in(const struct timeline_memory *memory)
{
    uint64_t half = (memory->wanted ? memory->wanted : LOADED_WANTED) / 2;
    uint64_t share = half / ((uint64_t)memory->threads + 1);
    uint64_t room = memory->loaded < half ? half - memory->loaded : 0;
    return room > share ? room : share;
}

// -- Copy -------------------------------------------------------------------------------------------------------------

// Packs a decoded event. The positions of cells become relative to the part.
static struct timeline_event pack(const struct recording_event *event, uint64_t cells_from)
{
    uint64_t value = 0, detail = 0;
    switch (event->kind) {
    case RECORDING_ENTER:
        value = event->method;
        break;
    case RECORDING_CUT:
    case RECORDING_FILTER:
        value = event->remaining;
        break;
    case RECORDING_LOST:
        value = event->lost;
        break;
    case RECORDING_STACK:
        value = event->depth;
        detail = event->stated;
        break;
    case RECORDING_AT_SITE:
        value = event->site;
        detail = event->cell - cells_from;
        break;
    case RECORDING_LEAVE:
    case RECORDING_UNWIND:
    case RECORDING_FILTER_END:
        break;
    }
    return (struct timeline_event){.clock = event->clock,
                                   .value = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX,
                                   .kind = (uint32_t)event->kind & 0xF,
                                   .detail = (uint32_t)detail & 0xFFFFFFF};
}

struct recording_event timeline_part_event(const struct timeline_event *packed)
{
    struct recording_event event = {.clock = packed->clock, .kind = (enum recording_event_kind)packed->kind};
    switch (event.kind) {
    case RECORDING_ENTER:
        event.method = packed->value;
        break;
    case RECORDING_CUT:
    case RECORDING_FILTER:
        event.remaining = packed->value;
        break;
    case RECORDING_LOST:
        event.lost = packed->value;
        break;
    case RECORDING_STACK:
        event.depth = packed->value;
        event.stated = packed->detail;
        break;
    case RECORDING_AT_SITE:
        event.site = packed->value;
        event.cell = packed->detail;
        break;
    case RECORDING_LEAVE:
    case RECORDING_UNWIND:
    case RECORDING_FILTER_END:
        break;
    }
    return event;
}

// Copies words from..to. The copy is never NULL unless memory runs out, even without words.
static uint32_t *copy_words(const uint32_t *words, uint64_t from, uint64_t to)
{
    size_t count = (size_t)(to - from);
    uint32_t *copy = malloc((count + 1) * sizeof *copy);
    if (copy && count) {
        memcpy(copy, words + from, count * sizeof *copy);
    }
    return copy;
}

static struct timeline_event *copy_events(const struct recording_events *block, const struct range *range)
{
    uint32_t count = range->to - range->from;
    struct timeline_event *events = malloc(((size_t)count + 1) * sizeof *events);
    for (uint32_t i = 0; events && i < count; i++) {
        events[i] = pack(&block->events[range->from + i], range->cells_from);
    }
    return events;
}

// Copies the range into the part. False: memory ran out, and the caller unloads the part.
static bool copy_range(struct timeline_part *part, const struct recording_events *block, const struct range *range)
{
    part->from = range->from;
    part->count = range->to - range->from;
    part->total = block->count;
    part->cell_count = (uint32_t)(range->cells_to - range->cells_from);
    part->events = copy_events(block, range);
    part->stacks = copy_words(block->stacks, range->stacks_from, range->stacks_to);
    part->cells = copy_words(block->cells, range->cells_from, range->cells_to);
    return part->events && part->stacks && part->cells &&
           boxes_new(block, range->from, range->to, &part->boxes) == CLEW_OK;
}

enum clew_error timeline_part_load(struct timeline_part *part, struct timeline_memory *memory,
                                   const struct recording_events *block, uint32_t from)
{
    const struct range range = choose_range(block, from, room_in(memory));
    size_t bytes = (size_t)bytes_of_range(&range) + boxes_size(block, range.from, range.to);
    CLEW_ASSERT(memory->loaded <= LOADED_MAX);
    if (bytes > LOADED_MAX - memory->loaded) {
        return CLEW_NO_MEMORY;
    }
    part->bytes = bytes;
    memory->loaded += bytes;
    if (!copy_range(part, block, &range)) {
        timeline_part_unload(part, memory);
        return CLEW_NO_MEMORY;
    }
    return CLEW_OK;
}

void timeline_part_unload(struct timeline_part *part, struct timeline_memory *memory)
{
    CLEW_ASSERT(memory->loaded >= part->bytes);
    free(part->events);
    free(part->stacks);
    free(part->cells);
    boxes_free(part->boxes);
    memory->loaded -= part->bytes;
    *part = (struct timeline_part){0};
}
