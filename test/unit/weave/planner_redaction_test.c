// Which values are left out because a name withholds them.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

static void a_redacted_variable_redacts_its_fields(void **state)
{
    (void)state;
    secret_local = 2;
    expect("ldloca.s 2; ldc.i4.7; stfld $x; ret", "L2.x=<redacted>");
    expect("ldloca.s 3; ldflda $a; initobj $Point; ret", "L3.a={0,0}");
    secret_local = UINT32_MAX;
}

static void a_redacted_place_redacts_its_parts(void **state)
{
    (void)state;
    expect("newobj $C..ctor; ldflda $secret; ldc.i4.7; stfld $y; ret", "new o1 @.y=<redacted>");
    expect("newobj $C..ctor; ldflda $secret; ldflda $x; ldc.i4.7; stind.i4; ret", "new o1 @.*=<redacted>");
    expect("newobj $C..ctor; ldflda $secret; ldflda $x; call $Ref; ret", "new o1 @.*=<redacted>");
    expect_instance("ldarg.0; ldflda $secret; ldc.i4.7; stfld $y; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 @.y=<redacted> returns 0");
    secret_local = 6;
    expect("newobj $C..ctor; ldflda $p; stloc.s 6; ldloc.s 6; ldc.i4.7; stfld $y; ret",
           "new o1 L6=<redacted> @.y=<redacted>");
    // Items of an array go by the place that it was taken from.
    secret_local = 9;
    expect("ldc.i4.4; newarr $object; stloc.s 9; ldloc.s 9; ldc.i4.2; ldc.i4.7; stelem.i4; ret",
           "new o1 L9=<redacted> o1[2]=<redacted>");
    expect("ldc.i4.4; newarr $Point; stloc.s 9; ldloc.s 9; ldc.i4.1; ldelema $Point; ldc.i4.8; stfld $x; ret",
           "new o1 L9=<redacted> @.[1].x=<redacted>");
    secret_local = UINT32_MAX;
    // An object's fields go by their own names.
    expect("newobj $C..ctor; ldfld $secret; ldc.i4.7; stfld $f; ret", "new o1 null.f=7");
}

static void a_box_is_redacted_like_its_places(void **state)
{
    (void)state;
    expect("newobj $C..ctor; ldc.i4.1; box $E; stfld $secret; ret", "new o1 new <redacted> o1.secret=<redacted>");
    expect("newobj $C..ctor; ldc.i4.1; box $E; stfld $next; ret", "new o1 new o2 o1.next=o2");
    secret_local = 2;
    expect("ldloc.s 2; box $Point; pop; ret", "new <redacted>");
    expect("ldloc.s 2; box $Point; stloc.s 8; ret", "new <redacted> L8=o1");
    secret_local = 8;
    expect("ldloc.s 2; box $Point; stloc.s 8; ret", "new <redacted> L8=<redacted>");
    expect("ldloc.s 2; box $Point; ldloc.s 8; pop; pop; ret", "new o1"); // something else
    secret_local = UINT32_MAX;
    expect("ldloc.s 2; box $Point; pop; ret", "new o1");
}

// L0 int is called `secret`. What else is set by a test has no name.
static void a_copy_without_a_name_is_redacted(void **state)
{
    (void)state;
    secret_local = 0;
    unnamed_local = 12;
    expect("ldloc.0; conv.i8; stloc.s 12; ret", "L12=<redacted>");
    expect("ldloc.0; ldc.i4.1; add; conv.i8; stloc.s 12; ret", "L12=1L"); // computed
    unnamed_local = 5;
    expect("ldloc.0; stloc.s 5; ret", "L5=<redacted>");
    expect_uses("ldloc.0; stloc.s 5; ldloc.s 5; pop; ret", "L0-><redacted> L5=<redacted> L5-><redacted>");
    // From several sources, and to the secret.
    expect("ldc.i4.0; brtrue.s a; ldc.i4.7; br.s b; a: ldloc.0; b: stloc.s 5; ret", "L5=<redacted>");
    expect("ldc.i4.7; stloc.s 5; ldloc.s 5; stloc.0; ret", "L5=<redacted> L0=<redacted>");
    // From one place without a name to another, the first one further down.
    unnamed_local = UINT32_MAX;
    unnamed_locals = true;
    expect(
        "ldc.i4.0; brtrue.s c; br.s b; a: ldloc.s 5; conv.i8; stloc.s 12; ret; b: ldloc.0; stloc.s 5; br.s a; c: ret",
        "L5=<redacted> L12=<redacted>");
    unnamed_locals = false;
    secret_local = UINT32_MAX;
}

static void a_copy_in_a_struct_or_an_array_without_a_name_is_redacted(void **state)
{
    (void)state;
    secret_local = 0;
    unnamed_local = 2;
    expect("ldloca.s 2; ldloc.0; ldc.i4.2; call $Point..ctor; ret", "L2=<redacted>");
    expect("ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L2={1,2}");
    expect("ldloc.0; ldc.i4.2; newobj $Point..ctor; stloc.s 2; ret", "L2=<redacted>");
    expect("ldc.i4.1; newarr $object; ldc.i4.0; ldloc.0; stelem.i4; ret", "new o1 o1[0]=<redacted>");
    unnamed_local = 9;
    expect("ldc.i4.1; newarr $object; stloc.s 9; ldloc.s 9; ldc.i4.0; ldloc.0; stelem.i4; ret",
           "new o1 L9=<redacted> o1[0]=<redacted>");
    unnamed_local = UINT32_MAX;
    secret_local = UINT32_MAX;
}

static void a_copy_with_a_name_goes_by_that(void **state)
{
    (void)state;
    secret_local = 0;
    expect("ldc.i4.7; stloc.0; ldloc.0; stloc.s 5; ret", "L0=<redacted> L5=7");
    expect("ldc.i4.1; newarr $object; stloc.s 9; ldloc.s 9; ldc.i4.0; ldloc.0; stelem.i4; ret", "new o1 L9=o1 o1[0]=0");
    secret_local = UINT32_MAX;
}

static void a_method_s_result_may_be_redacted(void **state)
{
    (void)state;
    secret_result = true;
    expect_instance("ldarg.0; ldc.i4.5; stfld $f; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f=5 returns <redacted>");
    secret_result = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_redacted_variable_redacts_its_fields),
        cmocka_unit_test(a_redacted_place_redacts_its_parts),
        cmocka_unit_test(a_box_is_redacted_like_its_places),
        cmocka_unit_test(a_copy_without_a_name_is_redacted),
        cmocka_unit_test(a_copy_in_a_struct_or_an_array_without_a_name_is_redacted),
        cmocka_unit_test(a_copy_with_a_name_goes_by_that),
        cmocka_unit_test(a_method_s_result_may_be_redacted),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
