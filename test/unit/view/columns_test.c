// Columns of a terminal, whatever locale the process has.
#include "view/text/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
    } cases[] = {{"", 0},          {"Add(int)", 8},     {"Größe", 5},
                 {"計算", 4},      {"\U0001F600!", 3},  {"e\u0301", 1}, // an accent by itself
                 {"ＡＢ", 4},      {"\xEA\xB0\x80", 2}, {"“–€…”", 5},
                 {"a\xF6z", 3},    {"\U000E0FFFx", 2}, // a byte that is no UTF-8; not a character yet
                 {"\U00020BB7", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(columns_of(text_of(cases[i].text)), cases[i].columns);
    }
}

static void test_cut(void **state)
{
    (void)state;
    assert_int_equal(columns_cut(text_of("abc"), 2).size, 2);
    assert_int_equal(columns_cut(text_of("abc"), 9).size, 3);
    assert_int_equal(columns_cut(text_of("計算"), 3).size, 3); // one of them
    assert_int_equal(columns_cut(text_of("üü"), 1).size, 2);
    assert_int_equal(columns_cut(text_of("e\u0301b"), 1).size, 3); // with its accent
    assert_int_equal(columns_cut((struct text){0}, 1).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
