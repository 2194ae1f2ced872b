// See base64.h.
#include "serve/base64.h"

#include "base/assert.h"

void base64_append(struct buffer *into, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *at = data;
    CLEW_ASSERT(sizeof digits == 65);
    uint8_t *out = buffer_extend(into, (size + 2) / 3 * 4);
    for (size_t i = 0; out && i < size; i += 3, out += 4) {
        size_t left = size - i;
        uint32_t bits = (uint32_t)at[i] << 16;
        bits |= left > 1 ? (uint32_t)at[i + 1] << 8 : 0;
        bits |= left > 2 ? at[i + 2] : 0;
        out[0] = (uint8_t)digits[bits >> 18];
        out[1] = (uint8_t)digits[bits >> 12 & 63];
        out[2] = left > 1 ? (uint8_t)digits[bits >> 6 & 63] : '=';
        out[3] = left > 2 ? (uint8_t)digits[bits & 63] : '=';
    }
}
