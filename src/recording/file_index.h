// The list of a file's blocks: from the INDEX block that a closed recording ends with, else from the header of each block.
#ifndef CLEW_RECORDING_FILE_INDEX_H
#define CLEW_RECORDING_FILE_INDEX_H

#include "recording/block.h"
#include "recording/handle.h"

// Zero-initialise.
struct file_index {
    struct recording_block *blocks; // in the order of the file; neither INDEX nor END is among them
    size_t count, room;
    uint64_t size;                  // of the file when the blocks were listed; 0: they were not
    uint64_t reached;               // up to where headers were read; 0: the blocks are from an INDEX block
    struct recording_health before; // the damage that those headers showed
    struct recording_health health; // with what follows them in the file
};

// Lists the blocks, unless they are listed already. When the file has grown since, only its new blocks are looked at. Uses
// the payload buffers of the file. NO_MEMORY or IO.
enum clew_error file_index_load(struct file_index *index, struct block_file *file);
// Whether the INDEX block at `offset` lies right before the END block at `end`, and it and all blocks of its index are valid.
bool file_index_holds(struct block_file *file, uint64_t offset, uint64_t end);
void file_index_free(struct file_index *index);

#endif
