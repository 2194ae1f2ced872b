// Structs of the framework that read like primitives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/text/value_well_known.h"

static struct text written_of(struct buffer *buffer, const struct value_content *content)
{
    buffer_clear(buffer);
    assert_true(value_is_well_known(content));
    assert_true(value_well_known(buffer, content));
    return text_in(buffer);
}

static struct value_content content_of(const struct type *type, const uint8_t *bytes)
{
    return (struct value_content){.encoding = VALUE_STRUCT, .type = type, .bytes = bytes, .size = type->size};
}

static void expect(const char *name, uint32_t size, const uint8_t *bytes, const char *expected)
{
    const struct type type = {.kind = TYPE_STRUCT, .encoding = VALUE_STRUCT, .size = size, .name = text_of(name)};
    struct value_content content = content_of(&type, bytes);
    struct buffer buffer = {0};
    struct text text = written_of(&buffer, &content);
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.at, expected, text.size);
    buffer_free(&buffer);
}

static void expect_iso(const char *name, uint32_t size, const uint8_t *bytes, const char *expected)
{
    const struct type type = {.kind = TYPE_STRUCT, .encoding = VALUE_STRUCT, .size = size, .name = text_of(name)};
    struct value_content content = content_of(&type, bytes);
    struct buffer buffer = {0};
    assert_true(value_well_known_iso(&buffer, &content));
    assert_int_equal(buffer.size, strlen(expected));
    assert_memory_equal(buffer.data, expected, buffer.size);
    buffer_free(&buffer);
}

static void test_dates_of_stories_are_iso(void **state)
{
    static const uint8_t local[8] = {0x00, 0x00, 0x7A, 0xB9, 0x8D, 0xCB, 0xA6, 0x88};
    static const uint8_t utc[8] = {0x01, 0x00, 0x7A, 0xB9, 0x8D, 0xCB, 0xA6, 0x48};
    static const uint8_t day[4] = {0x5A, 0x01}, one[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    (void)state;
    expect_iso("System.DateTime", 8, local, "1976-07-04T16:00:00");
    expect_iso("System.DateTime", 8, utc, "1976-07-04T16:00:00.0000001Z");
    expect_iso("System.DateOnly", 4, day, "0001-12-13");
    expect_iso("System.TimeSpan", 8, one, "-00:00:00.0000001"); // no date
}

static void test_each_reads_like_a_primitive(void **state)
{
    static const uint8_t ones[16] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    static const uint8_t negative[16] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                         0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint8_t local[8] = {0x00, 0x00, 0x7A, 0xB9,
                                     0x8D, 0xCB, 0xA6, 0x88}; // the kind is in the upper two bits
    static const uint8_t half[2] = {0x00, 0x3C}, day[4] = {0x5A, 0x01},
                         noon[8] = {0x00, 0xE0, 0x34, 0x95, 0x64, 0x00, 0x00, 0x00};
    (void)state;
    expect("System.Int128", 16, ones, "18446744073709551617");
    expect("System.Int128", 16, negative, "-1");
    expect("System.UInt128", 16, negative, "340282366920938463463374607431768211455");
    expect("System.Guid", 16, ones, "00000001-0000-0000-0100-000000000000");
    expect("System.DateTime", 8, local, "07/04/1976 16:00:00");
    expect("System.TimeSpan", 8, negative, "-00:00:00.0000001");
    expect("System.Half", 2, half, "1");
    expect("System.DateOnly", 4, day, "12/13/0001");
    expect("System.TimeOnly", 8, noon, "12:00");
}

// The runtime chooses where its two fields lie; a damaged definition may put them anywhere.
static void test_offset_of_a_moment(void **state)
{
    static const uint8_t bytes[16] = {[8] = 0xA6, 0xFF}; // -90 minutes
    struct type_field fields[] = {{.offset = 0, .name = {"_dateTime", 9}},
                                  {.offset = 8, .name = {"_offsetMinutes", 14}}};
    struct type type = {.kind = TYPE_STRUCT,
                        .encoding = VALUE_STRUCT,
                        .size = 16,
                        .name = text_of("System.DateTimeOffset"),
                        .fields = fields,
                        .field_count = 2};
    const uint8_t shifted[16] = {0x00, 0xE0, 0x34, 0x95, 0x64, 0x00, 0x00, 0x00, 0xA6, 0xFF}; // 12:00 UTC
    struct value_content content = content_of(&type, shifted);
    struct buffer buffer = {0};
    (void)state;
    struct text text = written_of(&buffer, &content);
    assert_int_equal(text.size, strlen("01/01/0001 10:30:00 -01:30"));
    assert_memory_equal(text.at, "01/01/0001 10:30:00 -01:30", text.size);
    buffer_clear(&buffer);
    assert_true(value_well_known_iso(&buffer, &content));
    assert_int_equal(buffer.size, strlen("0001-01-01T10:30:00-01:30"));
    assert_memory_equal(buffer.data, "0001-01-01T10:30:00-01:30", buffer.size);
    static const uint32_t outside[] = {15, 16, UINT32_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        fields[1].offset = outside[i];
        buffer_clear(&buffer);
        content.bytes = bytes;
        assert_false(value_well_known(&buffer, &content));
        assert_int_equal(buffer.size, 0);
    }
    fields[1].offset = 8;
    fields[0].offset = 9;
    assert_false(value_well_known(&buffer, &content));
    buffer_free(&buffer);
}

static void test_others_and_cut_ones_are_not(void **state)
{
    static const uint8_t bytes[16];
    const struct type point = {.kind = TYPE_STRUCT, .size = 16, .name = text_of("Shop.Point")};
    const struct type cut = {.kind = TYPE_STRUCT, .size = 15, .name = text_of("System.Guid")};
    struct value_content contents[] = {content_of(&point, bytes), content_of(&cut, bytes)};
    struct buffer buffer = {0};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_false(value_is_well_known(&contents[i]));
        assert_false(value_well_known(&buffer, &contents[i]));
    }
    assert_int_equal(buffer.size, 0);
    buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_reads_like_a_primitive),
        cmocka_unit_test(test_dates_of_stories_are_iso),
        cmocka_unit_test(test_offset_of_a_moment),
        cmocka_unit_test(test_others_and_cut_ones_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
