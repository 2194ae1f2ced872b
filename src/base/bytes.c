#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

bool bytes_u8(struct bytes *bytes, uint8_t *out)
{
    if (bytes->at == bytes->end) {
        return false;
    }
    *out = *bytes->at++;
    return true;
}

bool bytes_u16(struct bytes *bytes, uint16_t *out)
{
    if (bytes_left(bytes) < sizeof *out) {
        return false;
    }
    *out = read_u16(bytes->at);
    bytes->at += sizeof *out;
    return true;
}

bool bytes_u32(struct bytes *bytes, uint32_t *out)
{
    if (bytes_left(bytes) < sizeof *out) {
        return false;
    }
    *out = read_u32(bytes->at);
    bytes->at += sizeof *out;
    return true;
}

bool bytes_u64(struct bytes *bytes, uint64_t *out)
{
    if (bytes_left(bytes) < sizeof *out) {
        return false;
    }
    *out = read_u32(bytes->at) | (uint64_t)read_u32(bytes->at + 4) << 32;
    bytes->at += sizeof *out;
    return true;
}

// At most ten bytes; the tenth holds one bit. Longer encodings of small numbers are accepted.
bool bytes_varint(struct bytes *bytes, uint64_t *out)
{
    uint64_t value = 0;
    const uint8_t *at = bytes->at;
    for (unsigned shift = 0; at < bytes->end && shift < 64; shift += 7) {
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1) {
            return false;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            bytes->at = at;
            *out = value;
            return true;
        }
    }
    return false;
}

bool bytes_varint32(struct bytes *bytes, uint32_t *out)
{
    const uint8_t *start = bytes->at;
    uint64_t value;
    if (!bytes_varint(bytes, &value) || value > UINT32_MAX) {
        bytes->at = start;
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool bytes_svarint(struct bytes *bytes, int64_t *out)
{
    uint64_t value;
    if (!bytes_varint(bytes, &value)) {
        return false;
    }
    *out = (int64_t)(value >> 1 ^ (~(value & 1) + 1));
    return true;
}

bool bytes_begin_with(struct bytes whole, struct bytes start)
{
    size_t size = bytes_left(&start);
    return bytes_left(&whole) >= size && (size == 0 || memcmp(whole.at, start.at, size) == 0);
}

bool bytes_skip(struct bytes *bytes, size_t size)
{
    CLEW_ASSERT(bytes->at <= bytes->end);
    if (bytes_left(bytes) < size) {
        return false;
    }
    if (size) { // an empty range may start at NULL, and NULL + 0 is undefined in C17
        bytes->at += size;
    }
    return true;
}

bool bytes_take(struct bytes *bytes, size_t size, struct bytes *out)
{
    const uint8_t *start = bytes->at;
    if (!bytes_skip(bytes, size)) {
        return false;
    }
    *out = (struct bytes){start, bytes->at};
    return true;
}

bool size_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

bool size_multiply(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

// Doubles the capacity until size more bytes fit, so that n appended bytes cost O(n) in total.
static bool buffer_reserve(struct buffer *buffer, size_t size)
{
    CLEW_ASSERT(buffer->size <= buffer->capacity);
    size_t needed;
    if (buffer->failed || !size_add(buffer->size, size, &needed)) {
        buffer->failed = true;
        return false;
    }
    if (needed <= buffer->capacity && buffer->data) { // NULL means failure, so even room for 0 bytes is allocated
        return true;
    }
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < needed) {
        if (!size_multiply(capacity, 2, &capacity)) {
            capacity = needed;
        }
    }
    uint8_t *data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

uint8_t *buffer_extend(struct buffer *buffer, size_t size)
{
    if (!buffer_reserve(buffer, size)) {
        return NULL;
    }
    uint8_t *start = buffer->data + buffer->size;
    buffer->size += size;
    return start;
}

void buffer_append(struct buffer *buffer, const void *data, size_t size)
{
    if (size == 0) {
        return;
    }
    uint8_t *start = buffer_extend(buffer, size);
    if (start) {
        memcpy(start, data, size);
    }
}

void buffer_u8(struct buffer *buffer, uint8_t value)
{
    buffer_append(buffer, &value, sizeof value);
}

void buffer_u16(struct buffer *buffer, uint16_t value)
{
    const uint8_t raw[] = {(uint8_t)value, (uint8_t)(value >> 8)};
    buffer_append(buffer, raw, sizeof raw);
}

void buffer_u32(struct buffer *buffer, uint32_t value)
{
    buffer_u16(buffer, (uint16_t)value);
    buffer_u16(buffer, (uint16_t)(value >> 16));
}

void buffer_u64(struct buffer *buffer, uint64_t value)
{
    buffer_u32(buffer, (uint32_t)value);
    buffer_u32(buffer, (uint32_t)(value >> 32));
}

void buffer_varint(struct buffer *buffer, uint64_t value)
{
    uint8_t raw[10];
    size_t size = 0;
    if (value < 0x80 && buffer->size < buffer->capacity && !buffer->failed) { // most numbers of a recording are small
        buffer->data[buffer->size++] = (uint8_t)value;
        return;
    }
    while (value >= 0x80) {
        raw[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    CLEW_ASSERT(size < sizeof raw && "64 bits are ten times seven at most");
    raw[size++] = (uint8_t)value;
    buffer_append(buffer, raw, size);
}

void buffer_svarint(struct buffer *buffer, int64_t value)
{
    buffer_varint(buffer, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void buffer_align(struct buffer *buffer, size_t alignment)
{
    CLEW_ASSERT(alignment > 0 && (alignment & (alignment - 1)) == 0);
    while (buffer->size & (alignment - 1) && !buffer->failed) {
        buffer_u8(buffer, 0);
    }
}

void buffer_clear(struct buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
