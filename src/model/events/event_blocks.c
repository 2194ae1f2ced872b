// See event_blocks.h.
#include "model/events/event_blocks.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t key_of(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct thread_blocks *event_blocks_thread(const struct event_blocks *blocks, uint32_t process, uint32_t thread)
{
    uint64_t index;
    return map_get(&blocks->thread_of, key_of(process, thread), &index) ? &blocks->threads[index] : NULL;
}

// Finds or adds the thread; NULL when memory runs out.
static struct thread_blocks *make_thread(struct event_blocks *blocks, uint32_t process, uint32_t thread)
{
    struct thread_blocks *found = event_blocks_thread(blocks, process, thread);
    if (found || !array_grow(&blocks->threads, blocks->thread_count, &blocks->thread_room, sizeof *blocks->threads) ||
        !map_put(&blocks->thread_of, key_of(process, thread), blocks->thread_count)) {
        return found;
    }
    found = &blocks->threads[blocks->thread_count++];
    *found = (struct thread_blocks){.process = process, .thread = thread};
    return found;
}

static enum clew_error keep(struct event_blocks *blocks, struct thread_blocks *thread, const struct event_block *block)
{
    if (thread->count == UINT32_MAX ||
        !array_grow(&thread->blocks, thread->count, &thread->room, sizeof *thread->blocks) ||
        !array_grow(&blocks->order, blocks->count, &blocks->order_room, sizeof *blocks->order)) {
        return CLEW_NO_MEMORY;
    }
    blocks->order[blocks->count++] =
        (struct event_block_place){(uint32_t)(thread - blocks->threads), (uint32_t)thread->count};
    thread->blocks[thread->count++] = *block;
    return CLEW_OK;
}

static enum clew_error add(struct event_blocks *blocks, const struct recording_block *block, bool wanted)
{
    struct thread_blocks *thread = make_thread(blocks, block->process, block->thread);
    if (!thread) {
        return CLEW_NO_MEMORY;
    }
    const struct event_block added = {.offset = block->offset,
                                      .first = larger(thread->last, block->first_clock),
                                      .last = larger(larger(thread->last, block->first_clock), block->last_clock),
                                      .first_clock = block->first_clock,
                                      .ordinal = thread->events,
                                      .count = block->count};
    thread->events += block->count;
    thread->last = added.last;
    return wanted ? keep(blocks, thread, &added) : CLEW_OK;
}

enum clew_error event_blocks_list(struct event_blocks *blocks, struct recording *recording, event_blocks_wants *wants,
                                  void *context)
{
    const struct recording_block *index;
    size_t count;
    blocks->recording = recording;
    CLEW_TRY(recording_index(recording, &index, &count));
    if (count < blocks->listed || (blocks->listed && index[blocks->listed - 1].offset != blocks->last_listed)) {
        return CLEW_DAMAGED;
    }
    for (; blocks->listed < count; blocks->listed++) {
        const struct recording_block *block = &index[blocks->listed];
        if (block->type == RECORDING_EVENTS) {
            CLEW_TRY(add(blocks, block, !wants || wants(context, block)));
        }
        blocks->last_listed = block->offset;
    }
    return CLEW_OK;
}

enum clew_error event_blocks_read(struct event_blocks *blocks, const struct thread_blocks *thread,
                                  const struct event_block *block, struct recording_events *out)
{
    struct recording_record record;
    if (!blocks->reader) {
        CLEW_TRY(recording_new_reader(blocks->recording, &blocks->reader));
        if (blocks->without_payloads) {
            recording_want_no_payloads(blocks->reader);
        }
        recording_want_calls_of(blocks->reader, blocks->search);
    }
    CLEW_TRY(recording_read(blocks->reader, block->offset, RECORDING_EVENTS, &record));
    *out = record.events;
    bool listed = out->process == thread->process && out->thread == thread->thread && out->count == block->count;
    return listed ? CLEW_OK : CLEW_DAMAGED;
}

void event_blocks_free(struct event_blocks *blocks)
{
    recording_close_reader(blocks->reader);
    for (uint32_t i = 0; i < blocks->thread_count; i++) {
        free(blocks->threads[i].blocks);
    }
    free(blocks->threads);
    free(blocks->order);
    map_free(&blocks->thread_of);
    *blocks = (struct event_blocks){0};
}

size_t thread_blocks_at_clock(const struct thread_blocks *thread, uint64_t clock)
{
    size_t low = 0, high = thread->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (thread->blocks[middle].last < clock) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t thread_blocks_at_ordinal(const struct thread_blocks *thread, uint64_t ordinal)
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
    return low < thread->count && thread->blocks[low].ordinal <= ordinal ? low : thread->count;
}
