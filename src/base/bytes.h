// Reads and builds byte sequences. Only these functions do pointer arithmetic over bytes from outside (files, images, shared
// memory), so a length from outside cannot lead beyond the bytes that are there.
// All integers are little endian. Varints are LEB128; signed ones are zigzag coded.
#ifndef CLEW_BASE_BYTES_H
#define CLEW_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A borrowed range that shrinks from the front as it is read. A failed read leaves it unchanged and returns false.
struct bytes {
    const uint8_t *at;
    const uint8_t *end;
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
    const uint8_t *at = data;
    return (struct bytes){at, size ? at + size : at}; // data may be NULL then, and NULL + 0 is undefined in C17
}

static inline size_t bytes_left(const struct bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

bool bytes_u8(struct bytes *bytes, uint8_t *out);
bool bytes_u16(struct bytes *bytes, uint16_t *out);
bool bytes_u32(struct bytes *bytes, uint32_t *out);
bool bytes_u64(struct bytes *bytes, uint64_t *out);
bool bytes_varint(struct bytes *bytes, uint64_t *out);
bool bytes_varint32(struct bytes *bytes, uint32_t *out);
bool bytes_svarint(struct bytes *bytes, int64_t *out);
bool bytes_skip(struct bytes *bytes, size_t size);
bool bytes_begin_with(struct bytes whole, struct bytes start);
// Removes the next size bytes from the front into *out, which borrows them.
bool bytes_take(struct bytes *bytes, size_t size, struct bytes *out);

// False when the result would not fit.
bool size_add(size_t a, size_t b, size_t *out);
bool size_multiply(size_t a, size_t b, size_t *out);

// A growing byte sequence. When memory runs out, the content stays as it was, `failed` is set, and further appends do
// nothing: the caller checks `failed` once at the end. Zero-initialise; buffer_free() releases the memory.
struct buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};

void buffer_append(struct buffer *buffer, const void *data, size_t size);
// Appends size uninitialised bytes and returns their address; NULL after a failure.
uint8_t *buffer_extend(struct buffer *buffer, size_t size);
void buffer_u8(struct buffer *buffer, uint8_t value);
void buffer_u16(struct buffer *buffer, uint16_t value);
void buffer_u32(struct buffer *buffer, uint32_t value);
void buffer_u64(struct buffer *buffer, uint64_t value);
void buffer_varint(struct buffer *buffer, uint64_t value);
void buffer_svarint(struct buffer *buffer, int64_t value);
// Appends zeroes until size is a multiple of alignment (a power of two).
void buffer_align(struct buffer *buffer, size_t alignment);
// Empties the buffer and resets `failed`; the memory is kept for the next content.
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);

// For bytes whose length was checked before.
static inline uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint16_t read_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

#endif
