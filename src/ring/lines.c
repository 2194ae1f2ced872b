#include "ring/lines.h"

static uint32_t blocks_used(const struct ring_header *ring)
{
    uint32_t used = atomic_load_explicit(&ring->lines_blocks, memory_order_acquire);
    return used < RING_LINES_BLOCKS ? used : RING_LINES_BLOCKS;
}

// False when the block is not there yet, or not whole.
static bool block_at(const struct ring_header *ring, uint32_t number, uint32_t *first, uint32_t *count, uint64_t *at)
{
    const struct ring_lines_block *block = &ring_lines_blocks(ring)[number];
    // Pairs with the release store in take_block: the rest is there before the count is.
    *count = atomic_load_explicit(&block->site_count, memory_order_acquire);
    *first = block->first_site;
    *at = block->at;
    return *count > 0 && *first > 0 && *first < RING_SITES_MAX && *count <= RING_SITES_MAX - *first &&
           *at >= ring->lines_offset && *at - ring->lines_offset < RING_LINES_SIZE && *at % sizeof(uint64_t) == 0;
}

uint32_t ring_lines_end(const struct ring_header *ring)
{
    uint32_t used = blocks_used(ring), end = 0, first, count;
    uint64_t at;
    for (uint32_t i = 0; i < used; i++) {
        if (block_at(ring, i, &first, &count, &at)) {
            end = first + count > end ? first + count : end;
        }
    }
    return end;
}

static void add_line(struct ring_line *into, const volatile struct ring_line *line)
{
    into->count += line->count;
    into->own += line->own;
}

void ring_lines_sum(const struct ring_header *ring, struct ring_line *by_site, uint32_t end)
{
    const uint16_t *shapes = ring_site_shapes(ring);
    uint64_t lines_end = ring->lines_offset + RING_LINES_SIZE;
    uint32_t used = blocks_used(ring), first, count;
    uint64_t at;
    for (uint32_t i = 0; i < used; i++) {
        if (!block_at(ring, i, &first, &count, &at)) {
            continue;
        }
        for (uint32_t site = first; site < first + count && site < end && at + sizeof *by_site <= lines_end; site++) {
            if (shapes[site] & RING_SITE_STATEMENT) {
                add_line(&by_site[site], (const struct ring_line *)(const void *)((const char *)ring + at));
                at += sizeof *by_site;
            }
        }
    }
}
