// An index is only an acceleration: whenever anything about it is not valid, the headers of all blocks are read instead.
#include "recording/file_index.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "recording/codec.h"

static bool add(struct file_index *index, const struct recording_block *block)
{
    if (!array_grow(&index->blocks, index->count, &index->room, sizeof *index->blocks)) {
        return false;
    }
    index->blocks[index->count++] = *block;
    return true;
}

// -- From INDEX blocks ------------------------------------------------------------------------------------------------

// Finds the END block that the file ends with, and the offset of the INDEX block that it names.
static bool find_index(struct block_file *file, uint64_t *end, uint64_t *index)
{
    struct block_header header;
    struct bytes payload;
    struct recording_end ignored;
    return block_find_end(file, end, &header) && block_load(file, *end, &header, &payload) == CLEW_OK &&
           codec_decode_end(payload, &ignored, index);
}

// Loads the INDEX block at `offset`, which has to end at `end`. Otherwise bytes were inserted or cut out.
static enum clew_error load_block(struct block_file *file, uint64_t offset, uint64_t end, struct block_header *header,
                                  struct bytes *payload)
{
    if (block_look(file, offset, header) != BLOCK_VALID || header->type != RECORDING_INDEX ||
        !block_flags_known(header) || block_end(offset, header) != end) {
        return CLEW_DAMAGED;
    }
    return block_load(file, offset, header, payload);
}

// Adds the entries of an INDEX block that lists blocks. DAMAGED: they are not in the order of the file.
static enum clew_error add_entries(struct file_index *index, const struct block_header *header, struct bytes payload,
                                   uint64_t end)
{
    struct recording_block block, before = {0};
    uint64_t newest = index->count ? index->blocks[index->count - 1].offset : 0;
    bool sites = header->flags & BLOCK_SITES;
    for (uint32_t i = 0; i < header->count; i++) {
        if (!codec_decode_index_entry(&payload, &before, sites, &block) || block.offset <= newest ||
            block.offset >= end) {
            return CLEW_DAMAGED;
        }
        if (!add(index, &block)) {
            return CLEW_NO_MEMORY;
        }
        newest = block.offset;
        before = block;
    }
    return CLEW_OK;
}

// Decodes the list of INDEX blocks, which lie one after the other up to `end`. *start: where the first begins.
static enum clew_error decode_parts(const struct block_header *header, struct bytes payload, uint64_t end,
                                    struct codec_index_part **out, uint64_t *start)
{
    struct codec_index_part before = {0};
    if (header->count > bytes_left(&payload) / CODEC_INDEX_PART_LEAST || header->position >= end) {
        return CLEW_DAMAGED;
    }
    struct codec_index_part *parts = calloc((size_t)header->count + 1, sizeof *parts);
    if (!parts) {
        return CLEW_NO_MEMORY;
    }
    *start = header->position;
    uint64_t left = end - *start;
    bool whole = true;
    for (uint32_t i = 0; i < header->count && whole; i++) {
        whole = codec_decode_index_part(&payload, &before, &parts[i]) && parts[i].size <= left;
        left -= whole ? parts[i].size : 0;
        before = parts[i];
    }
    *out = parts;
    return whole && left == 0 ? CLEW_OK : CLEW_DAMAGED;
}

// Adds the entries of each part.
static enum clew_error add_parts(struct file_index *index, struct block_file *file,
                                 const struct codec_index_part *parts, uint32_t count, uint64_t start)
{
    struct block_header header;
    struct bytes payload;
    uint64_t offset = start;
    for (uint32_t i = 0; i < count; i++) {
        CLEW_TRY(load_block(file, offset, offset + parts[i].size, &header, &payload));
        if (header.flags & BLOCK_PARTS || header.count != parts[i].count) {
            return CLEW_DAMAGED;
        }
        CLEW_TRY(add_entries(index, &header, payload, start));
        offset += parts[i].size;
    }
    return CLEW_OK;
}

// Reads the index whose last block is at `offset` and ends at `end`. DAMAGED when some of it does not hold.
static enum clew_error read_index(struct file_index *index, struct block_file *file, uint64_t offset, uint64_t end)
{
    struct block_header header;
    struct bytes payload;
    CLEW_TRY(load_block(file, offset, end, &header, &payload));
    if (!(header.flags & BLOCK_PARTS)) {
        return add_entries(index, &header, payload, offset);
    }
    struct codec_index_part *parts = NULL;
    uint64_t start;
    enum clew_error error = decode_parts(&header, payload, offset, &parts, &start);
    error = error == CLEW_OK ? add_parts(index, file, parts, header.count, start) : error;
    free(parts);
    return error;
}

bool file_index_holds(struct block_file *file, uint64_t offset, uint64_t end)
{
    struct file_index index = {0};
    enum clew_error error = read_index(&index, file, offset, end);
    file_index_free(&index);
    return error == CLEW_OK;
}

// -- From the blocks themselves ---------------------------------------------------------------------------------------

static void note_damage(struct recording_health *health, uint64_t bytes)
{
    health->damaged++;
    health->damaged_bytes += bytes;
}

// Lists the blocks from index->reached on by their headers, without their payloads. A damaged stretch at the end may be
// a block that is being written: the next call searches it again.
static enum clew_error list_headers(struct file_index *index, struct block_file *file)
{
    struct block_header header;
    uint64_t offset = index->reached;
    index->health = index->before;
    for (;;) {
        uint64_t from = offset;
        enum block_state state = block_next(file, &offset, &header);
        if (offset > from) {
            note_damage(&index->health, offset - from);
        }
        if (state != BLOCK_VALID) {
            index->health.cut_bytes = file->size - offset;
            return CLEW_OK;
        }
        struct recording_block block = codec_index_entry(&header, offset);
        if (header.type != RECORDING_INDEX && header.type != RECORDING_END && !add(index, &block)) {
            return CLEW_NO_MEMORY;
        }
        offset = block_end(offset, &header);
        index->reached = offset;
        index->before = index->health;
    }
}

// Whether the blocks that are listed are still there: a writer that continues after another's death may have cut off the
// newest.
static bool goes_on(const struct file_index *index, struct block_file *file)
{
    struct block_header header;
    if (index->reached == 0 || file->size < index->reached) {
        return false;
    }
    if (index->count == 0) {
        return true;
    }
    const struct recording_block *last = &index->blocks[index->count - 1];
    if (block_look(file, last->offset, &header) != BLOCK_VALID) {
        return false;
    }
    struct recording_block now = codec_index_entry(&header, last->offset);
    return now.type == last->type && now.process == last->process && now.thread == last->thread &&
           now.count == last->count && now.first_clock == last->first_clock && now.last_clock == last->last_clock;
}

static enum clew_error list_blocks(struct file_index *index, struct block_file *file)
{
    if (goes_on(index, file)) {
        return list_headers(index, file);
    }
    uint64_t end, offset;
    index->count = 0;
    index->reached = 0;
    index->before = index->health = (struct recording_health){0};
    enum clew_error error = find_index(file, &end, &offset) ? read_index(index, file, offset, end) : CLEW_DAMAGED;
    if (error == CLEW_DAMAGED) {
        index->count = 0;
        index->reached = file->start;
        error = list_headers(index, file);
    }
    return error;
}

enum clew_error file_index_load(struct file_index *index, struct block_file *file)
{
    if (index->size == file->size) {
        return CLEW_OK;
    }
    CLEW_TRY(list_blocks(index, file));
    CLEW_ASSERT(index->count == 0 || index->blocks[index->count - 1].offset < file->size);
    index->size = file->size;
    return CLEW_OK;
}

void file_index_free(struct file_index *index)
{
    free(index->blocks);
    *index = (struct file_index){0};
}
