#include "recording/index_writer.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

void index_writer_free(struct index_writer *index)
{
    buffer_free(&index->entries);
    buffer_free(&index->stored);
    free(index->parts);
    *index = (struct index_writer){0};
}

// Only the clocks of EVENTS blocks are times of every file; those of OBJECTS, for instance, are numbers.
static void extend_clocks(struct codec_index_part *part, const struct recording_block *entry)
{
    if (entry->type == RECORDING_EVENTS) {
        part->first_clock = entry->first_clock < part->first_clock ? entry->first_clock : part->first_clock;
        part->last_clock = entry->last_clock > part->last_clock ? entry->last_clock : part->last_clock;
    }
}

void index_writer_add(struct index_writer *index, const struct recording_block *entry)
{
    index->failed |= index->entries.size > INDEX_SIZE_MAX;
    if (index->failed) {
        return;
    }
    if (index->part.count == 0) {
        index->part = (struct codec_index_part){.begins = entry->offset, .first_clock = UINT64_MAX};
    }
    CLEW_ASSERT(entry->offset > index->last.offset && "blocks come in the order of the file");
    static const struct recording_block none;
    index->has_sites |= codec_counts_sites(entry->type, entry->flags);
    codec_encode_index_entry(&index->entries, entry, index->part.count ? &index->last : &none);
    extend_clocks(&index->part, entry);
    index->part.count++;
    index->last = *entry;
    index->failed = index->entries.failed;
}

struct index_mark index_writer_mark(const struct index_writer *index)
{
    return (struct index_mark){index->entries.size, index->has_sites, index->last, index->part, index->part_count};
}

void index_writer_return(struct index_writer *index, const struct index_mark *mark)
{
    CLEW_ASSERT(mark->part_count == index->part_count && mark->size <= index->entries.size);
    index->entries.size = mark->size;
    index->has_sites = mark->has_sites;
    index->last = mark->last;
    index->part = mark->part;
}

struct block_header index_writer_header(const struct index_writer *index)
{
    return (struct block_header){
        .type = RECORDING_INDEX, .count = index->part.count, .flags = index->has_sites ? BLOCK_SITES : 0};
}

void index_writer_complete(struct index_writer *index, const struct block_header *header, const uint8_t *stored)
{
    CLEW_ASSERT(header->type == RECORDING_INDEX && header->count == index->part.count && header->count > 0);
    CLEW_ASSERT(!index->failed && "an index that lacks entries is not written");
    if (!array_grow(&index->parts, index->part_count, &index->part_room, sizeof *index->parts)) {
        index->failed = true;
        return;
    }
    buffer_append(&index->stored, stored, header->stored);
    index->failed = index->stored.failed;
    index->part.size = BLOCK_HEADER_SIZE + header->stored;
    index->parts[index->part_count++] = (struct index_stored){*header, index->part};
    buffer_clear(&index->entries);
    index->part = (struct codec_index_part){0};
    index->has_sites = false;
}
