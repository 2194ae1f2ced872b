// Names of tuple items are found where they belong, and in whatever a damaged text says nothing is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/tuple_names.h"

static void assert_text(struct text text, const char *expected)
{
    assert_true(text_equal(text, text_of(expected)));
}

static void items_have_their_names(void **state)
{
    (void)state;
    struct text names = text_of("(Count,,nested(a,(,b)),map<,(k,v)>)"), own, inner;
    assert_text(tuple_names_item(names, 0, &own), "Count");
    assert_text(own, "");
    assert_text(tuple_names_item(names, 1, &own), "");
    assert_text(tuple_names_item(names, 2, &own), "nested");
    assert_text(own, "(a,(,b))");
    assert_text(tuple_names_item(own, 1, &inner), "");
    assert_text(inner, "(,b)");
    assert_text(tuple_names_item(names, 3, &own), "map");
    assert_text(tuple_names_argument(own, 1), "(k,v)");
    assert_text(tuple_names_item(names, 4, &own), "");
    assert_text(own, "");
}

static void arguments_have_their_names(void **state)
{
    (void)state;
    struct text names = text_of("<,(a,b),<(c,d)>>");
    assert_text(tuple_names_argument(names, 0), "");
    assert_text(tuple_names_argument(names, 1), "(a,b)");
    assert_text(tuple_names_argument(names, 2), "<(c,d)>");
    assert_text(tuple_names_argument(names, 3), "");
    assert_text(tuple_names_argument(text_of("(a,b)"), 0), "");
}

static void fields_may_have_a_type_argument_as_type(void **state)
{
    (void)state;
    struct text holder = text_of("<,(a,b)>");
    assert_text(tuple_names_of_field(text_of("(x,y)"), holder), "(x,y)");
    assert_text(tuple_names_of_field(text_of("!1"), holder), "(a,b)");
    assert_text(tuple_names_of_field(text_of("!0"), holder), "");
    assert_text(tuple_names_of_field(text_of("!99999999999"), holder), "");
    assert_text(tuple_names_of_field(text_of("!x"), holder), "");
    assert_text(tuple_names_of_field((struct text){0}, holder), "");
}

static void all_names_can_be_listed(void **state)
{
    (void)state;
    struct text names = text_of("<,(a,,b(c,!1))>"), name;
    static const char *const expected[] = {"a", "b", "c", "1"};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(tuple_names_take(&names, &name));
        assert_text(name, expected[i]);
    }
    assert_false(tuple_names_take(&names, &name));
}

static void names_that_would_be_misread_do_not_fit(void **state)
{
    (void)state;
    assert_true(tuple_names_fit(text_of("\xC3\x84pfel_2")));
    static const char *const unfit[] = {"a,b", "a(", ")", "<a>", "!1", "a b", "a\n"};
    for (unsigned i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        assert_false(tuple_names_fit(text_of(unfit[i])));
    }
}

static void damaged_texts_give_no_names(void **state)
{
    (void)state;
    static const char *const damaged[] = {"", "(", "(a", "a,b", ")", "((a,b)", "<", ",", "(a(b,c,d)"};
    for (unsigned i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        for (uint32_t index = 0; index < 3; index++) {
            struct text own;
            assert_text(tuple_names_item(text_of(damaged[i]), index, &own), "");
            assert_text(own, "");
            assert_text(tuple_names_argument(text_of(damaged[i]), index), "");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_have_their_names),
        cmocka_unit_test(arguments_have_their_names),
        cmocka_unit_test(fields_may_have_a_type_argument_as_type),
        cmocka_unit_test(all_names_can_be_listed),
        cmocka_unit_test(names_that_would_be_misread_do_not_fit),
        cmocka_unit_test(damaged_texts_give_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
