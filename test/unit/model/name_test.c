// The parts of a method's name as reports print it.
#include "model/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

static void test_a_name_is_split_into_its_parts(void **state)
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

// F# allows any character in a name.
static void test_odd_names_are_split_too(void **state)
{
    (void)state;
    parts("Hurt.</script><img src=x>(int)", "Hurt.", "</script><img src=x>", "(int)", "");
    parts("Hurt.x<y(int)", "Hurt.", "x<y", "(int)", "");
    parts("Hurt.a->b(int)", "Hurt.", "a->b", "(int)", "");
    parts("Shop.Hurt<A.B>.a->b(int)", "Shop.Hurt<A.B>.", "a->b", "(int)", "");
    parts("Hurt.gives 3 (three)(int)", "Hurt.", "gives 3 (three)", "(int)", "");
    parts("Hurt.gives 3 (three)", "Hurt.", "gives 3 (three)", "", "");
    parts("Hurt.waits (a while)(int) (async)", "Hurt.", "waits (a while)", "(int)", " (async)");
    parts("Hurt.Waits (async)", "Hurt.", "Waits", "", " (async)"); // shortened
}

static void drops(const char *owner, const char *expected)
{
    struct text rest = text_of(owner);
    name_drop_component(&rest);
    assert_true(text_equal(rest, text_of(expected)));
}

static void test_components_are_dropped_from_the_left(void **state)
{
    (void)state;
    drops("Shop.Cart.", "Cart.");
    drops("Shop<A.B>.Cart.", "Cart.");
    drops("Cart.", "");
    drops("", "");
    drops("Cart<A", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_name_is_split_into_its_parts),
        cmocka_unit_test(test_odd_names_are_split_too),
        cmocka_unit_test(test_components_are_dropped_from_the_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
