// Reading the counters of `lines` out of a segment that the program may have overwritten: every offset and count is
// read once and checked before it is used.
#include "ring/ring_lines.h"

#include <stdlib.h>

#include "ring/publish.h"

// MALFORMED: more blocks than fit into the bytes that were taken. A block takes at least a cache line.
static enum clew_error blocks_used(const struct ring_header *ring, uint32_t *used)
{
    enum { BLOCK_SIZE_MIN = 64 };
    *used = atomic_load_explicit(&ring->lines_blocks, memory_order_acquire);
    uint32_t bytes = atomic_load_explicit(&ring->lines_used, memory_order_acquire);
    bool holds = *used <= RING_LINES_BLOCKS && bytes <= RING_LINES_SIZE && *used <= bytes / BLOCK_SIZE_MIN;
    return holds ? CLEW_OK : CLEW_MALFORMED;
}

// A copy of a block's description, whose fields were read once.
struct block {
    uint32_t first, end; // sites
    uint64_t at;         // offset of its counters from the first counter in the segment
};

enum block_state { BLOCK_NONE, BLOCK_WHOLE, BLOCK_BROKEN };

static enum block_state block_at(const struct ring_header *ring, uint32_t number, struct block *out)
{
    const struct ring_lines_block *block = &ring_lines_blocks(ring)[number];
    // Pairs with the release store in take_block() of probe_lines.c: the other fields are valid once the count is not
    // 0.
    uint32_t count = atomic_load_explicit(&block->site_count, memory_order_acquire);
    *out = (struct block){.first = RING_READ_ONCE(block->first_site)};
    out->end = out->first + count;
    out->at = RING_READ_ONCE(block->at) - ring->lines_offset;
    if (count == 0) {
        return BLOCK_NONE;
    }
    bool holds = out->first > 0 && out->first < RING_SITES_MAX && count <= RING_SITES_MAX - out->first &&
                 out->at < RING_LINES_SIZE && out->at % sizeof(uint64_t) == 0;
    return holds ? BLOCK_WHOLE : BLOCK_BROKEN;
}

enum clew_error ring_lines_end(const struct ring_header *ring, uint32_t *end)
{
    uint32_t used;
    struct block block;
    *end = 0;
    CLEW_TRY(blocks_used(ring, &used));
    for (uint32_t i = 0; i < used; i++) {
        if (block_at(ring, i, &block) == BLOCK_WHOLE) {
            *end = block.end > *end ? block.end : *end;
        }
    }
    return CLEW_OK;
}

// -- Ranges of sites --------------------------------------------------------------------------------------------------
// The sites of a block are those of one method, so two blocks have the same sites or none in common. Which sites of a
// range have a counter is therefore looked up once per range, not once per block.

struct ranges {
    uint32_t *end_of;        // by first site: one more than the range's last site; 0: no range begins there
    uint32_t *statements_at; // by site: how many sites below it have a counter, which is an index in `statements`
    uint32_t *statements;    // the sites that have a counter, ascending
};

static void free_ranges(struct ranges *ranges)
{
    free(ranges->end_of);
    free(ranges->statements_at);
    free(ranges->statements);
}

static bool list_ranges(const struct ring_header *ring, struct ranges *ranges, uint32_t used, uint32_t end)
{
    struct block block;
    for (uint32_t i = 0; i < used; i++) {
        enum block_state state = block_at(ring, i, &block);
        if (state == BLOCK_BROKEN) {
            return false;
        }
        if (state == BLOCK_NONE || block.end > end) {
            continue;
        }
        if (ranges->end_of[block.first] && ranges->end_of[block.first] != block.end) {
            return false;
        }
        ranges->end_of[block.first] = block.end;
    }
    for (uint32_t site = 0, past = 0; site < end; site++) {
        if (ranges->end_of[site]) {
            if (site < past) {
                return false;
            }
            past = ranges->end_of[site];
        }
    }
    return true;
}

static void list_statements(const struct ring_header *ring, struct ranges *ranges, uint32_t end)
{
    const uint16_t *lengths = ring_event_lengths(ring);
    uint32_t count = 0;
    for (uint32_t site = 0; site < end; site++) {
        ranges->statements_at[site] = count;
        if (RING_READ_ONCE(lengths[site]) & EVENT_LENGTH_STATEMENT) {
            ranges->statements[count++] = site;
        }
    }
    ranges->statements_at[end] = count;
}

// -- Sums -------------------------------------------------------------------------------------------------------------

static void add_line(struct ring_line *into, const struct ring_line *line)
{
    into->count += RING_READ_ONCE(line->count);
    into->own += RING_READ_ONCE(line->own);
}

static enum clew_error add_block(const struct ring_header *ring, const struct ranges *ranges, const struct block *block,
                                 struct ring_line *by_site, uint64_t *left)
{
    uint32_t from = ranges->statements_at[block->first], to = ranges->statements_at[block->end];
    uint64_t size = (to - from) * sizeof *by_site;
    const char *lines = (const char *)ring + ring->lines_offset + block->at;
    if (block->at + size > RING_LINES_SIZE || size > *left) {
        return CLEW_MALFORMED;
    }
    *left -= size;
    for (uint32_t i = from; i < to; i++, lines += sizeof *by_site) {
        add_line(&by_site[ranges->statements[i]], (const struct ring_line *)(const void *)lines);
    }
    return CLEW_OK;
}

static enum clew_error add_blocks(const struct ring_header *ring, const struct ranges *ranges,
                                  struct ring_line *by_site, uint32_t used, uint32_t end)
{
    uint64_t left = RING_LINES_SIZE; // bytes of counters not yet added; each counter belongs to one block
    struct block block;
    for (uint32_t i = 0; i < used; i++) {
        if (block_at(ring, i, &block) == BLOCK_WHOLE && block.end <= end) {
            CLEW_TRY(ranges->end_of[block.first] == block.end ? CLEW_OK : CLEW_MALFORMED); // changed meanwhile
            CLEW_TRY(add_block(ring, ranges, &block, by_site, &left));
        }
    }
    return CLEW_OK;
}

enum clew_error ring_lines_sum(const struct ring_header *ring, struct ring_line *by_site, uint32_t end)
{
    uint32_t used;
    CLEW_TRY(blocks_used(ring, &used));
    struct ranges ranges = {
        .end_of = calloc(end + 1, sizeof *ranges.end_of),
        .statements_at = calloc(end + 1, sizeof *ranges.statements_at),
        .statements = calloc(end + 1, sizeof *ranges.statements),
    };
    enum clew_error error = ranges.end_of && ranges.statements_at && ranges.statements ? CLEW_OK : CLEW_NO_MEMORY;
    if (error == CLEW_OK && !list_ranges(ring, &ranges, used, end)) {
        error = CLEW_MALFORMED;
    }
    if (error == CLEW_OK) {
        list_statements(ring, &ranges, end);
        error = add_blocks(ring, &ranges, by_site, used, end);
    }
    free_ranges(&ranges);
    return error;
}
