// One thread of a cursor: its blocks, its place among their events, and the decoded block there.
#ifndef CLEW_MODEL_CURSOR_THREAD_H
#define CLEW_MODEL_CURSOR_THREAD_H

#include "model/events/event_blocks.h"

// Where an event is in the order of all (cursor.h). `clock` is at least those of the thread's events before.
struct cursor_key {
    uint64_t clock;
    uint64_t first, offset; // of the event's block: its lowest clock, and its place in the file
};

static inline int cursor_compare(const struct cursor_key *a, const struct cursor_key *b)
{
    if (a->clock != b->clock) {
        return a->clock < b->clock ? -1 : 1;
    }
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return (a->offset > b->offset) - (a->offset < b->offset);
}

// Events of one block in memory.
struct cursor_events {
    struct recording_event *events; // NULL: none
    uint64_t *clocks;               // of each event, as they count
    uint32_t *stacks, *cells;
    uint32_t block, cell_count;
    uint32_t stack_event, stack_at; // the methods of STACK events before `stack_event` end at stacks[stack_at]
    size_t bytes;
};

// The place is before event `event` of block `block`; past the last block both are the number of blocks
// and 0.
struct cursor_thread {
    struct thread_blocks *of;
    uint32_t block, event;
    struct cursor_events loaded;
};

// What the threads of a cursor share.
struct cursor_reading {
    struct event_blocks blocks;
    struct recording_health health;
};

// Decodes a block of the thread, unless it is in memory. DAMAGED: it is marked so, and noted in the health.
enum clew_error cursor_thread_load(struct cursor_thread *thread, struct cursor_reading *reading, uint32_t block);
void cursor_thread_unload(struct cursor_thread *thread);
// Whether the block is in memory.
bool cursor_thread_is_loaded(const struct cursor_thread *thread, uint32_t block);

// The event behind or before the place, without those of damaged blocks. False: there is none.
bool cursor_thread_ahead(const struct cursor_thread *thread, uint32_t *block, uint32_t *event);
bool cursor_thread_behind(const struct cursor_thread *thread, uint32_t *block, uint32_t *event);
// The key of an event. Of one whose block is not in memory: the lowest or the highest that it can have.
struct cursor_key cursor_thread_key(const struct cursor_thread *thread, uint32_t block, uint32_t event, bool highest);

// Moves the place before the first event whose key is above `key`, or past the last.
enum clew_error cursor_thread_seek(struct cursor_thread *thread, struct cursor_reading *reading,
                                   const struct cursor_key *key);
// Finds an event by its ordinal. False: the thread has none.
bool cursor_thread_find(const struct cursor_thread *thread, uint64_t ordinal, uint32_t *block, uint32_t *event);

#endif
