// Encodes and decodes the entries of INDEX blocks (doc/recording.md, "INDEX and END").
#include "base/assert.h"
#include "recording/codec.h"

#include "recording/varint.h"

struct recording_block codec_index_entry(const struct block_header *header, uint64_t offset)
{
    bool sites = codec_counts_sites(header->type, header->flags);
    return (struct recording_block){
        .offset = offset,
        .type = header->type,
        .flags = header->flags,
        .process = header->process,
        .thread = header->thread,
        .part = block_has_parts(header->type) ? header->part : 0,
        .count = header->count,
        .first_clock = header->first_clock,
        .last_clock = header->last_clock,
        .statements = sites ? (uint32_t)(header->words >> 32) : 0,
        .values = sites ? header->values : 0,
    };
}

void codec_encode_index_entry(struct buffer *into, const struct recording_block *entry,
                              const struct recording_block *before)
{
    CLEW_ASSERT(entry->offset > before->offset && "the index is in the order of the file");
    buffer_varint(into, entry->offset - before->offset);
    buffer_varint(into, entry->type);
    buffer_varint(into, entry->flags);
    buffer_varint(into, entry->process);
    buffer_varint(into, entry->thread);
    buffer_varint(into, entry->part);
    buffer_varint(into, entry->count);
    buffer_svarint(into, (int64_t)(entry->first_clock - before->first_clock));
    buffer_svarint(into, (int64_t)(entry->last_clock - entry->first_clock));
    if (codec_counts_sites(entry->type, entry->flags)) {
        buffer_varint(into, entry->statements);
        buffer_varint(into, entry->values);
    }
}

bool codec_decode_index_entry(struct bytes *payload, const struct recording_block *before, bool sites,
                              struct recording_block *out)
{
    *out = (struct recording_block){0};
    uint64_t distance, first, length;
    if (!take_varint(payload, &distance) || !take_varint32(payload, &out->type) ||
        !take_varint32(payload, &out->flags) || !take_varint32(payload, &out->process) ||
        !take_varint32(payload, &out->thread) || !take_varint32(payload, &out->part) ||
        !take_varint32(payload, &out->count) || !take_varint(payload, &first) || !take_varint(payload, &length)) {
        return false;
    }
    out->offset = before->offset + distance;
    out->first_clock = before->first_clock + unzigzag(first);
    out->last_clock = out->first_clock + unzigzag(length);
    return !sites || !codec_counts_sites(out->type, out->flags) ||
           (take_varint32(payload, &out->statements) && take_varint32(payload, &out->values));
}

void codec_encode_index_part(struct buffer *into, const struct codec_index_part *part,
                             const struct codec_index_part *before)
{
    CLEW_ASSERT(part->count > 0 && part->begins >= before->begins);
    buffer_varint(into, part->size);
    buffer_varint(into, part->count);
    buffer_varint(into, part->begins - before->begins);
    buffer_svarint(into, (int64_t)(part->first_clock - before->first_clock));
    buffer_svarint(into, (int64_t)(part->last_clock - part->first_clock));
}

bool codec_decode_index_part(struct bytes *payload, const struct codec_index_part *before, struct codec_index_part *out)
{
    uint64_t distance, first, length;
    if (!take_varint(payload, &out->size) || !take_varint32(payload, &out->count) || !take_varint(payload, &distance) ||
        !take_varint(payload, &first) || !take_varint(payload, &length)) {
        return false;
    }
    out->begins = before->begins + distance;
    out->first_clock = before->first_clock + unzigzag(first);
    out->last_clock = out->first_clock + unzigzag(length);
    return true;
}
