// See cursor_thread.h.
#include "model/cursor_thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Blocks are numbered in 32 bits, which limits how many there can be.
enum clew_error cursor_thread_add(struct cursor_thread *thread, const struct recording_block *block)
{
    if (thread->count == UINT32_MAX ||
        !array_grow(&thread->blocks, thread->count, &thread->room, sizeof *thread->blocks)) {
        return CLEW_NO_MEMORY;
    }
    const struct cursor_block *before = thread->count ? &thread->blocks[thread->count - 1] : NULL;
    uint64_t first = larger(before ? before->last : 0, block->first_clock);
    thread->blocks[thread->count++] = (struct cursor_block){.offset = block->offset,
                                                            .first = first,
                                                            .last = larger(first, block->last_clock),
                                                            .ordinal = before ? before->ordinal + before->count : 0,
                                                            .count = block->count};
    return CLEW_OK;
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
    const struct cursor_block *at = &thread->blocks[block];
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
    struct recording_record record;
    CLEW_ASSERT(block < thread->count);
    if (cursor_thread_is_loaded(thread, block)) {
        return CLEW_OK;
    }
    struct cursor_block *at = &thread->blocks[block];
    enum clew_error error = recording_read(reading->reader, at->offset, RECORDING_EVENTS, &record);
    bool its = error == CLEW_OK && record.events.process == thread->process && record.events.thread == thread->thread &&
               record.events.count == at->count;
    if (error == CLEW_DAMAGED || (error == CLEW_OK && !its)) {
        reading->health.damaged += !at->damaged;
        at->damaged = true;
        return CLEW_DAMAGED;
    }
    CLEW_TRY(error);
    cursor_thread_unload(thread);
    return copy_block(thread, &record.events, block);
}

// -- Places -----------------------------------------------------------------------------------------------------------

bool cursor_thread_ahead(const struct cursor_thread *thread, uint32_t *block, uint32_t *event)
{
    *block = thread->block;
    *event = thread->event;
    while (*block < thread->count && (thread->blocks[*block].damaged || *event >= thread->blocks[*block].count)) {
        ++*block;
        *event = 0;
    }
    return *block < thread->count;
}

bool cursor_thread_behind(const struct cursor_thread *thread, uint32_t *block, uint32_t *event)
{
    *block = thread->block;
    *event = thread->event;
    while (*event == 0 || thread->blocks[*block].damaged) {
        if (*block == 0) {
            return false;
        }
        --*block;
        *event = thread->blocks[*block].count;
    }
    --*event;
    return true;
}

struct cursor_key cursor_thread_key(const struct cursor_thread *thread, uint32_t block, uint32_t event, bool highest)
{
    const struct cursor_block *at = &thread->blocks[block];
    CLEW_ASSERT(block < thread->count && event < at->count);
    uint64_t clock = cursor_thread_is_loaded(thread, block) ? thread->loaded.clocks[event]
                     : highest                              ? at->last
                                                            : at->first;
    return (struct cursor_key){.clock = clock, .first = at->first, .offset = at->offset};
}

// The first block that may have an event above the key: `last` ascends.
static uint32_t first_block(const struct cursor_thread *thread, const struct cursor_key *key)
{
    size_t low = 0, high = thread->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (thread->blocks[middle].last < key->clock) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

// The first event of the loaded block whose key is above the given one; their number if there is none.
static uint32_t first_event(const struct cursor_thread *thread, const struct cursor_key *key)
{
    uint32_t low = 0, high = thread->blocks[thread->loaded.block].count;
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
    uint32_t block = first_block(thread, key), event = 0;
    for (; block < thread->count; block++) {
        if (thread->blocks[block].damaged || thread->blocks[block].count == 0) {
            continue;
        }
        const struct cursor_key lowest = {thread->blocks[block].first, thread->blocks[block].first,
                                          thread->blocks[block].offset};
        if (cursor_compare(&lowest, key) > 0) {
            break;
        }
        enum clew_error error = cursor_thread_load(thread, reading, block);
        if (error == CLEW_DAMAGED) {
            continue;
        }
        CLEW_TRY(error);
        event = first_event(thread, key);
        if (event < thread->blocks[block].count) {
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
    size_t low = 0, high = thread->count;
    while (low < high) { // the first block that ends behind it
        size_t middle = low + (high - low) / 2;
        if (thread->blocks[middle].ordinal + thread->blocks[middle].count <= ordinal) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == thread->count) {
        return false;
    }
    *block = (uint32_t)low;
    *event = (uint32_t)(ordinal - thread->blocks[low].ordinal);
    CLEW_ASSERT(*event < thread->blocks[low].count);
    return true;
}

void cursor_thread_fini(struct cursor_thread *thread)
{
    cursor_thread_unload(thread);
    free(thread->blocks);
}
