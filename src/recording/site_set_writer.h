// Gathers which sites occur in EVENTS blocks, for the SITE_SETS blocks of a file (doc/recording.md). They take at most one
// part in SITE_SET_SHARE of the EVENTS blocks' size: a block with many sites states groups of sites, and one with too many
// nothing.
#ifndef CLEW_RECORDING_SITE_SET_WRITER_H
#define CLEW_RECORDING_SITE_SET_WRITER_H

#include "recording/block.h"
#include "recording/codec.h"

enum {
    SITE_SET_SHARE = 50,
    SITE_SETS_SIZE = 32 << 10,     // bytes of sets that make a block
    SITE_SETS_COUNT = 1024,        // sets that make a block
    SITE_SET_SITES_MAX = 4096,     // a block with more sites is left out,
    SITE_SET_NUMBER_MAX = 1 << 24, // and one with a site of a higher number
};

// Zero-initialise.
struct site_set_writer {
    struct buffer sets;   // the payload so far
    uint32_t count;       // sets in it
    uint64_t first;       // offset of the first block in it
    uint64_t last;        // of the last
    struct buffer bits;   // uint64_t: one bit for each group of the set that is being encoded; all 0 in between
    struct buffer sorted; // uint32_t: its groups
    struct buffer groups; // the set that is being encoded
};

void site_set_writer_free(struct site_set_writer *writer);
// An EVENTS block in the file.
struct site_set_block {
    uint64_t offset;
    uint32_t size; // bytes, header included
    uint32_t process;
};

// Adds the set of the block, which has these sites, each once, in any order. Leaves it out if it is too large, or memory
// runs out.
void site_set_writer_add(struct site_set_writer *writer, const struct site_set_block *block, const uint32_t *sites,
                         uint32_t count);
static inline bool site_set_writer_is_due(const struct site_set_writer *writer)
{
    return writer->sets.size >= SITE_SETS_SIZE || writer->count >= SITE_SETS_COUNT;
}
// The header of the SITE_SETS block that will be at `offset`.
struct block_header site_set_writer_header(const struct site_set_writer *writer, uint64_t offset);
// Begins the next block.
void site_set_writer_clear(struct site_set_writer *writer);

#endif
