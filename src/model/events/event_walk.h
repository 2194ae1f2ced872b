// One thread of a cursor (cursor.h): a place among its events, the stack there, and the part of a block at hand.
//
// A block is a row of units: unit 0 opens it, unit 1 + i is event i. Opening a block makes steps where it does not follow the
// block before: at the beginning of a stream, and where blocks are missing.
#ifndef CLEW_MODEL_EVENT_WALK_H
#define CLEW_MODEL_EVENT_WALK_H

#include "model/events/event_blocks.h"
#include "model/events/part.h"
#include "model/events/step.h"

// What the walks of a cursor share.
struct walk_reading {
    struct event_blocks blocks;
    struct part_memory memory;
    struct stream_work work;
    struct recording_health health;  // the damage that was found so far
    bool states_anew, async, throws; // see struct cursor_options
    size_t mark_bytes;               // that all marks take
    // The block that was read last: read again, it is decoded only once.
    struct recording_events last;
    uint64_t last_offset; // 0: none
};

// Where a unit is in the order of all (cursor.h).
struct walk_key {
    uint64_t clock;         // at least those of the thread's events before
    uint64_t first, offset; // of the block: its lowest clock, and its place in the file
};

static inline int walk_compare(const struct walk_key *a, const struct walk_key *b)
{
    if (a->clock != b->clock) {
        return a->clock < b->clock ? -1 : 1;
    }
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return (a->offset > b->offset) - (a->offset < b->offset);
}

// The state before an event of the part, to which walks that go back return.
struct walk_mark {
    uint32_t event;
    uint32_t stack_at;
    struct stream stream;
    struct boxes_mark boxes;
};

struct walk {
    struct event_thread thread;
    struct walk_reading *reading;
    uint32_t index; // of its blocks in reading->blocks.threads
    // The place is before a unit; past the last block they are the number of blocks and 0.
    uint32_t block, unit;
    // The thread's stream has taken the units before this one.
    bool known;
    uint32_t taken_block, taken;
    struct part part; // of block `part_block`
    uint32_t part_block;
    bool in_part;      // the stream has taken events of the part, of which stack_at and the boxes are those:
    uint32_t stack_at; // where the methods of its next STACK event begin
    struct walk_mark *marks;
    size_t mark_count, mark_room;
    uint32_t mark_every; // events
    step_visit *visit;   // NULL: on the way to a place
    void *context;
    bool opens;             // what is reported opens a block
    uint32_t event;         // that is reported
    uint64_t first_ordinal; // of the block that it is in
};

// Before the first unit. The caller calls walk_free().
struct walk *walk_new(struct walk_reading *reading, uint32_t index);
void walk_free(struct walk *walk);

static inline const struct thread_blocks *walk_blocks(const struct walk *walk)
{
    return &walk->reading->blocks.threads[walk->index];
}
// The ordinal of the first event after the place.
uint64_t walk_ordinal(const struct walk *walk);

// The key of the unit after, or before, the place. *known: false: its part is not in memory; no unit in this direction is
// nearer. False: there is no unit.
bool walk_key_after(struct walk *walk, struct walk_key *key, bool *known);
bool walk_key_before(struct walk *walk, struct walk_key *key, bool *known);
// The clock of the event after the place, if it is in memory, and not the first unit of its block.
static inline bool walk_clock_within(const struct walk *walk, uint64_t *clock)
{
    bool within = walk->unit > 0 && walk->part_block == walk->block && part_has(&walk->part, walk->unit - 1);
    *clock = within ? part_clock_of(&walk->part, walk->unit - 1) : 0;
    return within;
}
// Loads the part of the unit after, or before, the place, so that its key is known. DAMAGED: its block is left out now.
enum clew_error walk_load(struct walk *walk, bool backwards);

// Moves over the unit and reports its steps, in the order of time in both directions. There must be one. DAMAGED: its block
// was left out, and nothing was reported.
enum clew_error walk_next(struct walk *walk, step_visit *visit, void *context);
enum clew_error walk_previous(struct walk *walk, step_visit *visit, void *context);
// As walk_next(), and goes on in the same part up to the first event at `before` or later.
enum clew_error walk_run(struct walk *walk, uint64_t before, step_visit *visit, void *context);

// Places the walk before the first unit whose key is above `key`, or past the last.
enum clew_error walk_seek(struct walk *walk, const struct walk_key *key);
void walk_seek_end(struct walk *walk);
// Places the walk before an event, or before the first block if it is the first event. *key: of the unit. NOT_FOUND: the thread
// has no such event, or its block is damaged; the walk stays.
enum clew_error walk_seek_ordinal(struct walk *walk, uint64_t ordinal, struct walk_key *key);

// Sets the thread's stack to that at the place.
enum clew_error walk_restore(struct walk *walk);

#endif
