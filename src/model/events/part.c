// See part.h. The events of a part are chosen by the memory that they need, then copied from the decoded
// block, which the reader reuses.
#include "model/events/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// Limits for the bytes of loaded events with their stacks, cells and boxes: the default target, and the limit for all
// parts together. A part has at least EVENTS_LEAST events.
enum { LOADED_WANTED = 256 << 20, LOADED_MAX = 512 << 20, EVENTS_LEAST = 64 };

// The events from..to of a block, with the ranges of their stacks and cells.
struct range {
    uint32_t from, to;
    uint64_t stacks_from, stacks_to, cells_from, cells_to;
};

// -- Choice -----------------------------------------------------------------------------------------------------------

static uint64_t bytes_of_range(const struct range *range)
{
    return (uint64_t)(range->to - range->from) * sizeof(struct recording_event) +
           (range->stacks_to - range->stacks_from + range->cells_to - range->cells_from) * sizeof(uint32_t);
}

// Where the cells of the next event of a site begin, from `event` on.
static uint64_t cells_at(const struct recording_events *events, uint32_t event)
{
    while (event < events->count && events->events[event].kind != RECORDING_AT_SITE) {
        event++;
    }
    return event < events->count ? events->events[event].cell : events->cell_count;
}

// No events, at `event`.
static struct range range_at(const struct recording_events *events, uint32_t event)
{
    struct range range = {.from = event, .to = event};
    for (uint32_t i = 0; i < event; i++) {
        range.stacks_from += recording_stated(&events->events[i]);
    }
    range.stacks_to = range.stacks_from;
    range.cells_from = range.cells_to = cells_at(events, event);
    return range;
}

static bool is_enough(const struct range *range, uint64_t most)
{
    return range->to - range->from >= EVENTS_LEAST && bytes_of_range(range) >= most;
}

// Chooses events from `from` on until they take `most` bytes, but always some.
static struct range choose_from(const struct recording_events *events, uint32_t from, uint64_t most)
{
    struct range range = range_at(events, from);
    for (; range.to < events->count; range.to++) {
        const struct recording_event *event = &events->events[range.to];
        range.cells_to = event->kind == RECORDING_AT_SITE ? event->cell : range.cells_to;
        if (is_enough(&range, most)) {
            break;
        }
        range.stacks_to += recording_stated(event);
    }
    range.cells_to = cells_at(events, range.to);
    return range;
}

// The same for events before `to`.
static struct range choose_before(const struct recording_events *events, uint32_t to, uint64_t most)
{
    struct range range = range_at(events, to);
    while (range.from > 0 && !is_enough(&range, most)) {
        const struct recording_event *event = &events->events[--range.from];
        range.stacks_from -= recording_stated(event);
        range.cells_from = event->kind == RECORDING_AT_SITE ? event->cell : range.cells_from;
    }
    return range;
}

static struct range choose_range(const struct recording_events *events, uint32_t event, bool backwards, uint64_t most)
{
    uint32_t end = events->count - event < 2 ? events->count : event + 2;
    struct range range = backwards ? choose_before(events, end, most) : choose_from(events, event, most);
    CLEW_ASSERT(range.from <= event && event < range.to && range.to <= events->count);
    CLEW_ASSERT(range.stacks_from <= range.stacks_to && range.cells_from <= range.cells_to);
    CLEW_ASSERT(range.cells_to <= events->cell_count);
    return range;
}

// The number of bytes that a thread may load now.
static uint64_t room_in(const struct part_memory *memory)
{
    uint64_t half = (memory->wanted ? memory->wanted : LOADED_WANTED) / 2;
    uint64_t share = half / ((uint64_t)memory->threads + 1);
    uint64_t room = memory->loaded < half ? half - memory->loaded : 0;
    return room > share ? room : share;
}

// -- Copy -------------------------------------------------------------------------------------------------------------

// Copies items from..to. The copy is never NULL unless memory runs out, even without items.
static void *copy_items(const void *items, uint64_t from, uint64_t to, size_t size)
{
    size_t count = (size_t)(to - from);
    char *copy = malloc((count + 1) * size);
    if (copy && count) {
        memcpy(copy, (const char *)items + from * size, count * size);
    }
    return copy;
}

// Whether the recorded clocks of all events of the range count.
static bool has_plain_clocks(const struct event_block *block, const struct recording_events *events,
                             const struct range *range)
{
    uint64_t clock = block->first;
    uint32_t i = 0;
    for (; i < range->to; i++) {
        uint64_t recorded = events->events[i].clock;
        clock = part_clock(block, clock, recorded);
        if (clock != recorded && i >= range->from) {
            return false;
        }
    }
    return true;
}

// Makes the clocks that count. False: memory ran out.
static bool make_clocks(struct part *part, const struct event_block *block, const struct recording_events *events)
{
    uint64_t clock = block->first;
    part->clocks = malloc(part->count * sizeof *part->clocks);
    for (uint32_t i = 0; part->clocks && i < part->from + part->count; i++) {
        clock = part_clock(block, clock, events->events[i].clock);
        if (i >= part->from) {
            part->clocks[i - part->from] = clock;
        }
    }
    return part->clocks;
}

// Copies the range into the part. False: memory ran out, and the caller unloads the part.
static bool copy_range(struct part *part, const struct recording_events *events, const struct range *range)
{
    part->from = range->from;
    part->count = range->to - range->from;
    part->total = events->count;
    part->cell_count = (uint32_t)(range->cells_to - range->cells_from);
    part->cells_from = range->cells_from;
    part->events = copy_items(events->events, range->from, range->to, sizeof *part->events);
    part->stacks = copy_items(events->stacks, range->stacks_from, range->stacks_to, sizeof *part->stacks);
    part->cells = copy_items(events->cells, range->cells_from, range->cells_to, sizeof *part->cells);
    return part->events && part->stacks && part->cells &&
           boxes_new(events, range->from, range->to, &part->boxes) == CLEW_OK;
}

enum clew_error part_load(struct part *part, struct part_memory *memory, const struct event_block *block,
                          const struct recording_events *events, uint32_t event, bool backwards)
{
    CLEW_ASSERT(!part->events && memory->loaded <= LOADED_MAX);
    const struct range range = choose_range(events, event, backwards, room_in(memory));
    bool plain = has_plain_clocks(block, events, &range);
    size_t bytes = (size_t)bytes_of_range(&range) + boxes_size(events, range.from, range.to);
    bytes += plain ? 0 : (range.to - range.from) * sizeof *part->clocks;
    if (bytes > LOADED_MAX - memory->loaded) {
        return CLEW_NO_MEMORY;
    }
    part->bytes = bytes;
    memory->loaded += bytes;
    if (!copy_range(part, events, &range) || (!plain && !make_clocks(part, block, events))) {
        part_unload(part, memory);
        return CLEW_NO_MEMORY;
    }
    return CLEW_OK;
}

void part_unload(struct part *part, struct part_memory *memory)
{
    CLEW_ASSERT(memory->loaded >= part->bytes);
    free(part->events);
    free(part->clocks);
    free(part->stacks);
    free(part->cells);
    boxes_free(part->boxes);
    memory->loaded -= part->bytes;
    *part = (struct part){0};
}
