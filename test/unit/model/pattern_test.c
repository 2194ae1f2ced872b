// Parts of printed names, and which methods people mean by them.
#include "model/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/name.h"

static void parts(const char *name, const char *owner, const char *method, const char *parameters, const char *kind)
{
    struct name_parts found = name_parts(text_of(name));
    const struct text all[] = {found.owner, found.method, found.parameters, found.kind};
    const char *const expected[] = {owner, method, parameters, kind};
    for (size_t i = 0; i < 4; i++) {
        if (!text_equal(all[i], text_of(expected[i]))) {
            fail_msg("%s: %.*s is not %s", name, (int)all[i].size, all[i].at, expected[i]);
        }
    }
}

static void test_parts(void **state)
{
    (void)state;
    parts("Shop.Cart.Add(int, string)", "Shop.Cart.", "Add", "(int, string)", "");
    parts("Shop.Cart.AddAsync(int) (async)", "Shop.Cart.", "AddAsync", "(int)", " (async)");
    parts("Shop.Cart..ctor()", "Shop.Cart.", ".ctor", "()", "");
    parts("Shop.Cart.Count.get()", "Shop.Cart.", "Count.get", "()", "");
    parts("Shop.Cart.Main.lambda#1(Cart)", "Shop.Cart.", "Main.lambda#1", "(Cart)", "");
    parts("Shop.Cart.Main.lambda#1.lambda#2()", "Shop.Cart.", "Main.lambda#1.lambda#2", "()", "");
    parts("Shop.Cart<A.B, (C.D, E)>.Add<F.G>((int, int), H<I.J>)", "Shop.Cart<A.B, (C.D, E)>.", "Add<F.G>",
          "((int, int), H<I.J>)", "");
    parts("(over the cap)", "", "(over the cap)", "", "");
    parts("Main", "", "Main", "", "");
    parts("", "", "", "", "");
    parts("..ctor", ".", ".ctor", "", "");
    parts(")", "", ")", "", "");
    parts("get", "", "get", "", "");
}

static void drops(const char *owner, const char *expected)
{
    struct text rest = text_of(owner);
    name_drop_component(&rest);
    assert_true(text_equal(rest, text_of(expected)));
}

static void test_components(void **state)
{
    (void)state;
    drops("Shop.Cart.", "Cart.");
    drops("Shop<A.B>.Cart.", "Cart.");
    drops("Cart.", "");
    drops("", "");
    drops("Cart<A", "");
}

#define MEANS(asked, name) assert_true(pattern_matches(text_of(asked), text_of("Shop"), text_of(name)))
#define NOT(asked, name) assert_false(pattern_matches(text_of(asked), text_of("Shop"), text_of(name)))

static const char add[] = "Shop.Cart.Add(int, string)";

static void test_names_as_printed(void **state)
{
    (void)state;
    MEANS("Shop.Cart.Add(int, string)", add);
    NOT("Shop.Cart.Add(int)", add); // another overload
    MEANS("Shop.Cart.Add", add);
    MEANS("Shop.Cart.Add(...)", add);
    MEANS("...Cart.Add(...)", add);
    MEANS("...Add", add);
    MEANS("Cart.Add", add); // --names short
    MEANS("Cart.Add(int, string)", add);
    NOT("art.Add", add);
    MEANS("Shop.Cart.Count.get()", "Shop.Cart.Count.get()");
    MEANS("Count.get", "Shop.Cart.Count.get()");
    MEANS("Shop.Cart.SaveAsync(int) (async)", "Shop.Cart.SaveAsync(int) (async)");
    MEANS("Shop.Cart.SaveAsync(int)", "Shop.Cart.SaveAsync(int) (async)");
    MEANS("SaveAsync", "Shop.Cart.SaveAsync(int) (async)");
    MEANS("Shop.Cart.Main.lambda#1()", "Shop.Cart.Main.lambda#1()");
}

static void test_methods_and_types(void **state)
{
    (void)state;
    MEANS("Add", add);
    MEANS("Cart", add);
    MEANS("Shop.Cart", add);
    MEANS("Shop", add);
    NOT("Ad", add);
    NOT("Car", add);
    MEANS("Cart", "Shop.Cart<T>.Add(int)");
    MEANS("Add", "Shop.Cart.Add<T>(T)");
    MEANS("Main", "Shop.Cart.Main.lambda#1()"); // what was made of it follows
    MEANS(".ctor", "Shop.Cart..ctor()");
}

static void test_globs(void **state)
{
    (void)state;
    MEANS("*", add);
    MEANS("*Cart*", add);
    MEANS("*.Add(*", add);
    MEANS("*.Add", add);
    NOT("*.Ad", add);
    NOT("Cart.*", add); // a glob says all of it
    MEANS("[Shop]Cart", add);
    MEANS("[Sh*]*", add);
    MEANS("[Shop]", add);
    NOT("[App]Cart", add);
}

static void expect_scope(const char *asked, const char *expected)
{
    struct buffer scope = {0}, back = {0};
    pattern_scope(&scope, text_of(asked));
    assert_true(text_equal(text_in(&scope), text_of(expected)));
    pattern_scope_asked(&back, text_in(&scope));
    assert_true(text_equal(text_in(&back), text_of(asked)));
    buffer_free(&scope);
    buffer_free(&back);
}

// What the agent gets: globs over names without parameters.
static void test_scope(void **state)
{
    (void)state;
    expect_scope("include [*]Shop.*\nexclude [App]*.Cart.?dd\n", "include [*]Shop.*\nexclude [App]*.Cart.?dd\n");
    expect_scope("calls [*]*.Add(int)\n", "calls [*]*.Add(int)\ncalls [*]*.Add\n");
    expect_scope("include [Shop]\nredact Cart\n", "include [Shop]\nredact Cart\n");
    expect_scope("include [*]Cart\n", "include [*]Cart\ninclude [*]*.Cart\ninclude [*]Cart.*\ninclude [*]*.Cart.*\n"
                                      "include [*]Cart<*\ninclude [*]*.Cart<*\n");
    expect_scope("include [*]Shop.Cart.Main.lambda#1()\n", "include [*]Shop.Cart.Main.lambda#1()\n"
                                                           "include [*]Shop.Cart.Main\n"
                                                           "include [*]*.Shop.Cart.Main\ninclude [*]Shop.Cart\n");
    expect_scope("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_names_as_printed),
        cmocka_unit_test(test_methods_and_types),
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
