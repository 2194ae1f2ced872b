// The list of blocks that a timeline reads: those of the requested thread that overlap the requested time, from the
// recording's index. Blocks are chained by thread, in the order of the file.
#ifndef CLEW_MODEL_TIMELINE_BLOCKS_H
#define CLEW_MODEL_TIMELINE_BLOCKS_H

#include "base/map.h"
#include "model/timeline.h"
#include "recording/reader.h"

#define TIMELINE_NO_BLOCK UINT32_MAX

// A block of events in the file.
struct timeline_block {
    uint64_t offset; // in the file
    uint64_t first;  // clock of the first event
    uint64_t last;   // clock of the last event
    uint64_t order;  // rank by first clock; among equal ones, by position in the file
    uint32_t thread; // index
    uint32_t next;   // index of the thread's next block; TIMELINE_NO_BLOCK: none
};

// The first and the last block of a thread.
struct timeline_chain {
    uint32_t first, last; // indexes
};

// Zero-initialise. Call timeline_blocks_free() also after an error.
struct timeline_blocks {
    struct timeline_block *blocks; // in the file's order
    size_t count, room;
    struct timeline_thread *threads; // threads that have a block; the user frees their streams
    struct timeline_chain *chains;   // parallel to threads
    uint32_t thread_count;
    size_t thread_room, chain_room;
    struct map thread_of; // process << 32 | thread: index
};

// Lists the blocks. NOTHING_RECORDED: the recording has no block of the requested thread at any time.
enum clew_error timeline_blocks_list(struct recording *recording, const struct timeline_options *options,
                                     struct timeline_blocks *out);
void timeline_blocks_free(struct timeline_blocks *blocks);

#endif
