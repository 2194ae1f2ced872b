// What instructions define and use, and whose place it is.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "weave/weave.h"
#include "woven.h"

static void a_local_gets_a_value(void **state)
{
    (void)state;
    expect("ldc.i4.5; stloc.0; ret", "L0=5");
    expect("ldc.i4.m1; conv.i8; stloc.s 12; ret", "L12=-1L");
    expect("ldc.i4.1; stloc.s 11; ret", "L11=1");
    expect("ldc.i4.2; stloc.s 5; ret", "L5=2"); // an enum
    expect("ldc.r8 0x3ff8000000000000; stloc.s 7; ret", "L7=1.5");
    expect("ldc.r4 0x40200000; stloc.s 10; ret", "L10=2.5f");
    expect("ldnull; stloc.1; ret", "L1=null");
    expect("newobj $C..ctor; stloc.s 8; ret", "new o1 L8=o1");
    expect("ldloca.s 0; stloc.s 6; ret", "L6=&"); // a reference: where it points
    expect("ldloca.s 0; conv.u; stloc.s 15; ret", "L15=&");
}

static void structs_are_recorded_whole_or_by_field(void **state)
{
    (void)state;
    expect("call $Make; stloc.2; ret", "L2={3,4}");
    expect("ldloca.s 4; initobj $Big; ret", "L4={0,0,0,0}");
    expect("ldloca.s 2; initobj $Point; ret", "L2={0,0}");
    expect("ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L2={1,2}");
    // A field of a struct in a variable, whose address is not taken; of a struct within one, that struct.
    expect("ldloca.s 2; ldc.i4.7; stfld $x; ret", "L2.x=7");
    expect("ldloca.s 3; ldflda $b; ldc.i4.7; stfld $y; ret", "L3.b={0,7}");
    expect("ldloca.s 3; ldflda $b; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L3.b={1,2}");
    expect("ldloca.s 3; ldflda $a; initobj $Point; ret", "L3.a={0,0}");
}

static void fields_are_recorded_with_their_object(void **state)
{
    (void)state;
    expect("newobj $C..ctor; ldc.i4.5; stfld $f; ret", "new o1 o1.f=5");
    expect("newobj $C..ctor; newobj $C..ctor; stfld $next; ret", "new o1 new o2 o1.next=o2");
    expect("newobj $C..ctor; call $Make; stfld $p; ret", "new o1 o1.p={3,4}");
    expect("newobj $C..ctor; ldc.r8 0x3ff8000000000000; stfld $d; ret", "new o1 o1.d=1.5");
    expect("newobj $C..ctor; ldc.i4 0x101; stfld $flag; ret", "new o1 o1.b=1"); // as a bool has it
    expect("newobj $C..ctor; dup; ldc.i4.5; volatile.; stfld $f; pop; ret", "new o1 o1.f=5");
    expect("newobj $C..ctor; ldflda $p; ldc.i4.7; stfld $y; ret", "new o1 @.y=7");
    expect("newobj $C..ctor; ldnull; stfld $secret; ret", "new o1 o1.secret=<redacted>");
    expect("ldc.i4.5; stsfld $sf; ret", "sf=5");
    expect("ldsflda $sp; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "sp={1,2}");
    expect("ldsflda $sf; ldc.i4.6; stind.i4; ret", "sf=6");
}

static void fields_of_this_need_no_owner(void **state)
{
    (void)state;
    expect_instance("ldarg.0; ldc.i4.5; stfld $f; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f=5 returns 0");
    expect_instance("ldarg.0; ldnull; stfld $secret; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 this.secret=<redacted> returns 0");
    expect_instance("ldarg.0; ldflda $p; ldc.i4.1; ldc.i4.2; call $Point..ctor; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 this.p={1,2} returns 0");
    expect_instance("ldarg.0; ldflda $f; ldc.i4.3; stind.i4; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f=3 returns 0");
    expect_instance("ldarg.0; ldflda $p; initobj $Point; ldc.i4.0; ret", "in P0=o1 P0->o1 this.p={0,0} returns 0");
    // Within a struct of it: by the address of that struct.
    expect_instance("ldarg.0; ldflda $p; ldc.i4.3; stfld $x; ldc.i4.0; ret", "in P0=o1 P0->o1 @.x=3 returns 0");
    expect_instance("ldarg.0; ldflda $f; call $Ref; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f->0 this.f=1 returns 0");
    // Two values that pass through the same local, one right after the other.
    expect_instance("ldc.i4.s 9; ldarg.0; ldc.i4.5; stfld $f; ret", "in P0=o1 P0->o1 this.f=5 returns 9");
    // `this` that changes is a variable like any other.
    expect_instance("ldarg.0; ldc.i4.5; stfld $f; ldnull; starg.s 0; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 o1.f=5 P0=null returns 0");
}

static void a_struct_is_its_own_this(void **state)
{
    (void)state;
    static int32_t point[2] = {3, 4};
    const struct given given = {.method = POINT_SUM, .instruments = INSTRUMENT_VALUES, .arguments = {(intptr_t)point}};
    expect_given(&given, "ldarg.0; ldc.i4.5; stfld $x; ldarg.0; ldfld $x; ret", "in @.P0={3,4} this.x=5 returns 5");
    expect_given(&given, "ldarg.0; initobj $Point; ldc.i4.0; ret", "in @.P0={5,4} @.*={0,0} returns 0");
    expect_given(&given, "ldnull; starg.s 0; ldc.i4.0; ret", "in P0=& P0=nowhere returns 0");
    const struct given called_on_nothing = {.method = POINT_SUM, .instruments = INSTRUMENT_VALUES};
    expect_given(&called_on_nothing, "ldc.i4.0; ret", "returns 0");
    const struct given distrusts = {
        .method = POINT_SUM, .instruments = INSTRUMENT_VALUES, .arguments = {(intptr_t)point}, .distrusts = true};
    expect_given(&distrusts, "ldc.i4.0; ret", "in @.P0={0,0} returns 0");
    const struct given used = {
        .method = POINT_SUM, .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES, .arguments = {(intptr_t)point}};
    expect_given(&used, "ldarg.0; ldfld $x; ret", "in @.P0={0,0} this.x->0 returns 0");
}

static void items_are_recorded_with_array_and_index(void **state)
{
    (void)state;
    expect("ldc.i4.4; newarr $object; stloc.s 9; ldloc.s 9; ldc.i4.2; ldc.i4.7; stelem.i4; ret",
           "new o1 L9=o1 o1[2]=7");
    expect("ldc.i4.4; newarr $object; dup; ldc.i4.1; conv.i; ldnull; stelem.ref; pop; ret", "new o1 o1[1]=null");
    expect("ldc.i4.4; newarr $Point; dup; ldc.i4.1; call $Make; stelem $Point; pop; ret", "new o1 o1[1]={3,4}");
    expect("ldc.i4.4; newarr $Point; dup; ldc.i4.1; ldelema $Point; ldc.i4.8; stfld $x; pop; ret", "new o1 @.[1].x=8");
    expect("ldc.i4.4; newarr $object; stloc.s 14; ldloc.s 14; ldc.i4.1; ldc.i4.2; ldc.i4.7; call $Set; ret",
           "new o1 L14=o1 o1[12]=7");
}

static void stores_through_addresses_are_recorded_with_the_address(void **state)
{
    (void)state;
    static int32_t there = 6;
    memcpy(world_field(CLASS_SP, NULL, &(struct bytes){0}), (int32_t[]){1, 2}, 8);
    const struct given given = {
        .method = CALLS_REF, .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES, .arguments = {(intptr_t)&there}};
    expect_given(&given, "ldarg.0; ldc.i4.5; stind.i4; ret", "in P0=& P0->& @.*=5");
    expect_given(&given, "ldarg.0; ldind.i4; pop; ret", "in P0=& P0->& @.*->5");
    expect_given(&given, "ldarg.0; conv.u; ldc.i4.7; stind.i4; ret", "in P0=& P0->& @.*=7"); // a pointer
    expect("ldloca.s 0; conv.u; stloc.s 15; ldloc.s 15; ldc.i4.1; add; ldc.i4 200; stind.i1; ret",
           "L15=& @.*=200"); // to bytes
    expect("ldloca.s 0; conv.u; stloc.s 15; ldloc.s 15; ldc.i4.m1; stind.i2; ret", "L15=& @.*=-1");
    expect("ldloca.s 0; ldc.i4.5; stind.i4; ret", "L0=5");
    expect("ldloca.s 2; call $Make; stobj $Point; ret", "L2={3,4}");
    expect("newobj $C..ctor; ldflda $p; call $Make; stobj $Point; ret", "new o1 @.*={3,4}");
    expect("newobj $C..ctor; ldflda $p; initobj $Point; ret", "new o1 @.*={0,0}");
    expect("newobj $C..ctor; ldflda $p; ldsflda $sp; cpobj $Point; ret", "new o1 @.*={1,2}");
    expect("ldloca.s 2; ldsflda $sp; cpobj $Point; ret", "L2={1,2}");
    expect("ldc.i4.4; newarr $object; ldc.i4.1; ldelema $E; ldc.i4.5; stind.i4; ret", "new o1 @.*[1]=5");
    // The item itself, a field of a field of it, and both addresses of one array at the same time.
    expect("ldc.i4.4; newarr $Point; ldc.i4.2; ldelema $Point; initobj $Point; ret", "new o1 @.*[2]={0,0}");
    expect("ldc.i4.4; newarr $Line; ldc.i4.2; ldelema $Line; ldflda $b; ldc.i4.7; stfld $y; ret", "new o1 @.[2].y=7");
    expect("ldc.i4.4; newarr $Line; ldc.i4.3; ldelema $Line; ldflda $a; ldflda $x; ldc.i4.7; stind.i4; ret",
           "new o1 @.*[3]=7");
    expect("ldc.i4.4; newarr $Point; dup; ldc.i4.1; ldelema $Point; dup; ldc.i4.8; stfld $x; ldc.i4.s 9; stfld $y; "
           "ldc.i4.2; "
           "ldelema $Point; ldc.i4.5; stfld $x; ret",
           "new o1 @.[1].x=8 @.[1].y=9 @.[2].x=5");
    expect("newobj $C..ctor; ldflda $s; ldnull; stind.ref; ret", "new o1 @.*=null");
}

static void uses_are_recorded_with_their_place(void **state)
{
    (void)state;
    expect_uses("ldc.i4.5; stloc.0; ldloc.0; pop; ret", "L0=5 L0->5");
    expect_uses("ldnull; stloc.1; ldloc.1; pop; ret", "L1=null L1->null");
    expect_uses("call $Make; stloc.2; ldloc.2; pop; ldloca.s 2; ldfld $y; pop; ret", "L2={3,4} L2->{3,4} L2.y->4");
    expect_uses("call $Make; stloc.2; ldloca.s 2; ldobj $Point; pop; ret", "L2={3,4} L2->{3,4}");
    expect_uses("newobj $C..ctor; ldfld $f; pop; ret", "new o1 o1.f->0");
    expect_uses("newobj $C..ctor; ldfld $next; pop; ret", "new o1 o1.next->null");
    expect_uses("ldc.i4.3; stsfld $sf; ldsfld $sf; pop; ret", "sf=3 sf->3");
    expect_uses("ldc.i4.4; newarr $object; ldc.i4.2; ldelem.i4; pop; ret", "new o1 o1[2]->0");
    expect_uses("ldc.i4.4; newarr $Point; ldc.i4.1; ldelem $Point; pop; ret", "new o1 o1[1]->{0,0}");
    expect_uses("ldc.i4.4; newarr $object; stloc.s 14; ldloc.s 14; ldc.i4.1; ldc.i4.2; call $GetItem; pop; ret",
                "new o1 L14=o1 L14->o1 o1[12]->0");
    expect_uses("newobj $C..ctor; ldflda $p; ldfld $x; pop; ret", "new o1 @.x->0");
    expect_instance("ldarg.0; ldfld $f; ret", "in P0=o1 P0->o1 this.f->0 returns 0");
}

// -- Unknown ----------------------------------------------------------------------------------------------------------

static void expect_no_sites(const char *text)
{
    struct made_body made;
    struct buffer named = {0};
    struct weave_plan plan;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = MAIN,
                                        .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES,
                                        .queries = &world_queries,
                                        .struct_limit = 16,
                                        .room = 1024};
    with_tokens(text, &named);
    assert_int_equal(weave_plan(made_body(&made, (const char *)named.data), &method, &plan), CLEW_OK);
    assert_int_equal(plan.count, 0);
    buffer_free(&named);
    made_body_free(&made);
}

// The result of a call is in no variable.
static void a_field_of_a_copy_is_no_place(void **state)
{
    (void)state;
    expect_no_sites("call $Make; ldfld $x; pop; ret");
}

// Arrays have at most 2^32 items: the meaning of an index of 64 bits is undefined.
static void an_item_by_a_wide_index_is_left_out(void **state)
{
    (void)state;
    expect("ldc.i4.4; newarr $object; ldc.i4.2; conv.i8; ldc.i4.7; stelem.i4; ret", "new o1 *=<unknown>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_local_gets_a_value),
        cmocka_unit_test(structs_are_recorded_whole_or_by_field),
        cmocka_unit_test(fields_are_recorded_with_their_object),
        cmocka_unit_test(fields_of_this_need_no_owner),
        cmocka_unit_test(a_struct_is_its_own_this),
        cmocka_unit_test(items_are_recorded_with_array_and_index),
        cmocka_unit_test(stores_through_addresses_are_recorded_with_the_address),
        cmocka_unit_test(uses_are_recorded_with_their_place),
        cmocka_unit_test(a_field_of_a_copy_is_no_place),
        cmocka_unit_test(an_item_by_a_wide_index_is_left_out),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
