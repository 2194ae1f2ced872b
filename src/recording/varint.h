// Varints and zigzag coding (doc/recording.md, "Conventions"), inline: the columns of blocks have one for each event, so the
// cost of a call would count. base/bytes.h has the same for everything else.
#ifndef CLEW_RECORDING_VARINT_H
#define CLEW_RECORDING_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum { VARINT_SIZE_MAX = 10, VARINT32_SIZE_MAX = 5 };

// The caller has made room for VARINT_SIZE_MAX bytes. Returns the address behind the last byte.
static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

// Zigzag coding maps differences to unsigned numbers so that small ones of either sign are small: 0, -1, 1, -2 to 0, 1,
// 2, 3.
static inline uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
    return value >> 1 ^ (~(value & 1) + 1);
}

static inline uint32_t zigzag32(uint32_t difference)
{
    return difference << 1 ^ (uint32_t)((int32_t)difference >> 31);
}

static inline uint32_t unzigzag32(uint32_t value)
{
    return value >> 1 ^ (~(value & 1) + 1);
}

// As bytes_varint(), with the one-byte case inline.
static inline bool take_varint(struct bytes *bytes, uint64_t *out)
{
    if (bytes->at < bytes->end && *bytes->at < 0x80) {
        *out = *bytes->at++;
        return true;
    }
    return bytes_varint(bytes, out);
}

static inline bool take_varint32(struct bytes *bytes, uint32_t *out)
{
    uint64_t value = 0;
    bool whole = take_varint(bytes, &value) && value <= UINT32_MAX;
    *out = (uint32_t)value;
    return whole;
}

#endif
