// JSON: commas, nesting, and every kind of text.
#include "view/json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static char *out;
static size_t size;
static struct json json;

static void begin(void)
{
    json = (struct json){.out = open_memstream(&out, &size)};
    assert_non_null(json.out);
}

static void expect(const char *text)
{
    assert_int_equal(fclose(json.out), 0);
    assert_string_equal(out, text);
    free(out);
}

static void test_commas_follow_the_nesting(void **state)
{
    (void)state;
    begin();
    json_open(&json, '{');
    json_member_u64(&json, "a", 18446744073709551615u);
    json_key(&json, "b");
    json_open(&json, '[');
    json_open(&json, '[');
    json_close(&json, ']');
    json_null(&json);
    json_bool(&json, false);
    json_i64(&json, -5);
    json_close(&json, ']');
    json_member_maybe(&json, "c", 7, false);
    json_member_maybe(&json, "d", 7, true);
    json_close(&json, '}');
    expect("{\"a\": 18446744073709551615,\"b\": [[],null,false,-5],\"c\": null,\"d\": 7}");
}

static void text(const char *at, size_t length, const char *expected)
{
    begin();
    json_text(&json, (struct text){at, length});
    expect(expected);
}

static void test_texts_are_escaped(void **state)
{
    (void)state;
    text("", 0, "\"\"");
    text("a\"b\\c/d", 7, "\"a\\\"b\\\\c/d\"");
    text("\n\t\r\0\x1F\x7F", 6, "\"\\n\\t\\u000d\\u0000\\u001f\\u007f\"");
    text("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80", 15,
         "\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80\"");
}

// The same text to who parses it, and nothing that a terminal would obey to who looks at it.
static void test_control_characters_are_escaped(void **state)
{
    (void)state;
    text("\xC2\x9B"
         "1m\xE2\x80\xA8\xE2\x80\xAE",
         10, "\"\\u009b1m\\u2028\\u202e\"");
}

static void test_bytes_that_are_not_utf8_are_replaced(void **state)
{
    (void)state;
    text("a\x80z", 3, "\"a\xEF\xBF\xBDz\"");                             // a lone continuation
    text("\xC0\xAF", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                 // an overlong slash
    text("\xED\xA0\x80", 3, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""); // a surrogate
    text("\xF4\x90\x80\x80", 4, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    text("\xE2\x82", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""); // cut off
    text("\xE2\x82\"", 3, "\"\xEF\xBF\xBD\xEF\xBF\xBD\\\"\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commas_follow_the_nesting),
        cmocka_unit_test(test_texts_are_escaped),
        cmocka_unit_test(test_control_characters_are_escaped),
        cmocka_unit_test(test_bytes_that_are_not_utf8_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
