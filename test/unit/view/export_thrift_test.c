// Thrift's compact protocol, as its specification gives it: field headers with differences of numbers, zigzag integers, lists.
#include "view/export/export_thrift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void fields_follow_each_other(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {0x15, 0x02, 0x26, 0x01, 0x18, 0x02, 'a', 'b', 0x00};
    struct buffer out = {0};
    struct thrift thrift = {.out = &out};
    thrift_i32(&thrift, 1, 1);  // field 1, type 5, zigzag 2
    thrift_i64(&thrift, 3, -1); // two further, type 6, zigzag 1
    thrift_text(&thrift, 4, text_of("ab"));
    thrift_end(&thrift);
    assert_int_equal(out.size, sizeof wanted);
    assert_memory_equal(out.data, wanted, sizeof wanted);
    buffer_free(&out);
}

static void a_struct_counts_its_own_fields(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {0x5c, 0x15, 0x0e, 0x00, 0x15, 0x00, 0x00};
    struct buffer out = {0};
    struct thrift thrift = {.out = &out};
    struct thrift within = thrift_struct(&thrift, 5);
    thrift_i32(&within, 1, 7);
    thrift_end(&within);
    thrift_i32(&thrift, 6, 0);
    thrift_end(&thrift);
    assert_int_equal(out.size, sizeof wanted);
    assert_memory_equal(out.data, wanted, sizeof wanted);
    buffer_free(&out);
}

static void long_lists_have_a_length_of_their_own(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct thrift thrift = {.out = &out};
    thrift_list(&thrift, 2, THRIFT_I32, 1);
    thrift_item_i32(&thrift, -2);
    thrift_list(&thrift, 3, THRIFT_BINARY, 200);
    for (uint32_t i = 0; i < 200; i++) {
        thrift_item_text(&thrift, text_of(""));
    }
    static const uint8_t wanted[] = {0x29, 0x15, 0x03, 0x19, 0xf8, 0xc8, 0x01};
    assert_int_equal(out.size, sizeof wanted + 200);
    assert_memory_equal(out.data, wanted, sizeof wanted);
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_follow_each_other),
        cmocka_unit_test(a_struct_counts_its_own_fields),
        cmocka_unit_test(long_lists_have_a_length_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
