// Encoding of definitions, and the byte ring that carries them. Each definition is preceded by its size in 32 bits.
// Both cursors only grow; a position in the ring is a cursor modulo the ring's size, so a definition may wrap around
// its end.
#include "ring/definition.h"

#include <string.h>

#include "base/assert.h"

static void encode_bytes(struct buffer *buffer, struct bytes bytes)
{
    buffer_varint(buffer, bytes_left(&bytes));
    buffer_append(buffer, bytes.at, bytes_left(&bytes));
}

void ring_definition_encode(struct buffer *buffer, const struct ring_definition *definition)
{
    buffer_u8(buffer, (uint8_t)definition->type);
    buffer_varint(buffer, definition->module);
    buffer_varint(buffer, definition->method);
    buffer_varint(buffer, definition->token);
    buffer_varint(buffer, definition->kind);
    buffer_varint(buffer, definition->flags);
    buffer_varint(buffer, definition->thread);
    buffer_varint(buffer, definition->os_id);
    buffer_varint(buffer, definition->number);
    buffer_varint(buffer, definition->ns);
    buffer_append(buffer, definition->mvid, sizeof definition->mvid);
    buffer_sized_text(buffer, definition->name);
    buffer_sized_text(buffer, definition->path);
    buffer_sized_text(buffer, definition->reason);
    encode_bytes(buffer, definition->blob);
    encode_bytes(buffer, definition->roles);
}

static bool decode_bytes(struct bytes *bytes, struct bytes *out)
{
    uint32_t size;
    return bytes_varint32(bytes, &size) && bytes_take(bytes, size, out);
}

bool ring_definition_decode(struct bytes *bytes, struct ring_definition *out)
{
    uint8_t type;
    struct bytes mvid;
    *out = (struct ring_definition){0};
    if (!bytes_u8(bytes, &type) || !bytes_varint32(bytes, &out->module) || !bytes_varint32(bytes, &out->method) ||
        !bytes_varint32(bytes, &out->token) || !bytes_varint32(bytes, &out->kind) ||
        !bytes_varint32(bytes, &out->flags) || !bytes_varint32(bytes, &out->thread) ||
        !bytes_varint32(bytes, &out->os_id) || !bytes_varint32(bytes, &out->number) || !bytes_varint(bytes, &out->ns) ||
        !bytes_take(bytes, sizeof out->mvid, &mvid) || !bytes_sized_text(bytes, &out->name) ||
        !bytes_sized_text(bytes, &out->path) || !bytes_sized_text(bytes, &out->reason) ||
        !decode_bytes(bytes, &out->blob) || !decode_bytes(bytes, &out->roles)) {
        return false;
    }
    out->type = (enum ring_definition_type)type;
    memcpy(out->mvid, mvid.at, sizeof out->mvid);
    return true;
}

static uint8_t *ring_bytes(struct ring_header *ring)
{
    return (uint8_t *)ring + ring->definitions_offset;
}

static void copy_in(struct ring_header *ring, uint64_t position, const void *data, size_t size)
{
    CLEW_ASSERT(size <= RING_DEFINITIONS_SIZE);
    size_t start = (size_t)(position % RING_DEFINITIONS_SIZE);
    size_t first = RING_DEFINITIONS_SIZE - start < size ? RING_DEFINITIONS_SIZE - start : size;
    memcpy(ring_bytes(ring) + start, data, first);
    memcpy(ring_bytes(ring), (const uint8_t *)data + first, size - first);
}

static void copy_out(struct ring_header *ring, uint64_t position, void *data, size_t size)
{
    CLEW_ASSERT(size <= RING_DEFINITIONS_SIZE);
    size_t start = (size_t)(position % RING_DEFINITIONS_SIZE);
    size_t first = RING_DEFINITIONS_SIZE - start < size ? RING_DEFINITIONS_SIZE - start : size;
    memcpy(data, ring_bytes(ring) + start, first);
    memcpy((uint8_t *)data + first, ring_bytes(ring), size - first);
}

bool ring_definition_write(struct ring_header *ring, const struct buffer *encoded)
{
    uint64_t written = atomic_load_explicit(&ring->definitions_written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&ring->definitions_read, memory_order_acquire);
    uint32_t size = (uint32_t)encoded->size;
    uint64_t unread = written - read; // exceeds the ring's size if the program overwrote a cursor: no room then
    if (encoded->failed || !ring_definition_fits(encoded->size) ||
        unread > RING_DEFINITIONS_SIZE - sizeof size - size) {
        return false;
    }
    copy_in(ring, written, &size, sizeof size);
    copy_in(ring, written + sizeof size, encoded->data, size);
    // Pairs with the acquire load in ring_definition_peek(): the bytes are in the ring before the cursor passes them.
    atomic_store_explicit(&ring->definitions_written, written + sizeof size + size, memory_order_release);
    return true;
}

bool ring_definition_fits(size_t size)
{
    return size <= RING_DEFINITIONS_SIZE - sizeof(uint32_t);
}

enum clew_error ring_definition_peek(struct ring_header *ring, uint64_t *cursor, struct buffer *into)
{
    uint64_t read = *cursor;
    uint64_t there = atomic_load_explicit(&ring->definitions_written, memory_order_acquire) - read;
    uint32_t size;
    buffer_clear(into);
    if (there == 0) {
        return CLEW_NOT_FOUND;
    }
    if (there < sizeof size || there > RING_DEFINITIONS_SIZE) {
        return CLEW_MALFORMED;
    }
    copy_out(ring, read, &size, sizeof size);
    if (size > there - sizeof size) {
        return CLEW_MALFORMED;
    }
    uint8_t *start = buffer_extend(into, size);
    if (!start) {
        return CLEW_NO_MEMORY;
    }
    copy_out(ring, read + sizeof size, start, size);
    *cursor = read + sizeof size + size;
    return CLEW_OK;
}

void ring_definition_release(struct ring_header *ring, uint64_t cursor)
{
    // Pairs with the acquire load in ring_definition_write(): the bytes were copied before their space counts as free.
    atomic_store_explicit(&ring->definitions_read, cursor, memory_order_release);
}

bool ring_definition_read(struct ring_header *ring, struct buffer *into)
{
    uint64_t cursor = atomic_load_explicit(&ring->definitions_read, memory_order_relaxed);
    if (ring_definition_peek(ring, &cursor, into) != CLEW_OK) {
        return false;
    }
    ring_definition_release(ring, cursor);
    return true;
}
