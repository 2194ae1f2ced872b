#include "recording/site_set_writer.h"

#include <string.h>

#include "base/assert.h"
#include "recording/varint.h"

enum { SHIFT_STEP = 2, VARINT_MOST = 4 }; // a group's number is below SITE_SET_NUMBER_MAX

void site_set_writer_free(struct site_set_writer *writer)
{
    buffer_free(&writer->sets);
    buffer_free(&writer->bits);
    buffer_free(&writer->sorted);
    buffer_free(&writer->groups);
    *writer = (struct site_set_writer){0};
}

// Makes room for the bits of groups up to `highest`. NULL when memory runs out.
static uint64_t *bits_for(struct site_set_writer *writer, uint32_t highest)
{
    size_t needed = ((size_t)highest / 64 + 1) * sizeof(uint64_t), had = writer->bits.size;
    if (needed > had) {
        uint8_t *more = buffer_extend(&writer->bits, needed - had);
        if (!more) {
            return NULL;
        }
        memset(more, 0, needed - had);
    }
    return (uint64_t *)(void *)writer->bits.data;
}

// Writes the numbers of the bits that are set, ascending, and clears the bits.
static void take_bits(uint64_t *bits, size_t from, size_t to, uint32_t *sorted)
{
    for (size_t i = from; i <= to; i++) {
        for (uint64_t word = bits[i]; word; word &= word - 1) {
            *sorted++ = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(word);
        }
        bits[i] = 0;
    }
}

// Sorts the sites into writer->sorted. False when memory runs out, or a number is too high.
static bool sort(struct site_set_writer *writer, const uint32_t *sites, uint32_t count)
{
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        lowest = sites[i] < lowest ? sites[i] : lowest;
        highest = sites[i] > highest ? sites[i] : highest;
    }
    if (highest >= SITE_SET_NUMBER_MAX) {
        return false;
    }
    buffer_clear(&writer->sorted);
    uint64_t *bits = bits_for(writer, highest);
    uint32_t *sorted = (void *)buffer_extend(&writer->sorted, count * sizeof *sorted);
    if (!bits || !sorted) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        bits[sites[i] / 64] |= UINT64_C(1) << sites[i] % 64;
    }
    take_bits(bits, lowest / 64, highest / 64, sorted);
    return true;
}

// Joins neighbours to groups of 2^SHIFT_STEP. Returns how many there are then.
static uint32_t join(uint32_t *groups, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = groups[i] >> SHIFT_STEP;
        kept -= kept > 0 && groups[kept - 1] == group;
        groups[kept++] = group;
    }
    return kept;
}

// Encodes the groups into writer->groups. False when memory runs out.
static bool encode(struct site_set_writer *writer, const uint32_t *groups, uint32_t count)
{
    buffer_clear(&writer->groups);
    uint8_t *start = buffer_extend(&writer->groups, (size_t)count * VARINT_MOST), *at = start;
    uint32_t before = 0;
    for (uint32_t i = 0; start && i < count; i++) {
        at = put_varint(at, groups[i] - before);
        before = groups[i];
    }
    CLEW_ASSERT((size_t)(at - start) <= writer->groups.size);
    writer->groups.size = (size_t)(at - start);
    return start;
}

static void append(struct site_set_writer *writer, const struct site_set_block *block, uint32_t shift, uint32_t count)
{
    uint64_t offset = block->offset;
    size_t before = writer->sets.size;
    writer->first = writer->count ? writer->first : offset;
    CLEW_ASSERT(writer->count == 0 || offset > writer->last);
    buffer_varint(&writer->sets, writer->count ? offset - writer->last : 0);
    buffer_varint(&writer->sets, block->process);
    buffer_varint(&writer->sets, shift);
    buffer_varint(&writer->sets, count);
    buffer_append(&writer->sets, writer->groups.data, writer->groups.size);
    if (writer->sets.failed) {
        writer->sets.failed = false;
        writer->sets.size = before;
        return;
    }
    writer->last = offset;
    writer->count++;
}

// The budget is counted in bytes before compression, so the blocks stay below it however little they shrink.
void site_set_writer_add(struct site_set_writer *writer, const struct site_set_block *block, const uint32_t *sites,
                         uint32_t count)
{
    enum { HEAD = 8 };
    size_t most = block->size / SITE_SET_SHARE;
    if (count == 0 || count > SITE_SET_SITES_MAX || most <= HEAD || !sort(writer, sites, count)) {
        return;
    }
    uint32_t *groups = (uint32_t *)(void *)writer->sorted.data;
    for (uint32_t shift = 0; shift <= RECORDING_SITE_SHIFT_MAX; shift += SHIFT_STEP) {
        if (count <= most - HEAD) {
            if (!encode(writer, groups, count)) {
                return;
            }
            if (writer->groups.size <= most - HEAD) {
                append(writer, block, shift, count);
                return;
            }
        }
        count = join(groups, count);
    }
}

struct block_header site_set_writer_header(const struct site_set_writer *writer, uint64_t offset)
{
    CLEW_ASSERT(writer->count > 0 && offset > writer->last);
    return (struct block_header){
        .type = RECORDING_SITE_SETS, .count = writer->count, .position = offset - writer->first};
}

void site_set_writer_clear(struct site_set_writer *writer)
{
    buffer_clear(&writer->sets);
    writer->count = 0;
}
