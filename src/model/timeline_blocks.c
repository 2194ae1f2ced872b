// See timeline_blocks.h.
#include "model/timeline_blocks.h"

#include <stdlib.h>

#include "base/array.h"

// -- Selection --------------------------------------------------------------------------------------------------------

static bool is_of_thread(const struct recording_block *block, uint32_t thread)
{
    return block->type == RECORDING_EVENTS && (!thread || block->thread == thread);
}

// Clocks in headers are those of the first and the last event.
static bool overlaps(const struct recording_block *block, uint64_t from, uint64_t to)
{
    return block->last_clock >= from && block->first_clock <= to;
}

// With options.borders: each thread's last block that begins before options.from, by process << 32 | thread. It
// has the activations that run there, even if they outlast the events of the thread.
static enum clew_error find_border(const struct timeline_options *options, const struct recording_block *index,
                                   size_t count, struct map *border)
{
    for (size_t i = 0; options->borders && i < count; i++) {
        uint64_t key = (uint64_t)index[i].process << 32 | index[i].thread;
        if (is_of_thread(&index[i], options->thread) && index[i].first_clock < options->from &&
            !map_put(border, key, i)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static bool is_border(const struct map *border, const struct recording_block *index, size_t i)
{
    uint64_t found;
    return map_get(border, (uint64_t)index[i].process << 32 | index[i].thread, &found) && found == i;
}

// Finds or adds the thread of a block.
static enum clew_error find_thread(struct timeline_blocks *blocks, const struct recording_block *block, uint32_t *out)
{
    uint64_t key = (uint64_t)block->process << 32 | block->thread, found;
    uint32_t made = blocks->thread_count;
    if (map_get(&blocks->thread_of, key, &found)) {
        *out = (uint32_t)found;
        return CLEW_OK;
    }
    if (!array_grow(&blocks->threads, made, &blocks->thread_room, sizeof *blocks->threads) ||
        !array_grow(&blocks->chains, made, &blocks->chain_room, sizeof *blocks->chains) ||
        !map_put(&blocks->thread_of, key, made)) {
        return CLEW_NO_MEMORY;
    }
    blocks->threads[made] = (struct timeline_thread){.process = block->process, .thread = block->thread};
    blocks->chains[made] = (struct timeline_chain){TIMELINE_NO_BLOCK, TIMELINE_NO_BLOCK};
    blocks->thread_count++;
    *out = made;
    return CLEW_OK;
}

// Appends the block to its thread's chain.
static void chain_block(struct timeline_blocks *blocks, uint32_t index)
{
    struct timeline_chain *chain = &blocks->chains[blocks->blocks[index].thread];
    if (chain->first == TIMELINE_NO_BLOCK) {
        chain->first = index;
    } else {
        blocks->blocks[chain->last].next = index;
    }
    chain->last = index;
}

// Blocks are 32-bit indices, which limits their number.
static enum clew_error add_block(struct timeline_blocks *blocks, const struct recording_block *block)
{
    uint32_t thread;
    CLEW_TRY(find_thread(blocks, block, &thread));
    if (blocks->count == TIMELINE_NO_BLOCK ||
        !array_grow(&blocks->blocks, blocks->count, &blocks->room, sizeof *blocks->blocks)) {
        return CLEW_NO_MEMORY;
    }
    uint32_t index = (uint32_t)blocks->count++;
    blocks->blocks[index] = (struct timeline_block){.offset = block->offset,
                                                    .first = block->first_clock,
                                                    .last = block->last_clock,
                                                    .thread = thread,
                                                    .next = TIMELINE_NO_BLOCK};
    chain_block(blocks, index);
    return CLEW_OK;
}

// -- Order ------------------------------------------------------------------------------------------------------------

static int compare_blocks(const void *left, const void *right, void *context)
{
    const struct timeline_block *blocks = context;
    const struct timeline_block *a = &blocks[*(const uint32_t *)left], *b = &blocks[*(const uint32_t *)right];
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return (a->offset > b->offset) - (a->offset < b->offset);
}

// Numbers the blocks by their first clocks. The heap uses this order for events with equal clocks.
static enum clew_error order_blocks(struct timeline_blocks *blocks)
{
    uint32_t *sorted = malloc((blocks->count + 1) * sizeof *sorted);
    if (!sorted) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < blocks->count; i++) {
        sorted[i] = i;
    }
    qsort_r(sorted, blocks->count, sizeof *sorted, compare_blocks, blocks->blocks);
    for (uint32_t i = 0; i < blocks->count; i++) {
        blocks->blocks[sorted[i]].order = i;
    }
    free(sorted);
    return CLEW_OK;
}

// -- All --------------------------------------------------------------------------------------------------------------

static enum clew_error add_blocks(const struct timeline_options *options, const struct recording_block *index,
                                  size_t count, const struct map *border, struct timeline_blocks *out)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        bool asked_for = is_of_thread(&index[i], options->thread);
        any = any || asked_for;
        if (asked_for && (overlaps(&index[i], options->from, options->to) || is_border(border, index, i)) &&
            (!options->wants || options->wants(options->context, &index[i]))) {
            CLEW_TRY(add_block(out, &index[i]));
        }
    }
    return any ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

enum clew_error timeline_blocks_list(struct recording *recording, const struct timeline_options *options,
                                     struct timeline_blocks *out)
{
    const struct recording_block *index;
    struct map border = {0};
    size_t count;
    CLEW_TRY(recording_index(recording, &index, &count));
    enum clew_error error = find_border(options, index, count, &border);
    error = error == CLEW_OK ? add_blocks(options, index, count, &border, out) : error;
    map_free(&border);
    CLEW_TRY(error);
    return order_blocks(out);
}

void timeline_blocks_free(struct timeline_blocks *blocks)
{
    free(blocks->blocks);
    free(blocks->threads);
    free(blocks->chains);
    map_free(&blocks->thread_of);
}
