// Names of types as people write them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/text/value.h"

static void expect_short(const char *full, const char *expected)
{
    struct buffer text = {0};
    value_short_type(&text, text_of(full));
    buffer_u8(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    buffer_free(&text);
}

static void type_names_for_people(void **state)
{
    (void)state;
    expect_short("System.String", "string");
    expect_short("Shop.Cart", "Cart");
    expect_short("Cart", "Cart");
    expect_short("System.Int32[,][]", "int[,][]");
    expect_short("System.Collections.Generic.Dictionary<System.String, System.ValueTuple<System.Int32, Shop.Point>[]>",
                 "Dictionary<string, (int, Point)[]>");
    expect_short("Shop.Map<System.Byte, T>.Node", "Map<byte, T>.Node");
    expect_short("System.Nullable<System.Decimal>", "decimal?");
    expect_short("Shop.Program.<Main>d__0", "Main()");
    expect_short("Shop.Program.<All>d__3<System.Int64>", "All<long>()");
    expect_short("Shop.Program.<Shop.IStock.All>d__3", "Shop.IStock.All()");
    expect_short("Shop.Program.<>c__DisplayClass0_0.<<Run>g__Twice|2>d", "Run.Twice()");
    expect_short("Box<Shop.Program.<<Run>g__Twice|2>d>", "Box<Run.Twice()>");
    expect_short("Shop.Program.VB$StateMachine_3_Squares", "Squares()");
    expect_short("<>f__AnonymousType0<System.Int32, Shop.Cart>", "AnonymousType0<int, Cart>");
    expect_short("VB$AnonymousDelegate_0<System.Int32>", "AnonymousDelegate_0<int>");
    expect_short("Shop.Program.<Odd", "Shop.Program.<Odd");
    expect_short("System.Byte*", "byte*");
    for (unsigned i = 0; i < 3; i++) { // stay as they are
        static const char *const odd[] = {"Shop.Map<System.Int32", "", "Shop.Cart extra"};
        expect_short(odd[i], odd[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_names_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
