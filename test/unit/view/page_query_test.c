// Parameters as clients send them.
#include "view/page/page_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_values(void **state)
{
    struct page_query query;
    struct text value;
    bool bad = false;
    (void)state;
    assert_true(page_query_parse(&query, text_of("from=12&name=a%20b%26%3d%C3%A9&empty=")));
    assert_int_equal(query.count, 3);
    assert_true(page_query_text(&query, "name", &value));
    assert_true(text_equal(value, text_of("a b&=\xC3\xA9")));
    assert_true(page_query_text(&query, "empty", &value));
    assert_int_equal(value.size, 0);
    assert_false(page_query_text(&query, "to", &value));
    assert_int_equal(page_query_number(&query, "from", 7, 12, &bad), 12);
    assert_int_equal(page_query_number(&query, "to", 7, 12, &bad), 7);
    assert_false(bad);
    assert_int_equal(page_query_number(&query, "from", 7, 11, &bad), 7);
    assert_true(bad);
    assert_true(text_equal(*page_query_unknown(&query, "to name empty"), text_of("from")));
    assert_null(page_query_unknown(&query, "empty name from"));
    page_query_free(&query);
}

static void test_malformed(void **state)
{
    static const char *const wrong[] = {"a", "a=1&", "a=1&&b=2", "a=1&a=2", "a=%", "a=%4", "a=%4g", "&", "a=1&b"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct page_query query;
        bool parsed = page_query_parse(&query, text_of(wrong[i]));
        assert_true(!parsed || i == 1); // an end without a parameter is harmless
        page_query_free(&query);
    }
}

static void test_too_many(void **state)
{
    struct page_query query;
    struct buffer text = {0};
    (void)state;
    for (unsigned i = 0; i <= PAGE_PARAMETERS_MAX; i++) {
        buffer_printf(&text, "%sp%u=1", i ? "&" : "", i);
    }
    assert_false(page_query_parse(&query, text_in(&text)));
    page_query_free(&query);
    buffer_free(&text);
}

static void test_numbers(void **state)
{
    static const char *const wrong[] = {"", "-1", "18446744073709551616", "x"};
    struct text text = text_of("18446744073709551615:4");
    uint64_t value;
    (void)state;
    assert_true(page_query_digits(&text, &value));
    assert_true(value == UINT64_MAX && text_equal(text, text_of(":4")));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        text = text_of(wrong[i]);
        assert_false(page_query_digits(&text, &value));
    }
}

static void test_names_that_are_not_utf8(void **state)
{
    (void)state;
    assert_true(page_query_means(text_of("a\xEF\xBF\xBD"
                                         "b"),
                                 text_of("a\xFF"
                                         "b")));
    assert_true(page_query_means(text_of("a"), text_of("a")));
    assert_false(page_query_means(text_of("a"), text_of("ab")));
    assert_false(page_query_means(text_of("ab"), text_of("a")));
    assert_false(page_query_means(text_of("a\xFF"), text_of("a\xFF")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_malformed),
                                       cmocka_unit_test(test_too_many), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_names_that_are_not_utf8)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
