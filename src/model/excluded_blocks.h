// EVENTS blocks that need not be read: site_filter.h and call_filter.h choose them.
#ifndef CLEW_MODEL_EXCLUDED_BLOCKS_H
#define CLEW_MODEL_EXCLUDED_BLOCKS_H

#include "base/map.h"
#include "recording/handle.h"

// Zero-initialise: none.
struct excluded_blocks {
    struct map process_of; // by the block's offset
};

static inline void excluded_blocks_free(struct excluded_blocks *excluded)
{
    map_free(&excluded->process_of);
}

// False: memory ran out.
static inline bool excluded_blocks_add(struct excluded_blocks *excluded, uint64_t offset, uint32_t process)
{
    return map_put(&excluded->process_of, offset, process);
}

// The process is compared, too: in a file from which bytes were cut out, another block may be at that offset.
static inline bool excluded_blocks_have(const struct excluded_blocks *excluded, const struct recording_block *block)
{
    uint64_t process;
    return map_get(&excluded->process_of, block->offset, &process) && process == block->process;
}

#endif
