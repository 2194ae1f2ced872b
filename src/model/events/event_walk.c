// See event_walk.h. Where the walk is, and where it goes; walk_state.c makes the stack there.
#include "model/events/event_walk.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/events/walk_state.h"

// -- Places -----------------------------------------------------------------------------------------------------------

struct walk *walk_new(struct walk_reading *reading, uint32_t index)
{
    struct walk *walk = calloc(1, sizeof *walk);
    if (walk) {
        const struct thread_blocks *blocks = &reading->blocks.threads[index];
        *walk = (struct walk){.reading = reading, .index = index, .known = true};
        walk->thread.process = blocks->process;
        walk->thread.thread = blocks->thread;
    }
    return walk;
}

void walk_free(struct walk *walk)
{
    if (walk) {
        walk_unload(walk);
        stream_fini(&walk->thread.stream);
        free(walk->marks);
        free(walk);
    }
}

uint64_t walk_ordinal(const struct walk *walk)
{
    const struct thread_blocks *blocks = walk_blocks(walk);
    return walk->block < blocks->count ? blocks->blocks[walk->block].ordinal + walk->unit - (walk->unit > 0)
                                       : blocks->events;
}

static void set_place(struct walk *walk, uint32_t block, uint32_t unit)
{
    walk->block = block;
    walk->unit = unit;
    if (walk->part.events && walk->part_block != block) {
        walk_unload(walk);
    }
}

// The end of a block is where the next one opens.
static void leave_block(struct walk *walk)
{
    if (walk_has_taken(walk, walk->block, walk->unit)) {
        walk_set_taken(walk, walk->block + 1, 0);
    }
    set_place(walk, walk->block + 1, 0);
}

enum clew_error walk_restore(struct walk *walk)
{
    if (walk_has_taken(walk, walk->block, walk->unit)) {
        return CLEW_OK;
    }
    return walk->unit > 0 ? walk_reach(walk, walk->block, walk->unit - 1, false)
                          : walk_make_stack_at_opening(walk, walk->block);
}

// The unit before the place. False: there is none.
static bool find_before(const struct walk *walk, uint32_t *block, uint32_t *unit)
{
    *block = walk->block;
    *unit = walk->unit;
    while (*unit == 0 || walk_blocks(walk)->blocks[*block].damaged) {
        if (*block == 0) {
            return false;
        }
        *unit = walk_block_at(walk, --*block)->count + 1;
    }
    --*unit;
    return true;
}

// The key of a unit whose clock is known, or cannot be nearer.
static struct walk_key key_of(const struct walk *walk, uint32_t block, uint64_t clock)
{
    const struct event_block *at = walk_block_at(walk, block);
    return (struct walk_key){.clock = clock, .first = at->first, .offset = at->offset};
}

bool walk_key_after(struct walk *walk, struct walk_key *key, bool *known)
{
    while (walk->block < walk_blocks(walk)->count && walk_block_at(walk, walk->block)->damaged) {
        leave_block(walk);
    }
    if (walk->block == walk_blocks(walk)->count) {
        return false;
    }
    *known = walk->unit == 0 || walk_is_loaded(walk, walk->block, walk->unit - 1);
    uint64_t clock =
        walk->unit > 0 && *known ? part_clock_of(&walk->part, walk->unit - 1) : walk_block_at(walk, walk->block)->first;
    *key = key_of(walk, walk->block, clock);
    return true;
}

bool walk_key_before(struct walk *walk, struct walk_key *key, bool *known)
{
    uint32_t block, unit;
    if (!find_before(walk, &block, &unit)) {
        return false;
    }
    *known = unit == 0 || walk_is_loaded(walk, block, unit - 1);
    const struct event_block *at = walk_block_at(walk, block);
    uint64_t clock = unit == 0 ? at->first : *known ? part_clock_of(&walk->part, unit - 1) : at->last;
    *key = key_of(walk, block, clock);
    return true;
}

enum clew_error walk_load(struct walk *walk, bool backwards)
{
    uint32_t block = walk->block, unit = walk->unit;
    bool any = !backwards || find_before(walk, &block, &unit);
    CLEW_ASSERT(any && unit > 0 && "the key of an opening is always known");
    return any ? walk_reach(walk, block, unit - 1, backwards) : CLEW_OK;
}

// -- Moving -----------------------------------------------------------------------------------------------------------

static enum clew_error open_next(struct walk *walk, step_visit *visit)
{
    struct recording_events events;
    if (walk->reading->states_anew && !walk_has_taken(walk, walk->block, 0)) {
        walk_forget_stack(walk);
        walk_set_taken(walk, walk->block, 0);
    }
    CLEW_TRY(walk_restore(walk));
    enum clew_error error = walk_read_block(walk, walk->block, &events);
    if (error == CLEW_DAMAGED) {
        leave_block(walk);
    }
    CLEW_TRY(error);
    walk->visit = visit;
    CLEW_TRY(walk_open_block(walk, walk->block, &events, &walk->reading->work));
    walk->unit = 1;
    walk_unload(walk);
    if (events.count == 0) {
        leave_block(walk);
        return CLEW_OK;
    }
    return walk_reach(walk, walk->block, 0, false);
}

enum clew_error walk_next(struct walk *walk, step_visit *visit, void *context)
{
    walk->context = context;
    if (walk->unit == 0) {
        return open_next(walk, visit);
    }
    if (!walk_is_at(walk, walk->block, walk->unit - 1)) {
        CLEW_TRY(walk_reach(walk, walk->block, walk->unit - 1, false));
    }
    walk->visit = visit;
    CLEW_TRY(walk_take_event(walk));
    if (walk->unit++ == walk->part.total) {
        leave_block(walk);
    }
    return CLEW_OK;
}

enum clew_error walk_run(struct walk *walk, uint64_t before, step_visit *visit, void *context)
{
    uint64_t clock;
    do {
        CLEW_TRY(walk_next(walk, visit, context));
    } while (walk_clock_within(walk, &clock) && clock < before);
    return CLEW_OK;
}

// A block that follows the one before has no steps of its own.
static enum clew_error open_previous(struct walk *walk, uint32_t block, step_visit *visit)
{
    bool within = walk->known && walk->taken_block == block && walk->taken > 0;
    uint64_t sequence = walk->thread.stream.sequence; // of the block after, if the stack is within the block
    struct recording_events events;
    CLEW_TRY(walk_make_stack_at_opening(walk, block));
    set_place(walk, block, 0);
    if (within && walk->thread.stream.begun && walk->thread.stream.sequence + 1 == sequence) {
        return CLEW_OK;
    }
    CLEW_TRY(walk_read_block(walk, block, &events));
    walk->visit = visit;
    return walk_open_block(walk, block, &events, &walk->reading->work);
}

enum clew_error walk_previous(struct walk *walk, step_visit *visit, void *context)
{
    uint32_t block, unit;
    bool any = find_before(walk, &block, &unit);
    CLEW_ASSERT(any);
    walk->context = context;
    if (!any || unit == 0) {
        return any ? open_previous(walk, block, visit) : CLEW_OK;
    }
    CLEW_TRY(walk_reach(walk, block, unit - 1, true));
    set_place(walk, block, unit);
    walk->visit = visit;
    return walk_take_event(walk);
}

// -- Seeking ----------------------------------------------------------------------------------------------------------

// Finds the first event of a block whose key is above `key`; their number if there is none.
static uint32_t event_above(const struct walk *walk, uint32_t block, const struct recording_events *events,
                            const struct walk_key *key)
{
    struct walk_key at = key_of(walk, block, walk_block_at(walk, block)->first);
    for (uint32_t i = 0; i < events->count; i++) {
        at.clock = part_clock(walk_block_at(walk, block), at.clock, events->events[i].clock);
        if (walk_compare(&at, key) > 0) {
            return i;
        }
    }
    return events->count;
}

enum clew_error walk_seek(struct walk *walk, const struct walk_key *key)
{
    const struct thread_blocks *blocks = walk_blocks(walk);
    uint32_t block = (uint32_t)thread_blocks_at_clock(blocks, key->clock); // the first that may have such a unit
    for (; block < blocks->count; block++) {
        struct recording_events events;
        const struct walk_key opening = key_of(walk, block, walk_block_at(walk, block)->first);
        if (blocks->blocks[block].damaged) {
            continue;
        }
        if (walk_compare(&opening, key) > 0) {
            break;
        }
        enum clew_error error = walk_read_block(walk, block, &events);
        if (error == CLEW_DAMAGED) {
            continue;
        }
        CLEW_TRY(error);
        uint32_t event = event_above(walk, block, &events, key);
        if (event < events.count) {
            set_place(walk, block, 1 + event);
            return walk_reach(walk, block, event, false);
        }
    }
    set_place(walk, block, 0);
    return CLEW_OK;
}

void walk_seek_end(struct walk *walk)
{
    set_place(walk, (uint32_t)walk_blocks(walk)->count, 0);
}

enum clew_error walk_seek_ordinal(struct walk *walk, uint64_t ordinal, struct walk_key *key)
{
    const struct thread_blocks *blocks = walk_blocks(walk);
    size_t found = thread_blocks_at_ordinal(blocks, ordinal);
    struct recording_events events;
    if (found == blocks->count) {
        return CLEW_NOT_FOUND;
    }
    uint32_t block = (uint32_t)found, event = (uint32_t)(ordinal - blocks->blocks[found].ordinal);
    enum clew_error error = walk_read_block(walk, block, &events);
    error = error == CLEW_OK ? walk_reach(walk, block, event, false) : error;
    if (error != CLEW_OK) {
        return error == CLEW_DAMAGED ? CLEW_NOT_FOUND : error;
    }
    bool opening = block == 0 && event == 0;
    set_place(walk, block, opening ? 0 : 1 + event);
    *key = key_of(walk, block, opening ? walk_block_at(walk, block)->first : part_clock_of(&walk->part, event));
    return CLEW_OK;
}
