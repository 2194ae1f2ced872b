// See cursor_thread.h.
#include "model/events/cursor_thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// -- Loading ----------------------------------------------------------------------------------------------------------

void cursor_thread_unload(struct cursor_thread *thread)
{
    free(thread->loaded.events);
    free(thread->loaded.clocks);
    free(thread->loaded.stacks);
    free(thread->loaded.cells);
    thread->loaded = (struct cursor_events){0};
}

// Never NULL unless memory runs out, even without items.
static void *copy_items(const void *items, size_t count, size_t size)
{
    char *copy = malloc((count + 1) * size);
    if (copy && count) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

static enum clew_error copy_block(struct cursor_thread *thread, const struct recording_events *events, uint32_t block)
{
    struct cursor_events *loaded = &thread->loaded;
    const struct event_block *at = &thread->of->blocks[block];
    loaded->events = copy_items(events->events, events->count, sizeof *events->events);
    loaded->stacks = copy_items(events->stacks, events->stack_count, sizeof *events->stacks);
    loaded->cells = copy_items(events->cells, events->cell_count, sizeof *events->cells);
    loaded->clocks = malloc(((size_t)events->count + 1) * sizeof *loaded->clocks);
    if (!loaded->events || !loaded->stacks || !loaded->cells || !loaded->clocks) {
        cursor_thread_unload(thread);
        return CLEW_NO_MEMORY;
    }
    uint64_t clock = at->first;
    for (uint32_t i = 0; i < events->count; i++) {
        clock = larger(clock, events->events[i].clock);
        clock = clock < at->last ? clock : at->last;
        loaded->clocks[i] = clock;
    }
    loaded->block = block;
    loaded->cell_count = events->cell_count;
    loaded->bytes = events->count * (sizeof *loaded->events + sizeof *loaded->clocks) +
                    ((size_t)events->stack_count + events->cell_count) * sizeof(uint32_t);
    return CLEW_OK;
}

bool cursor_thread_is_loaded(const struct cursor_thread *thread, uint32_t block)
{
    return thread->loaded.events && thread->loaded.block == block;
}

enum clew_error cursor_thread_load(struct cursor_thread *thread, struct cursor_reading *reading, uint32_t block)
{
    struct recording_events events;
    CLEW_ASSERT(block < thread->of->count);
    if (cursor_thread_is_loaded(thread, block)) {
        return CLEW_OK;
    }
    struct event_block *at = &thread->of->blocks[block];
    enum clew_error error = event_blocks_read(&reading->blocks, thread->of, at, &events);
    if (error == CLEW_DAMAGED) {
        reading->health.damaged += !at->damaged;
        at->damaged = true;
        return CLEW_DAMAGED;
    }
    CLEW_TRY(error);
    cursor_thread_unload(thread);
    return copy_block(thread, &events, block);
}

// -- Places -----------------------------------------------------------------------------------------------------------

bool cursor_thread_ahead(const struct cursor_thread *thread, uint32_t *block, uint32_t *event)
{
    *block = thread->block;
    *event = thread->event;
    while (*block < thread->of->count &&
           (thread->of->blocks[*block].damaged || *event >= thread->of->blocks[*block].count)) {
        ++*block;
        *event = 0;
    }
    return *block < thread->of->count;
}

bool cursor_thread_behind(const struct cursor_thread *thread, uint32_t *block, uint32_t *event)
{
    *block = thread->block;
    *event = thread->event;
    while (*event == 0 || thread->of->blocks[*block].damaged) {
        if (*block == 0) {
            return false;
        }
        --*block;
        *event = thread->of->blocks[*block].count;
    }
    --*event;
    return true;
}

struct cursor_key cursor_thread_key(const struct cursor_thread *thread, uint32_t block, uint32_t event, bool highest)
{
    const struct event_block *at = &thread->of->blocks[block];
    CLEW_ASSERT(block < thread->of->count && event < at->count);
    uint64_t clock = cursor_thread_is_loaded(thread, block) ? thread->loaded.clocks[event]
                     : highest                              ? at->last
                                                            : at->first;
    return (struct cursor_key){.clock = clock, .first = at->first, .offset = at->offset};
}

// The first event of the loaded block whose key is above the given one; their number if there is none.
static uint32_t first_event(const struct cursor_thread *thread, const struct cursor_key *key)
{
    uint32_t low = 0, high = thread->of->blocks[thread->loaded.block].count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct cursor_key at = cursor_thread_key(thread, thread->loaded.block, middle, false);
        if (cursor_compare(&at, key) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

enum clew_error cursor_thread_seek(struct cursor_thread *thread, struct cursor_reading *reading,
                                   const struct cursor_key *key)
{
    // The first block that may have an event above the key.
    uint32_t block = (uint32_t)thread_blocks_at_clock(thread->of, key->clock), event = 0;
    for (; block < thread->of->count; block++) {
        if (thread->of->blocks[block].damaged || thread->of->blocks[block].count == 0) {
            continue;
        }
        const struct cursor_key lowest = {thread->of->blocks[block].first, thread->of->blocks[block].first,
                                          thread->of->blocks[block].offset};
        if (cursor_compare(&lowest, key) > 0) {
            break;
        }
        enum clew_error error = cursor_thread_load(thread, reading, block);
        if (error == CLEW_DAMAGED) {
            continue;
        }
        CLEW_TRY(error);
        event = first_event(thread, key);
        if (event < thread->of->blocks[block].count) {
            break;
        }
        event = 0;
    }
    thread->block = block;
    thread->event = event;
    return CLEW_OK;
}

bool cursor_thread_find(const struct cursor_thread *thread, uint64_t ordinal, uint32_t *block, uint32_t *event)
{
    size_t found = thread_blocks_at_ordinal(thread->of, ordinal);
    if (found == thread->of->count) {
        return false;
    }
    *block = (uint32_t)found;
    *event = (uint32_t)(ordinal - thread->of->blocks[found].ordinal);
    return true;
}
