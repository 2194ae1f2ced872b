// Encodes how often a thread has thrown and caught what (EXCEPTIONS in doc/recording.md): a column for each member.
#include "base/assert.h"
#include "recording/codec.h"

// X(member): all but the count have 32 bits.
#define COLUMNS(X) X(node) X(caught_node) X(method) X(caught_method) X(exception) X(flags)
#define ONE(member) +1
enum { THROW_COLUMNS = 1 COLUMNS(ONE) };

void codec_encode_throws(struct buffer *into, const struct recording_throws *throws, struct codec_splits *splits)
{
#define COLUMN(member)                                 \
    for (uint32_t i = 0; i < throws->count; i++) {     \
        buffer_varint(into, throws->throws[i].member); \
    }                                                  \
    splits->at[splits->count++] = into->size;
    COLUMNS(COLUMN)
    COLUMN(count)
#undef COLUMN
}

static bool decode(struct bytes *payload, struct recording_throw *throws, uint32_t count)
{
#define COLUMN(member)                                    \
    for (uint32_t i = 0; i < count; i++) {                \
        if (!take_varint32(payload, &throws[i].member)) { \
            return false;                                 \
        }                                                 \
    }
    COLUMNS(COLUMN)
#undef COLUMN
    for (uint32_t i = 0; i < count; i++) {
        if (!take_varint(payload, &throws[i].count)) {
            return false;
        }
    }
    return bytes_left(payload) == 0;
}

enum clew_error codec_decode_throws(const struct block_header *header, struct bytes payload,
                                    struct codec_arrays *arrays, struct recording_throws *out)
{
    if (header->count > RECORDING_OBJECTS_MAX || header->count > bytes_left(&payload) / THROW_COLUMNS) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->throws, arrays->throws_room, header->count)) {
        return CLEW_NO_MEMORY;
    }
    *out = (struct recording_throws){
        .process = header->process,
        .thread = header->thread,
        .clock = header->last_clock,
        .count = header->count,
        .throws = arrays->throws,
    };
    return decode(&payload, arrays->throws, header->count) ? CLEW_OK : CLEW_DAMAGED;
}
