// Payloads of blocks that are cut and changed: a decoder must say DAMAGED, or give something else that is whole, and stay
// within the bytes. Included by one file a program.
#ifndef CLEW_TEST_RECORDING_PAYLOAD_H
#define CLEW_TEST_RECORDING_PAYLOAD_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>

#include "recording/codec.h"

typedef enum clew_error decode_payload(const struct block_header *header, struct bytes payload);

// The same bytes in memory of just that size, so that a tool that watches memory sees what is read beyond.
static inline enum clew_error decode_copy(decode_payload *decode, const struct block_header *header,
                                          const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    enum clew_error error = decode(header, bytes_of(copy, size));
    free(copy);
    return error;
}

// The payload holds, no part from its start does, and it does not with a byte more.
static inline void expect_exact(decode_payload *decode, const struct block_header *header, const struct buffer *payload)
{
    assert_int_equal(decode_copy(decode, header, payload->data, payload->size), CLEW_OK);
    for (size_t size = 0; size < payload->size; size++) {
        assert_int_equal(decode_copy(decode, header, payload->data, size), CLEW_DAMAGED);
    }
    struct buffer longer = {0};
    buffer_append(&longer, payload->data, payload->size);
    buffer_u8(&longer, 0);
    assert_int_equal(decode_copy(decode, header, longer.data, longer.size), CLEW_DAMAGED);
    buffer_free(&longer);
}

// Every byte in turn gets every value: what comes of it is right or DAMAGED, and nothing else happens.
static inline void expect_no_harm(decode_payload *decode, const struct block_header *header,
                                  const struct buffer *payload)
{
    for (size_t i = 0; i < payload->size; i++) {
        uint8_t byte = payload->data[i];
        for (unsigned value = 0; value < 256; value++) {
            payload->data[i] = (uint8_t)value;
            enum clew_error error = decode_copy(decode, header, payload->data, payload->size);
            assert_true(error == CLEW_OK || error == CLEW_DAMAGED);
        }
        payload->data[i] = byte;
    }
}

#endif
