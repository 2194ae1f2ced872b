// The variables that calls write to and use by the addresses that they get.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

static void places_that_calls_write_are_read_after_the_call(void **state)
{
    (void)state;
    expect("ldloca.s 0; call $Ref; ret", "L0=1");
    expect("ldloca.s 0; call $Out; stloc.0; ret", "L0=42 L0=1");
    expect("ldloca.s 0; call $In; ret", "");
    expect("ldloca.s 0; call $Elsewhere; ret", "L0=1");
    expect("ldloca.s 2; ldflda $y; call $Ref; ret", "L2.y=1");
    expect("newobj $C..ctor; ldflda $f; call $Ref; ret", "new o1 @.*=1");
    expect("ldc.i4.4; newarr $object; ldc.i4.1; ldelema $E; call $Ref; ret", "new o1 @.*[1]=1");
    expect("ldc.i4.4; newarr $Point; ldc.i4.1; ldelema $Point; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret",
           "new o1 @.*[1]={1,2}");
    // Two addresses at once, of one place and of two.
    const struct given twice = {.method = MAIN, .instruments = INSTRUMENT_VALUES, .leaves_addresses = true};
    expect_given(&twice, "newobj $C..ctor; ldflda $f; dup; call $Both; ret", "new o1 @.*=2 @.*=2");
    expect("newobj $C..ctor; dup; ldflda $f; newobj $C..ctor; ldflda $f; call $Both; pop; ret",
           "new o1 new o2 @.*=1 @.*=2");
    // The result of the call is there as well.
    expect("newobj $C..ctor; ldflda $f; call $Out; stloc.0; ret", "new o1 @.*=42 L0=1");
}

static void references_from_elsewhere_are_read_with_care(void **state)
{
    (void)state;
    static int32_t there = 6;
    struct given given = {.method = CALLS_REF, .instruments = INSTRUMENT_VALUES, .arguments = {(intptr_t)&there}};
    expect_given(&given, "ldarg.0; call $Elsewhere; ret", "in P0=& @.*=7");
    expect_given(&given, "ldarg.0; call $Where; ldc.i4.2; stind.i4; ret", "in P0=& @.*=7 @.*=2");
    // Where the module may have made an invalid reference, no reference that a call got is read...
    given.distrusts = true;
    expect_given(&given, "ldarg.0; call $Elsewhere; ret", "in P0=& *=<unsafe>");
    // ...but a reference that the program has just written through is valid.
    expect_given(&given, "ldarg.0; ldc.i4.1; stind.i4; ret", "in P0=& @.*=1");
    // A null reference is not followed.
    given.distrusts = false;
    given.arguments[0] = 0;
    expect_given(&given, "ldarg.0; call $Where; pop; ret", "in P0=nowhere");
}

static void calls_use_variables_whose_address_they_get(void **state)
{
    (void)state;
    expect_uses("call $Make; stloc.2; ldloca.s 2; call $Point.Sum; pop; ret", "L2={3,4} L2->{3,4}");
    expect_uses("ldc.i4.5; stloc.0; ldloca.s 0; call $Ref; ret", "L0=5 L0->5 L0=6");
    expect_uses("ldc.i4.5; stloc.0; ldloca.s 0; call $In; ret", "L0=5 L0->5");
    expect_uses("ldc.i4.5; stloc.0; ldloca.s 0; call $Out; pop; ret", "L0=5 L0=42");
}

static void tail_calls_stay(void **state)
{
    (void)state;
    expect("ldloca.s 0; tail.; call $Elsewhere; ret", "");
    const struct given given = {.method = ADD, .instruments = INSTRUMENT_VALUES};
    expect_given(&given, "ldarg.0; ldarg.1; call $Add; ret", "in P0=0 in P1=null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_that_calls_write_are_read_after_the_call),
        cmocka_unit_test(references_from_elsewhere_are_read_with_care),
        cmocka_unit_test(calls_use_variables_whose_address_they_get),
        cmocka_unit_test(tail_calls_stay),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
