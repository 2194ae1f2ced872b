// A part of a block of events in memory, and the memory of all parts. The limit does not depend on the file, so a
// damaged or hostile recording cannot exhaust memory.
#ifndef CLEW_MODEL_TIMELINE_PART_H
#define CLEW_MODEL_TIMELINE_PART_H

#include "base/error.h"
#include "model/events/boxes.h"
#include "recording/recording.h"

// The memory budget. While less than half of it is used, blocks are loaded whole. After that, each thread gets an equal
// share of the other half, and its block is decoded again for each part.
struct timeline_memory {
    size_t wanted; // bytes; 0: the default
    size_t loaded; // bytes that all parts take now
    uint32_t threads;
};

// An event in 16 bytes, since many threads can be active at once.
struct timeline_event {
    uint64_t clock;
    uint32_t value;       // method, site, remaining, lost or depth; saturates
    uint32_t kind : 4;    // enum recording_event_kind
    uint32_t detail : 28; // STACK: stated; AT_SITE: cell
};

// Unpacks an event. The `cell` of an AT_SITE event is a position in the part's cells.
struct recording_event timeline_part_event(const struct timeline_event *packed);

// The events from .. from + count of a block. Zero-initialise: nothing is loaded.
struct timeline_part {
    struct timeline_event *events; // NULL: nothing is loaded
    uint32_t *stacks, *cells;
    struct boxes *boxes;
    uint32_t from, count, total; // total: number of events in the block
    uint32_t cell_count;
    size_t bytes;
};

// Loads as many events from `from` on as the budget allows, but always some. NO_MEMORY: that would exceed the limit of
// all parts.
enum clew_error timeline_part_load(struct timeline_part *part, struct timeline_memory *memory,
                                   const struct recording_events *block, uint32_t from);
void timeline_part_unload(struct timeline_part *part, struct timeline_memory *memory);

#endif
