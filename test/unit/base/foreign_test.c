// Text from outside as it may be printed.
#include "base/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEXT(literal)                \
    (struct text)                    \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static void expect(struct text text, enum foreign_style style, const char *expected)
{
    struct buffer buffer = {0};
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    foreign_append(&buffer, text, style);
    foreign_write(stream, text, style);
    assert_int_equal(fclose(stream), 0);
    buffer_u8(&buffer, 0);
    assert_string_equal((const char *)buffer.data, expected);
    assert_int_equal(buffer.size, strlen(expected) + 1);
    assert_string_equal(out, expected);
    buffer_free(&buffer);
    free(out);
}

static void test_control_characters_are_escaped(void **state)
{
    (void)state;
    expect(TEXT("a\x1B[2J\x07\0\r\n\x7F z"), FOREIGN_TEXT, "a\\u001B[2J\\u0007\\u0000\\u000D\\u000A\\u007F z");
    expect(TEXT("\tgr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80"), FOREIGN_TEXT,
           "\tgr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80");
    expect(TEXT("\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0"), FOREIGN_TEXT, "\\u0080\\u009B\\u009F\xC2\xA0");
    expect(TEXT("\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\xE2\x80\xAE\xE2\x80\xAF"), FOREIGN_TEXT,
           "\xE2\x80\xA7\\u2028\\u2029\\u202A\\u202E\xE2\x80\xAF");
    expect(
        TEXT(
            "\xD8\x9C\xE2\x80\x8D\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\x90\xE2\x81\xA5\xE2\x81\xA6\xE2\x81\xA9\xE2\x81\xAA"),
        FOREIGN_TEXT, "\\u061C\xE2\x80\x8D\\u200E\\u200F\xE2\x80\x90\xE2\x81\xA5\\u2066\\u2069\xE2\x81\xAA");
}

static void test_bytes_that_are_not_utf8_are_escaped(void **state)
{
    (void)state;
    expect(TEXT("a\x9B"
                "1m\xC0\xAF"),
           FOREIGN_TEXT, "a\\x9B1m\\xC0\\xAF");
    expect(TEXT("\xED\xA0\x80"), FOREIGN_TEXT, "\\xED\\xA0\\x80");
    expect(TEXT("\xED\xA0\x80z\xED\xB0"), FOREIGN_VALUE, "\xEF\xBF\xBDz\\xED\\xB0");
    expect(TEXT("\xF4\x90\x80\x80\xE2\x80"), FOREIGN_TEXT, "\\xF4\\x90\\x80\\x80\\xE2\\x80");
}

// Only where it would be mistaken; a run of them is doubled as a whole.
static void test_backslashes_are_doubled_only_before_escapes(void **state)
{
    (void)state;
    expect(TEXT("C:\\shop\\users\\x.cs \\n \\"), FOREIGN_TEXT, "C:\\shop\\users\\x.cs \\n \\");
    expect(TEXT("\\u001B \\x9b \\u12 \\xz"), FOREIGN_TEXT, "\\\\u001B \\\\x9b \\u12 \\xz");
    expect(TEXT("\\\\server \\\x1B \\\x9B"), FOREIGN_TEXT, "\\\\\\\\server \\\\\\u001B \\\\\\x9B");
    expect(TEXT("C:\\shop \\\\"), FOREIGN_VALUE, "C:\\\\shop \\\\\\\\");
}

static void test_values_are_escaped_by_their_kind(void **state)
{
    (void)state;
    expect(TEXT("a\tb\r\n\x1B\"'"), FOREIGN_VALUE, "a\tb\\r\\n\\u001B\"'");
    expect(TEXT("a\tb\r\n\x1B\"'"), FOREIGN_STRING, "a\\tb\\r\\n\\u001B\\\"'");
    expect(TEXT("a\tb\r\n\x1B\"'"), FOREIGN_CHARACTER, "a\\tb\\r\\n\\u001B\"\\'");
}

static void test_sentences_are_escaped(void **state)
{
    (void)state;
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    foreign_print(stream, "%s: %u of '%.*s'", "a\x1B", 7u, 2, "\xC2\x9B...");
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(out, "a\\u001B: 7 of '\\u009B'");
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_control_characters_are_escaped),
        cmocka_unit_test(test_bytes_that_are_not_utf8_are_escaped),
        cmocka_unit_test(test_backslashes_are_doubled_only_before_escapes),
        cmocka_unit_test(test_values_are_escaped_by_their_kind),
        cmocka_unit_test(test_sentences_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
