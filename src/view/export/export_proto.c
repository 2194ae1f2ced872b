// See export_proto.h.
#include "view/export/export_proto.h"

#include "base/assert.h"
#include "base/foreign.h"

// Wire types.
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_SIZED = 2, FIELD_MAX = (1 << 29) - 1 };

static void key(struct buffer *into, uint32_t field, uint32_t wire)
{
    CLEW_ASSERT(field > 0 && field <= FIELD_MAX);
    buffer_varint(into, (uint64_t)field << 3 | wire);
}

void proto_varint(struct buffer *into, uint32_t field, uint64_t value)
{
    key(into, field, WIRE_VARINT);
    buffer_varint(into, value);
}

void proto_signed(struct buffer *into, uint32_t field, int64_t value)
{
    proto_varint(into, field, (uint64_t)value);
}

void proto_fixed64(struct buffer *into, uint32_t field, uint64_t value)
{
    key(into, field, WIRE_FIXED64);
    buffer_u64(into, value);
}

void proto_bytes(struct buffer *into, uint32_t field, const void *data, size_t size)
{
    key(into, field, WIRE_SIZED);
    buffer_varint(into, size);
    buffer_append(into, data, size);
}

void proto_message(struct buffer *into, uint32_t field, const struct buffer *message)
{
    proto_bytes(into, field, message->data, message->size);
    into->failed = into->failed || message->failed;
}

void proto_text(struct buffer *into, uint32_t field, struct text text)
{
    struct buffer escaped = {0};
    foreign_append(&escaped, text, FOREIGN_TEXT);
    proto_message(into, field, &escaped);
    buffer_free(&escaped);
}
