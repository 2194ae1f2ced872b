// From the ring's cells to recorded events: the one place that knows both.
#ifndef CLEW_COLLECTOR_STREAM_BLOCKS_H
#define CLEW_COLLECTOR_STREAM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "recording/recording.h"

// Where a thread's stream stands: its full clock, the activations that run, and what was told of boxes for the event that
// comes next.
struct stream_state {
    uint64_t clock;
    uint32_t depth;
    uint32_t capacity;
    uint32_t *open;       // methods, outermost first; 0 where nobody knows
    uint64_t *open_clock; // when each began
    struct buffer boxes;  // struct recording_box; `event` is none yet
    struct buffer box_cells;
    bool failed;    // memory ran out: nothing after is right
    bool malformed; // the cells did not hold together, or more boxes wait than any event has: nothing after is right
};

void stream_state_free(struct stream_state *state);
// Takes up where a block that is in the file ended.
void stream_state_after(struct stream_state *state, const struct recording_events *block);

enum {
    STREAM_CELLS_MAX = 1 << 16,     // cells of payload that a block holds
    STREAM_BOX_CELLS_MAX = 1 << 16, // of boxes, after which it takes no more events
    STREAM_USED_MAX = 1 << 20,      // cells that it covers, likewise: objects and clocks are no events
    STREAM_BOXES_KNOWN = 1024,      // a power of two
};

// A block being made: events of one thread, and how it stood before them. Zero-initialise; used again for every block.
struct stream_block {
    struct recording_event *events; // RECORDING_EVENTS_WANTED of them
    uint32_t count;
    uint32_t cell_count;
    uint32_t *cells;          // payloads of AT_SITE events; STREAM_CELLS_MAX of them
    uint64_t used;            // cells of the stream that it covers
    uint64_t represented;     // entries, exits and other events among them; a LOST is none
    struct buffer stacks;     // uint32_t methods of STACK events
    struct buffer open;       // uint32_t
    struct buffer open_clock; // uint64_t
    uint32_t depth;
    struct buffer objects; // struct recording_object, met for the first time; their texts follow each other in `texts`
    struct buffer texts;
    struct buffer boxes; // struct recording_box: only where there is something new in it
    struct buffer box_cells;
    uint32_t box_known[STREAM_BOXES_KNOWN]; // by object number: 1 + place in `boxes` of what was told last; 0: none
};

bool stream_block_init(struct stream_block *block);
void stream_block_free(struct stream_block *block);
// Starts a new block at the state's place.
void stream_block_begin(struct stream_block *block, const struct stream_state *state);
// Decodes cells until they end or the block is full; returns how many were used up. Where they do not hold together they
// all are, and the state is malformed. `lengths` is ring_event_lengths(). The program may write over the cells meanwhile.
size_t stream_decode(struct stream_state *state, struct stream_block *block, const uint16_t *lengths,
                     const uint32_t *cells, size_t count);
bool stream_block_full(const struct stream_block *block);
// The block as the writer takes it: borrowed until the next stream_block_begin().
struct recording_events stream_block_events(const struct stream_block *block, const struct stream_state *state);
// The objects that its cells told of, of a process; borrowed in the same way.
struct recording_objects stream_block_objects(struct stream_block *block, uint32_t process);

#endif
