// Names of methods, whole and shortened.
#include "view/text/format_method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void short_name(const char *name, const char *expected)
{
    struct text head, tail;
    char joined[256];
    format_short_name(text_of(name), &head, &tail);
    (void)snprintf(joined, sizeof joined, "%.*s%.*s", (int)head.size, head.at, (int)tail.size, tail.at);
    assert_string_equal(joined, expected);
}

static void test_short_names(void **state)
{
    (void)state;
    short_name("Shop.Cart.Add(int, string)", "Shop.Cart.Add");
    short_name("Shop.Cart..ctor()", "Shop.Cart..ctor");
    short_name("Shop.Cart.AddAsync(int) (async)", "Shop.Cart.AddAsync (async)");
    short_name("Shop.Cart.All() (iterator)", "Shop.Cart.All (iterator)");
    short_name("Shop.Cart.Pair((int, string), (int, (int, int)))", "Shop.Cart.Pair");
    short_name("Shop.Cart.Add.lambda#1(int)", "Shop.Cart.Add.lambda#1");
    short_name("Shop.Cart.Count.get", "Shop.Cart.Count.get");
    short_name("(over the cap)", "(over the cap)");
    short_name("(method 17)", "(method 17)");
    short_name(")", ")");
    short_name("a)", "a)");
    short_name("", "");
}

static void method(const char *text, uint32_t room, enum view_names names, const char *expected)
{
    char *out = NULL;
    size_t size = 0;
    struct view view = {.out = open_memstream(&out, &size), .width = room ? 40 + room : 0, .names = names};
    assert_non_null(view.out);
    size_t columns = format_method(&view, text_of(text), 40);
    assert_int_equal(fclose(view.out), 0);
    assert_string_equal(out, expected);
    assert_int_equal(columns, strlen(expected));
    free(out);
}

static void test_methods_fit_the_terminal(void **state)
{
    (void)state;
    static const char add[] = "Shop.Orders.Cart.AddMany(int, string)", async[] = "Shop.Cart.SaveAsync(int) (async)";
    method(add, 0, VIEW_NAMES_FIT, add);
    method(add, 37, VIEW_NAMES_FIT, add);
    method(add, 36, VIEW_NAMES_FIT, "Shop.Orders.Cart.AddMany(...)"); // parameters first
    method(add, 28, VIEW_NAMES_FIT, "...Orders.Cart.AddMany(...)");   // then from the left
    method(add, 26, VIEW_NAMES_FIT, "...Cart.AddMany(...)");
    method(add, 17, VIEW_NAMES_FIT, "...Cart.AddMany");
    method(add, 12, VIEW_NAMES_FIT, "...AddMany");
    method(add, 1, VIEW_NAMES_FIT, "...AddMany"); // never the method
    method(async, 25, VIEW_NAMES_FIT, "...Cart.SaveAsync (async)");
    method("Shop.Cart.Count.get()", 12, VIEW_NAMES_FIT, "...Count.get");
    method(add, 12, VIEW_NAMES_FULL, add);
    method(add, 0, VIEW_NAMES_SHORT, "Cart.AddMany(...)");
    method("Shop.Cart..ctor()", 0, VIEW_NAMES_SHORT, "Cart..ctor()");
    method(async, 0, VIEW_NAMES_SHORT, "Cart.SaveAsync(...) (async)");
    method("Main", 2, VIEW_NAMES_FIT, "Main");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_names),
        cmocka_unit_test(test_methods_fit_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
