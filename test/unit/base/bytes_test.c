// Reading never passes the end, writing never forgets a failure, and what was written reads back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

static void fixed_widths_are_little_endian(void **state)
{
    (void)state;
    const uint8_t raw[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct bytes bytes = bytes_of(raw, sizeof raw);
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    assert_true(bytes_u8(&bytes, &u8) && bytes_u16(&bytes, &u16) && bytes_u32(&bytes, &u32) && bytes_u64(&bytes, &u64));
    assert_int_equal(u8, 1);
    assert_int_equal(u16, 0x0302);
    assert_int_equal(u32, 0x07060504);
    assert_true(u64 == 0x0F0E0D0C0B0A0908u);
    assert_int_equal(bytes_left(&bytes), 0);
}

static void a_failed_read_changes_nothing(void **state)
{
    (void)state;
    const uint8_t raw[7] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    struct bytes bytes = bytes_of(raw, sizeof raw), part;
    uint64_t u64;
    int64_t i64;
    assert_false(bytes_u64(&bytes, &u64));
    assert_false(bytes_varint(&bytes, &u64)); // never ends
    assert_false(bytes_svarint(&bytes, &i64));
    assert_false(bytes_skip(&bytes, 8));
    assert_false(bytes_take(&bytes, SIZE_MAX, &part));
    assert_ptr_equal(bytes.at, raw);
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    bytes = bytes_of(raw, 0);
    assert_false(bytes_u8(&bytes, &u8) || bytes_u16(&bytes, &u16) || bytes_u32(&bytes, &u32));
    assert_false(bytes_varint(&bytes, &u64));
}

static void take_splits_in_order(void **state)
{
    (void)state;
    const uint8_t raw[] = {1, 2, 3, 4, 5};
    struct bytes bytes = bytes_of(raw, sizeof raw), part;
    assert_true(bytes_take(&bytes, 2, &part));
    assert_int_equal(bytes_left(&part), 2);
    assert_int_equal(*part.at, 1);
    assert_true(bytes_skip(&bytes, 1));
    assert_true(bytes_take(&bytes, 2, &part));
    assert_int_equal(*part.at, 4);
    assert_true(bytes_take(&bytes, 0, &part));
    assert_int_equal(bytes_left(&part), 0);
}

static void an_empty_range_may_have_a_null_address(void **state)
{
    (void)state;
    struct bytes bytes = bytes_of(NULL, 0), part;
    uint8_t u8;
    assert_int_equal(bytes_left(&bytes), 0);
    assert_true(bytes_skip(&bytes, 0) && bytes_take(&bytes, 0, &part));
    assert_false(bytes_u8(&part, &u8) || bytes_skip(&bytes, 1));
}

static void varints_read_back(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int near = -1; near <= 1; near++) {
            uint64_t value = (UINT64_C(1) << shift) + (uint64_t)(int64_t)near, read;
            int64_t signed_read;
            buffer_clear(&buffer);
            buffer_varint(&buffer, value);
            buffer_svarint(&buffer, (int64_t)value);
            buffer_svarint(&buffer, -(int64_t)(value >> 1));
            struct bytes bytes = bytes_of(buffer.data, buffer.size);
            assert_true(bytes_varint(&bytes, &read) && read == value);
            assert_true(bytes_svarint(&bytes, &signed_read) && signed_read == (int64_t)value);
            assert_true(bytes_svarint(&bytes, &signed_read) && signed_read == -(int64_t)(value >> 1));
            assert_int_equal(bytes_left(&bytes), 0);
        }
    }
    buffer_free(&buffer);
}

static void varints_take_as_few_bytes_as_they_can(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_varint(&buffer, 127);
    assert_int_equal(buffer.size, 1);
    buffer_varint(&buffer, 128);
    assert_int_equal(buffer.size, 3);
    buffer_svarint(&buffer, -64);
    assert_int_equal(buffer.size, 4);
    buffer_varint(&buffer, UINT64_MAX);
    assert_int_equal(buffer.size, 14);
    buffer_free(&buffer);
}

static void varints_beyond_their_type_are_refused(void **state)
{
    (void)state;
    // 2^64 in ten bytes; the tenth may hold one bit only.
    const uint8_t large[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02};
    const uint8_t above_32[] = {0x80, 0x80, 0x80, 0x80, 0x10};
    const uint8_t largest_32[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F};
    struct bytes bytes = bytes_of(large, sizeof large);
    uint64_t u64;
    uint32_t u32;
    assert_false(bytes_varint(&bytes, &u64));
    bytes = bytes_of(above_32, sizeof above_32);
    assert_false(bytes_varint32(&bytes, &u32));
    assert_ptr_equal(bytes.at, above_32);
    bytes = bytes_of(largest_32, sizeof largest_32);
    assert_true(bytes_varint32(&bytes, &u32));
    assert_true(u32 == UINT32_MAX);
}

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    size_t size = 0;
    assert_true(size_add(SIZE_MAX - 1, 1, &size) && size == SIZE_MAX);
    assert_false(size_add(SIZE_MAX, 1, &size));
    assert_true(size_multiply(SIZE_MAX / 2, 2, &size));
    assert_false(size_multiply(SIZE_MAX / 2 + 1, 2, &size));
}

static void a_buffer_grows_and_keeps_its_bytes(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        buffer_u32(&buffer, i);
    }
    assert_int_equal(buffer.size, 40000);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(read_u32(buffer.data + (size_t)i * 4), i);
    }
    buffer_u16(&buffer, 0xABCD);
    assert_int_equal(read_u16(buffer.data + 40000), 0xABCD);
    buffer_align(&buffer, 8);
    assert_int_equal(buffer.size, 40008);
    assert_int_equal(buffer.data[40007], 0);
    buffer_align(&buffer, 8);
    assert_int_equal(buffer.size, 40008);
    buffer_free(&buffer);
    assert_null(buffer.data);
}

static void a_buffer_remembers_that_memory_ran_out(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_u64(&buffer, 0x0102030405060708);
    assert_null(buffer_extend(&buffer, SIZE_MAX - 4)); // wraps
    assert_true(buffer.failed);
    buffer_u8(&buffer, 1);
    assert_int_equal(buffer.size, 8);
    assert_int_equal(buffer.data[0], 8);
    buffer_clear(&buffer);
    buffer_u8(&buffer, 1);
    assert_int_equal(buffer.size, 1);
    assert_false(buffer.failed);
    buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_widths_are_little_endian),
        cmocka_unit_test(a_failed_read_changes_nothing),
        cmocka_unit_test(take_splits_in_order),
        cmocka_unit_test(an_empty_range_may_have_a_null_address),
        cmocka_unit_test(varints_read_back),
        cmocka_unit_test(varints_take_as_few_bytes_as_they_can),
        cmocka_unit_test(varints_beyond_their_type_are_refused),
        cmocka_unit_test(sizes_do_not_wrap),
        cmocka_unit_test(a_buffer_grows_and_keeps_its_bytes),
        cmocka_unit_test(a_buffer_remembers_that_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
