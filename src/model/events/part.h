// A part of a block of events in memory, and the memory of all parts. The limit does not depend on the file, so a
// damaged or hostile recording cannot exhaust memory.
#ifndef CLEW_MODEL_PART_H
#define CLEW_MODEL_PART_H

#include "base/error.h"
#include "model/events/boxes.h"
#include "model/events/event_blocks.h"

// The memory budget. While less than half of it is used, blocks are loaded whole. After that, each thread gets an equal
// share of the other half, and its block is decoded again for each part.
struct part_memory {
    size_t wanted; // bytes; 0: the default
    size_t loaded; // bytes that all parts take now
    uint32_t threads;
};

// The events from .. from + count of a block. Zero-initialise: nothing is loaded.
struct part {
    struct recording_event *events; // NULL: nothing is loaded
    uint64_t *clocks;               // of each event, as they count (part_clock()); NULL: as they were recorded
    uint32_t *stacks, *cells;
    struct boxes *boxes;
    uint32_t from, count, total; // total: number of events in the block
    uint32_t cell_count;
    uint64_t cells_from; // where `cells` begin among those of the block
    size_t bytes;
};

// Whether the part has the event, and the next one, if the block has one.
static inline bool part_has(const struct part *part, uint32_t event)
{
    uint32_t at = event - part->from;
    return part->events && event >= part->from && at < part->count &&
           (at + 1 < part->count || event + 1 == part->total);
}

// The clock of an event of the part, as it counts.
static inline uint64_t part_clock_of(const struct part *part, uint32_t event)
{
    uint32_t at = event - part->from;
    return part->clocks ? part->clocks[at] : part->events[at].clock;
}

// Loads as many events as the budget allows, but always some: from `event` on, or, with `backwards`, up to the event after
// `event`. NO_MEMORY: that would exceed the limit of all parts.
enum clew_error part_load(struct part *part, struct part_memory *memory, const struct event_block *block,
                          const struct recording_events *events, uint32_t event, bool backwards);
void part_unload(struct part *part, struct part_memory *memory);

// The clock of an event that counts for the order, after that of the event before it. It never goes back, and is within the clocks
// of the block. The recorded one of a damaged file or a faulty clock may be neither.
static inline uint64_t part_clock(const struct event_block *block, uint64_t before, uint64_t recorded)
{
    uint64_t clock = recorded > before ? recorded : before;
    return clock < block->last ? clock : block->last;
}

#endif
