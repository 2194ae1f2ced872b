// The state of a walk (event_walk.h): the part of a block in memory, what the thread's stream has taken, and how the stack before
// any event is made. The place of the walk is not looked at here.
#ifndef CLEW_MODEL_WALK_STATE_H
#define CLEW_MODEL_WALK_STATE_H

#include "base/assert.h"
#include "model/events/event_walk.h"

static inline const struct event_block *walk_block_at(const struct walk *walk, uint32_t block)
{
    CLEW_ASSERT(block < walk_blocks(walk)->count);
    return &walk_blocks(walk)->blocks[block];
}

// Whether the stack is that before a unit of a block.
static inline bool walk_has_taken(const struct walk *walk, uint32_t block, uint32_t unit)
{
    return walk->known && walk->taken_block == block && walk->taken == unit;
}

static inline void walk_set_taken(struct walk *walk, uint32_t block, uint32_t unit)
{
    walk->known = true;
    walk->taken_block = block;
    walk->taken = unit;
}

// Whether the part in memory has the event, and what walk_take_event() looks ahead to.
static inline bool walk_is_loaded(const struct walk *walk, uint32_t block, uint32_t event)
{
    return walk->part_block == block && part_has(&walk->part, event);
}

// Whether walk_reach() has nothing to do.
static inline bool walk_is_at(const struct walk *walk, uint32_t block, uint32_t event)
{
    return walk->in_part && walk_has_taken(walk, block, 1 + event) && walk_is_loaded(walk, block, event);
}

// Decodes a block, unless it was the last one. DAMAGED: it is marked so.
enum clew_error walk_read_block(struct walk *walk, uint32_t block, struct recording_events *out);
// Takes a block's opening, of which the stack must be that before it. Reports its steps.
enum clew_error walk_open_block(struct walk *walk, uint32_t block, const struct recording_events *events,
                                struct stream_work *work);
// Sets the stack to that before an event of a block, and has its part loaded, with the event after it.
enum clew_error walk_reach(struct walk *walk, uint32_t block, uint32_t event, bool backwards);
// Takes the event that walk_reach() was for. Reports its steps.
enum clew_error walk_take_event(struct walk *walk);
// Sets the stack to that before the opening of a block.
enum clew_error walk_make_stack_at_opening(struct walk *walk, uint32_t block);
void walk_forget_stack(struct walk *walk);
// Frees the part, and what belongs to it.
void walk_unload(struct walk *walk);

#endif
