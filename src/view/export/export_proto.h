// Writes messages in the wire format of Protocol Buffers (protobuf.dev, "Encoding"). A message within another is built in
// a buffer of its own first, since its length comes before it.
#ifndef CLEW_VIEW_EXPORT_PROTO_H
#define CLEW_VIEW_EXPORT_PROTO_H

#include "base/bytes.h"
#include "base/text.h"

// Append a field. proto_varint() also serves enums and bools; proto_signed() int64 (two's complement, not zigzag).
void proto_varint(struct buffer *into, uint32_t field, uint64_t value);
void proto_signed(struct buffer *into, uint32_t field, int64_t value);
// A field of 8 bytes (fixed64).
void proto_fixed64(struct buffer *into, uint32_t field, uint64_t value);
// Bytes as they are.
void proto_bytes(struct buffer *into, uint32_t field, const void *data, size_t size);
// The same for a message; fails if `message` has failed.
void proto_message(struct buffer *into, uint32_t field, const struct buffer *message);
// A string: invalid UTF-8 becomes U+FFFD, since readers refuse it.
void proto_text(struct buffer *into, uint32_t field, struct text text);

#endif
