// From ring words to recorded events: the one place that knows both.
#ifndef CLEW_COLLECTOR_STREAM_H
#define CLEW_COLLECTOR_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/recording.h"

// Where a thread's stream stands: its full clock and the activations that run.
struct stream_state {
    uint64_t clock;
    uint32_t depth;
    uint32_t capacity;
    uint32_t *open;       // methods, outermost first; 0 where nobody knows
    uint64_t *open_clock; // when each began
    bool failed;          // memory ran out: nothing after is right
};

void stream_state_free(struct stream_state *state);
// Takes up where a block that is in the file ended.
void stream_state_after(struct stream_state *state, const struct recording_events *block);

// A block being made: events of one thread, and how it stood before them. Zero-initialise; used again for every block.
struct stream_block {
    struct recording_event *events; // RECORDING_EVENTS_WANTED of them
    uint32_t count;
    uint64_t words;
    uint64_t represented;     // entries, exits and other events among them; a LOST is none
    struct buffer stacks;     // uint32_t methods of STACK events
    struct buffer open;       // uint32_t
    struct buffer open_clock; // uint64_t
    uint32_t depth;
};

bool stream_block_init(struct stream_block *block);
void stream_block_free(struct stream_block *block);
// Starts a new block at the state's place.
void stream_block_begin(struct stream_block *block, const struct stream_state *state);
// Decodes words until they end or the block is full; returns how many were used up. Damaged words become nothing.
size_t stream_decode(struct stream_state *state, struct stream_block *block, const uint64_t *words, size_t count);
// The block as the writer takes it: borrowed until the next stream_block_begin().
struct recording_events stream_block_events(const struct stream_block *block, const struct stream_state *state);

#endif
