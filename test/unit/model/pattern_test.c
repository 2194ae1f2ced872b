// Which methods a typed name selects.
#include "model/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MEANS(asked, name) assert_true(pattern_matches(text_of(asked), text_of("Shop"), text_of(name)))
#define NOT(asked, name) assert_false(pattern_matches(text_of(asked), text_of("Shop"), text_of(name)))

static const char add[] = "Shop.Cart.Add(int, string)";

static void test_names_match_as_printed(void **state)
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

static void test_names_of_fsharp_match_as_printed(void **state)
{
    (void)state;
    static const char three[] = "Program.gives 3 (three)(int)";
    MEANS(three, three);
    MEANS("gives 3 (three)(int)", three);
    MEANS("gives 3 (three)(...)", three);
    MEANS("gives 3 (three)", three);
    MEANS("Program.gives 3 (three)", three);
    NOT("gives 3", three);
    NOT("gives 3 (three)", "Program.gives 3(int)");
    MEANS("x<y(int)", "Program.x<y(int)");
    MEANS("a->b", "Program.a->b(int)");
    MEANS("...SaveAsync (async)", "Shop.Cart.SaveAsync(int) (async)"); // shortened as far as names are
}

static void test_a_method_or_type_alone_matches(void **state)
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
    MEANS("Helper", "Shop.Helper@Cart.Add(int)"); // of one file or another
    MEANS("Helper@Cart", "Shop.Helper@Cart.Add(int)");
    NOT("Helper@Cart", "Shop.Helper@Shelf.Add(int)");
    MEANS("Main", "Shop.Cart.Main.lambda#1()"); // what was made of it follows
    MEANS(".ctor", "Shop.Cart..ctor()");
}

static void test_globs_match(void **state)
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

// The program's name is no pattern, and nobody asked for it.
static void test_the_name_of_the_program_is_no_pattern(void **state)
{
    (void)state;
    struct buffer scope = {0}, back = {0};
    pattern_scope(&scope, text_of("include [*]A.*\nprogram a(b)\n"));
    assert_true(text_equal(text_in(&scope), text_of("include [*]A.*\nprogram a(b)\n")));
    pattern_scope_asked(&back, text_in(&scope));
    assert_true(text_equal(text_in(&back), text_of("include [*]A.*\n")));
    buffer_free(&scope);
    buffer_free(&back);
}

// What the agent gets: globs over names without parameters.
static void test_patterns_become_lines_of_the_scope(void **state)
{
    (void)state;
    expect_scope("include [*]Shop.*\nexclude [App]*.Cart.?dd\n", "include [*]Shop.*\nexclude [App]*.Cart.?dd\n");
    expect_scope("calls [*]*.Add(int)\n", "calls [*]*.Add(int)\ncalls [*]*.Add\n");
    expect_scope("include [Shop]\nredact Cart\n", "include [Shop]\nredact Cart\n");
    expect_scope("include [*]Cart\n", "include [*]Cart\ninclude [*]*.Cart\ninclude [*]Cart.*\ninclude [*]*.Cart.*\n"
                                      "include [*]Cart<*\ninclude [*]*.Cart<*\n"
                                      "include [*]Cart@*\ninclude [*]*.Cart@*\n");
    expect_scope("include [*]Shop.Cart.Main.lambda#1()\n", "include [*]Shop.Cart.Main.lambda#1()\n"
                                                           "include [*]Shop.Cart.Main\n"
                                                           "include [*]*.Shop.Cart.Main\ninclude [*]Shop.Cart\n");
    expect_scope("include [*]Program.gives 3 (three)(int)\n",
                 "include [*]Program.gives 3 (three)(int)\ninclude [*]Program.gives 3 (three)\n"
                 "include [*]*.Program.gives 3 (three)\n");
    expect_scope("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_match_as_printed),
        cmocka_unit_test(test_names_of_fsharp_match_as_printed),
        cmocka_unit_test(test_a_method_or_type_alone_matches),
        cmocka_unit_test(test_globs_match),
        cmocka_unit_test(test_patterns_become_lines_of_the_scope),
        cmocka_unit_test(test_the_name_of_the_program_is_no_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
