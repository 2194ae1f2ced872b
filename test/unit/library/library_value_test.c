// Payloads of all encodings as values of libclew: how numbers are widened, and what has no value.
#include "library/library_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../opened.h"
#include "../recording_path.h"

static struct clew_value value_of(enum site_encoding encoding, uint32_t low, uint32_t high)
{
    static struct sites *sites;
    static uint32_t cells[2];
    if (!sites) {
        make_sites(path);
        assert_int_equal(sites_load(opened(path), &sites), CLEW_OK);
        keep(sites);
    }
    cells[0] = low;
    cells[1] = high;
    const struct site_value value = {.encoding = encoding, .type = TYPE_INT, .size = 4, .cells = cells};
    return library_value(sites, NULL, 1, &value);
}

static void numbers_are_widened_by_their_encoding(void **state)
{
    (void)state;
    assert_int_equal(value_of(VALUE_I1, 0xFF, 0).integer, -1);
    assert_int_equal(value_of(VALUE_U1, 0xFF, 0).unsigned_integer, 255);
    assert_int_equal(value_of(VALUE_I2, 0x8000, 0).integer, -32768);
    assert_int_equal(value_of(VALUE_U2, 0x8000, 0).unsigned_integer, 32768);
    assert_int_equal(value_of(VALUE_I4, UINT32_MAX, 0).integer, -1);
    assert_int_equal(value_of(VALUE_U4, UINT32_MAX, 0).unsigned_integer, UINT32_MAX);
    assert_true(value_of(VALUE_I8, 0, 0x80000000).integer == INT64_MIN);
    assert_true(value_of(VALUE_U8, 1, 0x80000000).unsigned_integer == UINT64_C(0x8000000000000001));
    assert_true(value_of(VALUE_NATIVE_I, UINT32_MAX, UINT32_MAX).integer == -1);
    assert_true(value_of(VALUE_R4, 0x3FC00000, 0).real == 1.5);
    assert_true(value_of(VALUE_R8, 0, 0x40040000).real == 2.5);
    assert_true(value_of(VALUE_BOOLEAN, 1, 0).boolean);
    assert_false(value_of(VALUE_BOOLEAN, 0, 0).boolean);
    assert_int_equal(value_of(VALUE_CHAR, 'x', 0).kind, CLEW_VALUE_CHARACTER);
    assert_int_equal(value_of(VALUE_CHAR, 'x', 0).unsigned_integer, 'x');
    assert_int_equal(value_of(VALUE_POINTER, 16, 1).kind, CLEW_VALUE_POINTER);
    assert_true(value_of(VALUE_POINTER, 16, 1).unsigned_integer == UINT64_C(0x100000010));
}

static void references_are_objects_null_or_nothing(void **state)
{
    (void)state;
    assert_int_equal(value_of(VALUE_OBJECT, 0, 0).kind, CLEW_VALUE_NULL);
    assert_int_equal(value_of(VALUE_OBJECT, VALUE_OBJECT_INVALID, 0).kind, CLEW_VALUE_UNKNOWN);
    assert_int_equal(value_of(VALUE_OBJECT, 7, 0).kind, CLEW_VALUE_OBJECT);
    assert_int_equal(value_of(VALUE_OBJECT, 7, 0).object, 7);
    assert_int_equal(value_of(VALUE_OBJECT, 7, 0).text.size, 0); // no object is known here
}

static void what_was_not_recorded_has_no_bytes(void **state)
{
    (void)state;
    struct clew_value none = value_of(VALUE_NONE, 0, 0);
    assert_int_equal(none.kind, CLEW_VALUE_UNKNOWN);
    assert_null(none.bytes);
    assert_int_equal(none.byte_count, 0);
    assert_int_equal(none.type.size, strlen("System.Int32"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_widened_by_their_encoding),
        cmocka_unit_test(references_are_objects_null_or_nothing),
        cmocka_unit_test(what_was_not_recorded_has_no_bytes),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
