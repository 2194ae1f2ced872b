// The blocks of events that a timeline reads, as the recording's index lists them: by thread, and in the order of time.
#ifndef CLEW_MODEL_TIMELINE_BLOCKS_H
#define CLEW_MODEL_TIMELINE_BLOCKS_H

#include "base/map.h"
#include "model/timeline.h"
#include "recording/reader.h"

#define TIMELINE_NO_BLOCK UINT32_MAX

struct timeline_block {
    uint64_t offset; // in the file
    uint64_t first;  // clock
    uint64_t order;  // among all blocks, by first clock; of equal ones the earlier in the file is first
    uint32_t thread; // index
    uint32_t next;   // index of the thread's next block, in the file's order; TIMELINE_NO_BLOCK: none
};

// The first and the last block of a thread.
struct timeline_chain {
    uint32_t first, last; // indexes
};

// Zero-initialise; timeline_blocks_free() also after an error.
struct timeline_blocks {
    struct timeline_block *blocks; // in the file's order
    size_t count, room;
    struct timeline_thread *threads; // those that have a block; their streams are the user's to free
    struct timeline_chain *chains;   // parallel to threads
    uint32_t thread_count;
    size_t thread_room, chain_room;
    struct map thread_of; // process << 32 | thread: index
};

// The blocks of the thread that `options` asks for, as far as they overlap its window. NOTHING_RECORDED: there is no block
// of that thread at all.
enum clew_error timeline_blocks_list(struct recording_reader *reader, const struct timeline_options *options,
                                     struct timeline_blocks *out);
void timeline_blocks_free(struct timeline_blocks *blocks);

#endif
