// What a mistyped pattern may have meant.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdio.h>

#include "cli/nearest.h"

static uint32_t cost(const char *name, const char *glob)
{
    return nearest_cost(text_of(name), text_of(glob), 1000);
}

static void each_edit_has_a_cost(void **state)
{
    (void)state;
    assert_int_equal(cost("Cart.Add", "Cart.Add"), 0);
    assert_int_equal(cost("Cart.Add", "cart.Add"), 1);
    assert_int_equal(cost("Cart.Add", "Crt.Add"), 2);
    assert_int_equal(cost("Cart.Add", "Caart.Add"), 2);
    assert_int_equal(cost("Cart.Add", "Cort.Add"), 2);
    assert_int_equal(cost("Cart.Add", "Crat.Add"), 4);
    assert_int_equal(cost("Cart.Add", "*.Add"), 0);
    assert_int_equal(cost("Cart.Add", "C*"), 0);
    assert_int_equal(cost("Cart.Add", "Ca?t.*d"), 0);
    assert_int_equal(cost("Cart.Add", "X*d"), 2);
    assert_int_equal(cost("", "**"), 0);
    assert_int_equal(cost("", "ab"), 4);
    assert_int_equal(cost("ab", ""), 4);
    assert_int_equal(nearest_cost(text_of("Cart.Add"), text_of("Cxxx.Add"), 5), UINT32_MAX);
}

// The names found for a pattern in the C# module of the tests, each with a blank behind it.
static const char *near(const char *glob)
{
    static char listed[1024];
    struct nearest nearest;
    nearest_init(&nearest, text_of(glob));
    nearest_add_module(&nearest, "test/fuzz/corpus/metadata/CSharp.dll");
    listed[0] = '\0';
    for (uint32_t i = 0; i < nearest.count; i++) {
        size_t size = strlen(listed);
        (void)snprintf(listed + size, sizeof listed - size, "%s ", nearest.names[i].name);
        assert_true(i == 0 || nearest.names[i - 1].cost <= nearest.names[i].cost);
    }
    nearest_free(&nearest);
    return listed;
}

static bool begins(const char *listed, const char *first)
{
    return text_starts(text_of(listed), first);
}

static void the_closest_come_first(void **state)
{
    (void)state;
    assert_true(begins(near("[CSharp]Program.Mian"), "[CSharp]Program.Main "));
    assert_true(begins(near("[*]Shop.Point.ToSting"), "[CSharp]Shop.Point.ToString "));
    assert_true(begins(near("[CSharp]Shop.IStock<T>.get"), "[CSharp]Shop.IStock<T>.Get "));
    assert_true(begins(near("[CSharp]Shop.Piont..ctor"), "[CSharp]Shop.Point..ctor "));
    assert_true(begins(near("[*]Shop.Point"), "[CSharp]Shop.Point.* ")); // a type is not a method
    assert_string_equal(near("[CShrap]*"), "[CSharp]* ");                // a name that adds nothing is not listed
    assert_string_equal(near("[CSharp]"), "[CSharp]* ");
}

static void distant_words_are_not_offered(void **state)
{
    (void)state;
    struct nearest nearest;
    assert_string_equal(near("[Other]Qqqqqqq.Zzzzzzz.*"), "");
    nearest_init(&nearest, text_of("*"));
    nearest_add_module(&nearest, "/nonexistent");
    nearest_add_module(&nearest, "test/golden/names/CSharp.txt");
    assert_int_equal(nearest.count, 0);
    nearest_free(&nearest);
}

// A pattern as users type it, of names as reports print them.
static void names_are_near_without_their_namespace(void **state)
{
    (void)state;
    struct nearest nearest;
    nearest_init_asked(&nearest, text_of("Cart.Ad(int)"));
    nearest_add_name(&nearest, text_of("Shop.Cart.Remove"));
    nearest_add_name(&nearest, text_of("Shop.Cart.Add"));
    assert_int_equal(nearest.count, 1);
    assert_string_equal(nearest.names[0].name, "Shop.Cart.Add");
    nearest_free(&nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_edit_has_a_cost),
        cmocka_unit_test(the_closest_come_first),
        cmocka_unit_test(distant_words_are_not_offered),
        cmocka_unit_test(names_are_near_without_their_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
