// A part of a block of events in memory, and how much of it all parts together may take: that does not depend on what a file
// says.
#ifndef CLEW_MODEL_TIMELINE_PART_H
#define CLEW_MODEL_TIMELINE_PART_H

#include "base/error.h"
#include "model/boxes.h"
#include "recording/recording.h"

// What parts may take. Blocks are loaded whole while all that is loaded takes less than a half of what is wanted; then a
// thread has its share of the other half, and decodes its block again for each part.
struct timeline_memory {
    size_t wanted; // bytes; 0: what suits most
    size_t loaded; // bytes, of all parts
    uint32_t threads;
};

// An event, packed since many threads may be active at one time.
struct timeline_event {
    uint64_t clock;
    uint32_t value;       // method, site, number of activations, events lost; numbers that do not fit saturate
    uint32_t kind : 4;    // enum recording_event_kind
    uint32_t detail : 28; // STACK: methods in it; AT_SITE: where its cells begin
};

// Events from..from + count of a block. Zero-initialise: nothing is loaded.
struct timeline_part {
    struct timeline_event *events; // NULL: nothing is loaded
    uint32_t *stacks, *cells;
    struct boxes *boxes;
    uint32_t from, count, total; // total: events of the block
    uint32_t cell_count;
    size_t bytes;
};

// Loads as many of the block's events from `from` on as there is room for, but some at least. NO_MEMORY: that would be more
// than all parts may ever take.
enum clew_error timeline_part_load(struct timeline_part *part, struct timeline_memory *memory,
                                   const struct recording_events *block, uint32_t from);
void timeline_part_unload(struct timeline_part *part, struct timeline_memory *memory);

#endif
