// Bytes of source files as compilers read them: encodings, breaks of lines, columns of symbols.
#include "model/source_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void decodes(const char *bytes, size_t size, const char *expected)
{
    struct buffer into = {0};
    source_text_decode(&into, (struct text){bytes, size});
    buffer_u8(&into, 0);
    assert_string_equal((const char *)into.data, expected);
    buffer_free(&into);
}
#define DECODES(bytes, expected) decodes(bytes, sizeof bytes - 1, expected)

static void test_byte_order_marks_select_the_encoding(void **state)
{
    (void)state;
    DECODES("\xEF\xBB\xBFö計\xF0\x9F\x98\x80", "ö計\xF0\x9F\x98\x80");
    DECODES("\xFF\xFE\xF6\0\x08\x8A\x3D\xD8\x00\xDE", "ö計\xF0\x9F\x98\x80");
    DECODES("\xFE\xFF\0\xF6\x8A\x08\xD8\x3D\xDE\x00", "ö計\xF0\x9F\x98\x80");
    DECODES("\xFF\xFE\0\0\xF6\0\0\0\x08\x8A\0\0\x00\xF6\x01\0", "ö計\xF0\x9F\x98\x80");
    DECODES("\0\0\xFE\xFF\0\0\0\xF6\0\0\x8A\x08\0\x01\xF6\x00", "ö計\xF0\x9F\x98\x80");
    DECODES("\xFF\xFE", "");
}

static void test_text_without_a_mark_is_utf8_or_windows_1252(void **state)
{
    (void)state;
    DECODES("", "");
    DECODES("a\n", "a\n");
    DECODES("ö計\xF0\x9F\x98\x80", "ö計\xF0\x9F\x98\x80");
    DECODES("Gr\xF6\xDF"
            "e \x80 \x9F \xFF",
            "Größe € Ÿ ÿ");
    DECODES("\xC3\xA4\xF6", "Ã¤ö"); // one byte that is no UTF-8, and none is
}

// What is not text in the encoding that the mark names.
static void test_malformed_text_does_no_harm(void **state)
{
    (void)state;
    DECODES("\xFF\xFE\x3D\xD8z\0\x00\xDE\x3D\xD8", "\uFFFDz\uFFFD\uFFFD");
    DECODES("\xFF\xFEz\0z", "z");
    DECODES("\xFF\xFE\0\0\x3D\xD8\0\0\0\0\x11\0\xFF\xFF\xFF\xFFz\0", "\uFFFD\uFFFD\uFFFD");
    DECODES("\xEF\xBB\xBFz\xF6", "z\xF6");
}

static void test_every_kind_of_line_break_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {{"\r\nx", 2},  {"\n\r", 1}, {"\r", 1},   {"\xC2\x85", 2}, {"\u2028x", 3},
                 {"\u2029", 3}, {"\v", 0},   {"\x85", 0}, {"", 0},         {"x\n", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(source_text_break(text_of(cases[i].text), LANGUAGE_CSHARP), cases[i].size);
        assert_int_equal(source_text_break(text_of(cases[i].text), LANGUAGE_OTHER), cases[i].size);
    }
}

static void test_lines_of_fsharp_end_with_line_feeds_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {{"\r\nx", 2}, {"\n\r", 1}, {"\r", 0}, {"\xC2\x85", 0}, {"\u2028x", 0}, {"\u2029", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(source_text_break(text_of(cases[i].text), LANGUAGE_FSHARP), cases[i].size);
    }
}

static void test_columns_count_utf16_units(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint32_t column;
        size_t offset;
    } cases[] = {{"ab", 1, 0},
                 {"ab", 3, 2},
                 {"ab", 4, SIZE_MAX},
                 {"", 1, 0},
                 {"öb", 2, 2},
                 {"計b", 2, 3},
                 {"\xF0\x9F\x98\x80z", 3, 4},
                 {"e\u0301b", 3, 3},
                 {"0123456789abcdefgö計h", 20, 22},
                 {"0123456789", 11, 10},
                 {"0123456ö9", 9, 9},
                 {"\xF6z", 2, 1},              // a byte that is no UTF-8
                 {"\xF0\x9F\x98\x80z", 2, 4}}; // no column of symbols is within a pair
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(source_text_offset(text_of(cases[i].line), cases[i].column), cases[i].offset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte_order_marks_select_the_encoding),
        cmocka_unit_test(test_text_without_a_mark_is_utf8_or_windows_1252),
        cmocka_unit_test(test_malformed_text_does_no_harm),
        cmocka_unit_test(test_every_kind_of_line_break_is_found),
        cmocka_unit_test(test_lines_of_fsharp_end_with_line_feeds_alone),
        cmocka_unit_test(test_columns_count_utf16_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
