// An index is only an acceleration: whenever anything about it is not valid, the headers of all blocks are read instead.
#include "recording/file_index.h"

#include <stdlib.h>

#include "base/array.h"
#include "recording/codec.h"

static bool add(struct file_index *index, const struct recording_block *block)
{
    if (!array_grow(&index->blocks, index->count, &index->room, sizeof *index->blocks)) {
        return false;
    }
    index->blocks[index->count++] = *block;
    return true;
}

// Loads the INDEX block that the END block at the end of the file names. False when there is none, when it is damaged,
// or when it does not lie right before END, as after bytes were inserted or cut out.
static bool find_index(struct block_file *file, struct block_header *header, struct bytes *payload)
{
    struct recording_end end;
    uint64_t offset;
    uint64_t tail = BLOCK_HEADER_SIZE + BLOCK_END_SIZE;
    if (file->size < tail || block_look(file, file->size - tail, header) != BLOCK_VALID ||
        header->type != RECORDING_END || block_load(file, file->size - tail, header, payload) != CLEW_OK ||
        !codec_decode_end(*payload, &end, &offset)) {
        return false;
    }
    return block_look(file, offset, header) == BLOCK_VALID && header->type == RECORDING_INDEX &&
           block_flags_known(header) && block_end(offset, header) == file->size - tail &&
           block_load(file, offset, header, payload) == CLEW_OK;
}

// DAMAGED when there is no index, or its entries are not in the order of the file.
static enum clew_error read_index(struct file_index *index, struct block_file *file)
{
    struct block_header header;
    struct bytes payload;
    struct recording_block block, before = {0};
    if (!find_index(file, &header, &payload)) {
        return CLEW_DAMAGED;
    }
    bool sites = header.flags & BLOCK_SITES;
    for (uint32_t i = 0; i < header.count; i++) {
        if (!codec_decode_index_entry(&payload, &before, sites, &block) || block.offset <= before.offset ||
            block.offset >= file->size) {
            return CLEW_DAMAGED;
        }
        if (!add(index, &block)) {
            return CLEW_NO_MEMORY;
        }
        before = block;
    }
    return CLEW_OK;
}

// Lists the blocks by their headers, without their payloads.
static enum clew_error build_index(struct file_index *index, struct block_file *file)
{
    struct block_header header;
    uint64_t offset = file->start;
    for (;;) {
        enum block_state state = block_look(file, offset, &header);
        if (state == BLOCK_DAMAGED) {
            offset = block_search(file, offset);
            continue;
        }
        if (state != BLOCK_VALID) {
            return CLEW_OK;
        }
        struct recording_block block = codec_index_entry(&header, offset);
        if (header.type != RECORDING_INDEX && header.type != RECORDING_END && !add(index, &block)) {
            return CLEW_NO_MEMORY;
        }
        offset = block_end(offset, &header);
    }
}

enum clew_error file_index_load(struct file_index *index, struct block_file *file)
{
    index->count = 0;
    enum clew_error error = read_index(index, file);
    if (error == CLEW_DAMAGED) {
        index->count = 0;
        error = build_index(index, file);
    }
    return error;
}

void file_index_free(struct file_index *index)
{
    free(index->blocks);
    *index = (struct file_index){0};
}
