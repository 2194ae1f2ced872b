// Decodes the 32-bit cells of a stream (ring/ring.h) into blocks of recorded events (recording/recording.h). No other
// file knows both formats.
//
// Besides its events a block has the activations that run when it begins, so that a reader can start at any block. The
// decoder therefore follows entries and exits on a stack of its own, by the rules of recording/stack_rules.h.
// model/events/stream.c follows the same when it reads a recording; it also puts exception filters on its stack and calls back
// for each beginning and end, which would cost too much here.
#ifndef CLEW_COLLECTOR_STREAM_BLOCKS_H
#define CLEW_COLLECTOR_STREAM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "recording/recording.h"

// A running activation.
struct stream_activation {
    uint64_t clock;  // when it began
    uint64_t number; // in the process; 0: it is not known
    uint64_t
        serial; // of the async activation whose run it is up to its next wait; 0: of none with a serial, or not known
    uint32_t method; // 0: it is not known
};

// The state of a thread's stream between two events: its full clock, the running activations, and the contents of boxes
// that the next event refers to.
struct stream_state {
    uint64_t clock;
    uint32_t depth;
    uint32_t capacity;
    struct stream_activation *open; // outermost first
    bool lost;                      // events are missing since the stack was stated last
    uint64_t next_number;           // of the next activation that begins; 0: activations get no numbers
    uint64_t passages;              // entries and exits so far
    uint64_t unwinds;               // exits by exception among them
    struct buffer boxes;            // struct recording_box; their `event` is not set yet
    struct buffer box_cells;
    bool failed;    // memory ran out: the state is of no use any more
    bool malformed; // no agent writes such cells, or so many boxes for one event: the state is of no use any more
};

void stream_state_free(struct stream_state *state);
// After a takeover: sets the state to the end of a block that was read back from the file. Its next_number is then the
// one after the block's last activation; 0 if the block has no numbers. Without memory the state has failed.
void stream_state_after(struct stream_state *state, const struct recording_events *block);

enum {
    STREAM_CELLS_MAX = 1 << 16,     // payload cells that a block has room for
    STREAM_BOX_CELLS_MAX = 1 << 16, // a block with more cells of boxes is full
    STREAM_USED_MAX = 1 << 20,      // a block that covers more cells is full; OBJECT and TIME add no events to it
    STREAM_BOXES_KNOWN = 1024,      // entries of box_known; a power of two
};

// The block that is being filled: events of one thread, and the activations that run before them. One is enough for a
// collector, which reuses its memory for every block.
struct stream_block {
    struct recording_event *events; // RECORDING_EVENTS_WANTED of them
    uint32_t count;
    uint32_t cell_count;
    uint32_t *cells;           // payloads of AT_SITE events; STREAM_CELLS_MAX of them
    uint64_t used;             // cells of the stream that it covers
    uint64_t represented;      // events of the program: all but LOST, STACK and RUN
    struct buffer stacks;      // uint32_t: the methods of STACK events, and numbers
    struct buffer open;        // uint32_t
    struct buffer open_clock;  // uint64_t
    struct buffer open_number; // uint64_t
    struct buffer open_serial; // uint64_t
    bool async;                // some event is of an async activation, or some serial is not 0
    uint64_t first_number;     // of the first activation that begins in the block; 0: they get no numbers
    uint32_t depth;
    struct buffer objects; // struct recording_object, each new in this block; `texts` has their texts in a row
    struct buffer texts;
    struct buffer boxes; // struct recording_box, if its content differs from the last one of that box
    struct buffer box_cells;
    uint32_t box_known[STREAM_BOXES_KNOWN]; // by object number: 1 + index in `boxes` of its last content; 0: none
};

bool stream_block_init(struct stream_block *block);
void stream_block_free(struct stream_block *block);
// Empties the block, and copies the state's running activations into it.
void stream_block_begin(struct stream_block *block, struct stream_state *state);
// Decodes cells until they end or the block is full; returns how many it has used. If the cells are malformed it
// returns `count`, and sets state->malformed. `lengths` is ring_event_lengths(). The program may write over the cells
// meanwhile.
size_t stream_decode(struct stream_state *state, struct stream_block *block, const uint16_t *lengths,
                     const uint32_t *cells, size_t count);
bool stream_block_full(const struct stream_block *block);
// The block in the form that the writer takes. Borrowed until the next stream_block_begin().
struct recording_events stream_block_events(const struct stream_block *block, const struct stream_state *state);
// The objects that the block describes, as the writer takes them. Borrowed in the same way.
struct recording_objects stream_block_objects(struct stream_block *block, uint32_t process);

#endif
