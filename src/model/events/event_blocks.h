// The blocks of events of each thread, from the recording's index, with the ordinals of their events: the only list of them.
// It also reads them.
#ifndef CLEW_MODEL_EVENT_BLOCKS_H
#define CLEW_MODEL_EVENT_BLOCKS_H

#include "base/map.h"
#include "recording/reader.h"

// A block of events.
struct event_block {
    uint64_t offset;      // in the file
    uint64_t first, last; // clocks of its header, but not below those of the thread's blocks before: they ascend
    uint64_t first_clock; // as in its header
    uint64_t ordinal;     // of its first event: the thread's events are counted from 0
    uint32_t count;       // of events
    bool damaged;         // for the user; initially false
};

// The blocks of a thread, in the order of the file.
struct thread_blocks {
    uint32_t process, thread;
    struct event_block *blocks; // those that the user wants
    size_t count, room;
    uint64_t events; // of all blocks of the thread
    uint64_t last;   // the highest clock so far
};

// Where a listed block is: threads[thread].blocks[block].
struct event_block_place {
    uint32_t thread, block;
};

// Zero-initialise. The caller calls event_blocks_free(), also after an error. The recording must outlive it.
struct event_blocks {
    struct recording_reader *reader; // NULL: nothing was read yet
    bool without_payloads;           // set by the user before the first block is read: see recording_want_no_payloads()
    const struct recording_search *search; // the same: see recording_want_calls_of(); NULL: none
    struct recording *recording;
    struct thread_blocks *threads; // in the order of their first blocks in the file
    uint32_t thread_count;
    size_t thread_room;
    struct map thread_of;            // process << 32 | thread: index
    struct event_block_place *order; // of the file
    size_t count, order_room;
    size_t listed;        // entries of the index that were looked at
    uint64_t last_listed; // offset of the last of them
};

// Whether to list a block. Those that are not listed count with their events all the same.
typedef bool event_blocks_wants(void *context, const struct recording_block *block);

// Lists the blocks that the index has more than when it was called last; the first call lists all. `wants` may be NULL: all.
// DAMAGED: the file has become another. NO_MEMORY or IO.
enum clew_error event_blocks_list(struct event_blocks *blocks, struct recording *recording, event_blocks_wants *wants,
                                  void *context);
void event_blocks_free(struct event_blocks *blocks);

static inline struct event_block *event_blocks_get(const struct event_blocks *blocks,
                                                   const struct event_block_place *place)
{
    return &blocks->threads[place->thread].blocks[place->block];
}
// Reads a block. DAMAGED: it is damaged, or is not what the index says. The events are borrowed until the next call.
enum clew_error event_blocks_read(struct event_blocks *blocks, const struct thread_blocks *thread,
                                  const struct event_block *block, struct recording_events *out);

static inline enum clew_error event_blocks_read_at(struct event_blocks *blocks, const struct event_block_place *place,
                                                   struct recording_events *out)
{
    return event_blocks_read(blocks, &blocks->threads[place->thread], event_blocks_get(blocks, place), out);
}

// NULL: the thread has no events.
struct thread_blocks *event_blocks_thread(const struct event_blocks *blocks, uint32_t process, uint32_t thread);

// The first block whose last event is at `clock` or later; the number of blocks if there is none.
size_t thread_blocks_at_clock(const struct thread_blocks *thread, uint64_t clock);
// The block that has the event; the number of blocks if none has.
size_t thread_blocks_at_ordinal(const struct thread_blocks *thread, uint64_t ordinal);

#endif
