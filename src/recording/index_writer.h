// Gathers a file's index while its blocks are written. An index that grows large becomes several INDEX blocks; only the one
// that is being filled is in memory as it is, the others are compressed (doc/recording.md, "INDEX and END").
#ifndef CLEW_RECORDING_INDEX_WRITER_H
#define CLEW_RECORDING_INDEX_WRITER_H

#include "recording/block.h"
#include "recording/codec.h"

enum {
    INDEX_PART_SIZE = 1 << 20, // bytes of entries that make an INDEX block
    INDEX_SIZE_MAX = 48 << 20, // of entries; a block that cannot be split in time would grow too large
};

// The header of an INDEX block that is still to be written, and its entry in the list of these blocks.
struct index_stored {
    struct block_header header;
    struct codec_index_part part;
};

// Zero-initialise.
struct index_writer {
    // The part that is being filled.
    struct buffer entries;
    bool has_sites;
    struct recording_block last;  // the block listed last
    struct codec_index_part part; // its count is that of the entries so far; its size is not known yet
    // The parts before it.
    struct index_stored *parts;
    size_t part_count, part_room;
    struct buffer stored; // their payloads, one after the other
    bool failed;          // an entry is missing, without memory or room for it: the file gets no index
};

void index_writer_free(struct index_writer *index);
// Does nothing once the index has failed.
void index_writer_add(struct index_writer *index, const struct recording_block *entry);

// A state to return to.
struct index_mark {
    size_t size;
    bool has_sites;
    struct recording_block last;
    struct codec_index_part part;
    size_t part_count;
};
struct index_mark index_writer_mark(const struct index_writer *index);
// Removes the entries added since the mark. No part may have been completed since.
void index_writer_return(struct index_writer *index, const struct index_mark *mark);

// The header of the INDEX block that has the entries of the current part.
struct block_header index_writer_header(const struct index_writer *index);
// Whether the current part has its size, and the index has not failed.
static inline bool index_writer_is_due(const struct index_writer *index)
{
    return !index->failed && index->entries.size >= INDEX_PART_SIZE;
}
// Stores the current part, as a block with this header and payload, and begins the next. The index must not have failed.
void index_writer_complete(struct index_writer *index, const struct block_header *header, const uint8_t *stored);

#endif
