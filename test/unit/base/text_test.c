// Patterns, formatted text and the conversion from UTF-16.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

static bool matches(const char *text, const char *pattern)
{
    return text_matches(text_of(text), text_of(pattern));
}

static void stars_match_any_run(void **state)
{
    (void)state;
    assert_true(matches("[Shop]Shop.Cart.Add", "*"));
    assert_true(matches("", "*"));
    assert_true(matches("[Shop]Shop.Cart.Add", "[Shop]*"));
    assert_true(matches("[Shop]Shop.Cart.Add", "*.Add"));
    assert_true(matches("[Shop]Shop.Cart.Add", "[Shop]*.Add"));
    assert_true(matches("[Shop]Shop.Cart.Add", "[Shop]Shop*Cart**Add*"));
    assert_false(matches("[Shop]Shop.Cart.Add", "[Shop]*.Ad"));
    assert_false(matches("[Shop]Shop.Cart.Add", "[Shop]*.Addd"));
    assert_true(matches("aab", "*ab"));
    assert_true(matches("abcabd", "*abd"));
}

static void question_marks_match_one_character(void **state)
{
    (void)state;
    assert_true(matches("Add", "A?d"));
    assert_false(matches("Ad", "A?d"));
    assert_false(matches("Addd", "A?d"));
    assert_true(matches("Add", "*?"));
    assert_false(matches("", "?"));
    assert_true(matches("a?c", "a?c"));
}

static void other_characters_match_themselves(void **state)
{
    (void)state;
    assert_true(matches("", ""));
    assert_false(matches("a", ""));
    assert_false(matches("", "a"));
    assert_false(matches("add", "Add"));
    assert_true(matches("a[b]", "a[b]"));
    assert_false(matches("ab", "a[b]"));
}

static void hostile_patterns_end_in_time(void **state)
{
    (void)state;
    char text[4001], pattern[2001];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (size_t i = 0; i + 1 < sizeof pattern; i += 2) {
        memcpy(pattern + i, "a*", 2);
    }
    pattern[sizeof pattern - 2] = 'b';
    pattern[sizeof pattern - 1] = 0;
    assert_false(matches(text, pattern)); // exponential in a naive matcher
}

static void starts_ends_and_equal_texts_are_found(void **state)
{
    (void)state;
    struct text text = text_of("Cart.dll");
    assert_true(text_starts(text, "Cart") && text_starts(text, "") && !text_starts(text, "Cart.dll2"));
    assert_true(text_ends(text, ".dll") && text_ends(text, "") && !text_ends(text, "aCart.dll"));
    assert_true(text_equal(text, text_of("Cart.dll")) && !text_equal(text, text_of("Cart.dl")));
    assert_true(text_equal((struct text){0}, text_of("")));
    assert_int_equal(text_of(NULL).size, 0);
}

static void the_rest_of_a_text_may_be_empty(void **state)
{
    (void)state;
    const struct text text = text_of("Add");
    assert_true(text_equal(text_from(text, 1), text_of("dd")));
    assert_int_equal(text_from(text, 3).size, 0);
    assert_ptr_equal(text_from(text, 3).at, text.at + 3); // not NULL, for functions of memory
    assert_int_equal(text_from((struct text){0}, 0).size, 0);
}

static void printf_appends_without_a_terminator(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_text(&buffer, "n=");
    buffer_printf(&buffer, "%d %s", 42, "apples");
    buffer_printf(&buffer, "%s", "");
    assert_int_equal(buffer.size, strlen("n=42 apples"));
    assert_memory_equal(buffer.data, "n=42 apples", buffer.size);
    buffer_free(&buffer);
}

static void utf16_becomes_utf8(void **state)
{
    (void)state;
    const uint16_t units[] = {'a', 0xE9, 0x20AC, 0xD83D, 0xDE00, 0xD800, 'b', 0xDC00, 0xDBFF};
    struct buffer buffer = {0};
    buffer_utf16(&buffer, units, sizeof units / sizeof *units);
    const char expected[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBD"
                            "b\xEF\xBF\xBD\xEF\xBF\xBD";
    assert_int_equal(buffer.size, sizeof expected - 1);
    assert_memory_equal(buffer.data, expected, buffer.size);
    buffer_free(&buffer);
}

static void lone_surrogates_are_kept_in_wtf8(void **state)
{
    (void)state;
    const uint16_t units[] = {0xD83D, 0xDE00, 0xD800, 'b', 0xDC00};
    struct buffer buffer = {0};
    buffer_wtf16(&buffer, units, sizeof units / sizeof *units);
    const char expected[] = "\xF0\x9F\x98\x80\xED\xA0\x80"
                            "b\xED\xB0\x80";
    assert_int_equal(buffer.size, sizeof expected - 1);
    assert_memory_equal(buffer.data, expected, buffer.size);
    buffer_free(&buffer);
}

static void sized_text_reads_back(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_sized_text(&buffer, text_of("Cart"));
    buffer_sized_text(&buffer, text_of(""));
    struct bytes bytes = bytes_of(buffer.data, buffer.size);
    struct text text;
    assert_true(bytes_sized_text(&bytes, &text) && text_equal(text, text_of("Cart")));
    assert_true(bytes_sized_text(&bytes, &text) && text.size == 0);
    bytes = bytes_of(buffer.data, 4); // the text is cut
    assert_false(bytes_sized_text(&bytes, &text));
    assert_ptr_equal(bytes.at, buffer.data);
    buffer_free(&buffer);
}

static void lines_and_words_are_split_off(void **state)
{
    (void)state;
    struct text text = text_of("redact a b\n\nlast"), line;
    assert_true(text_take_line(&text, &line));
    assert_true(text_equal(text_take_word(&line), text_of("redact")));
    assert_true(text_equal(line, text_of("a b")));
    assert_true(text_take_line(&text, &line));
    assert_int_equal(line.size, 0);
    assert_int_equal(text_take_word(&line).size, 0);
    assert_true(text_take_line(&text, &line));
    assert_true(text_equal(text_take_word(&line), text_of("last")));
    assert_int_equal(line.size, 0);
    assert_false(text_take_line(&text, &line));
    text = (struct text){0};
    assert_false(text_take_line(&text, &line));
}

static void texts_are_ordered_by_bytes(void **state)
{
    (void)state;
    assert_true(text_compare(text_of("ab"), text_of("b")) < 0);
    assert_true(text_compare(text_of("ab"), text_of("a")) > 0);
    assert_true(text_compare((struct text){0}, text_of("a")) < 0);
    assert_int_equal(text_compare(text_of("ab"), text_of("ab")), 0);
}

static void blanks_at_both_ends_are_trimmed(void **state)
{
    (void)state;
    assert_true(text_equal(text_trimmed(text_of(" \ta b\r ")), text_of("a b")));
    assert_int_equal(text_trimmed(text_of(" \t")).size, 0);
    assert_int_equal(text_trimmed((struct text){0}).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_match_any_run),
        cmocka_unit_test(texts_are_ordered_by_bytes),
        cmocka_unit_test(blanks_at_both_ends_are_trimmed),
        cmocka_unit_test(question_marks_match_one_character),
        cmocka_unit_test(other_characters_match_themselves),
        cmocka_unit_test(hostile_patterns_end_in_time),
        cmocka_unit_test(starts_ends_and_equal_texts_are_found),
        cmocka_unit_test(the_rest_of_a_text_may_be_empty),
        cmocka_unit_test(printf_appends_without_a_terminator),
        cmocka_unit_test(utf16_becomes_utf8),
        cmocka_unit_test(lone_surrogates_are_kept_in_wtf8),
        cmocka_unit_test(sized_text_reads_back),
        cmocka_unit_test(lines_and_words_are_split_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
