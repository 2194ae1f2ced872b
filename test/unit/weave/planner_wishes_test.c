// How the event of a site is made, and whose values are left out.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "weave/plan.h"
#include "woven.h"

static void a_redacted_variable_hides_its_fields(void **state)
{
    (void)state;
    secret_local = 2;
    expect("ldloca.s 2; ldc.i4.7; stfld $x; ret", "L2.x=<redacted>");
    expect("ldloca.s 3; ldflda $a; initobj $Point; ret", "L3.a={0,0}");
    secret_local = UINT32_MAX;
}

static void a_redacted_place_hides_what_is_within(void **state)
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
           "new o1 L9=<redacted> @.x=<redacted>");
    secret_local = UINT32_MAX;
    // An object's fields go by their own names.
    expect("newobj $C..ctor; ldfld $secret; ldc.i4.7; stfld $f; ret", "new o1 null.f=7");
}

static void a_box_is_as_secret_as_its_places(void **state)
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

static void a_method_may_have_a_secret_as_its_result(void **state)
{
    (void)state;
    secret_result = true;
    expect_instance("ldarg.0; ldc.i4.5; stfld $f; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f=5 returns <redacted>");
    secret_result = false;
}

// -- How an event is made ---------------------------------------------------------------------------------------------

static struct made_body made;

// What makes the event of the last site of a kind; the body is a method's without result.
static struct weave_tap tap_of(enum site_kind kind, uint32_t token, uint32_t locals_token, const char *text)
{
    struct buffer named = {0};
    struct weave_plan plan;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = token,
                                        .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES,
                                        .questions = &world_questions,
                                        .struct_limit = 256,
                                        .room = 1024};
    with_tokens(text, &named);
    made_body(&made, (const char *)named.data)->locals_token = locals_token;
    assert_int_equal(weave_plan(&made.body, &method, &plan), CLEW_OK);
    struct weave_tap found = {.at = UINT32_MAX};
    for (uint32_t i = 0; i < plan.details->tap_count; i++) {
        const struct weave_tap *tap = &plan.details->taps[i];
        found = !tap->without_event && plan.sites[tap->site].kind == kind ? *tap : found;
    }
    assert_true(found.at != UINT32_MAX);
    buffer_free(&named);
    made_body_free(&made);
    return found;
}

static enum weave_way way_of_store(const char *text)
{
    return tap_of(SITE_DEFINITION, MAIN, ALL_LOCALS, text).way;
}

// What woven code can store by itself it does; numbers of objects only a native function can give.
static void events_are_made_inline_where_il_can(void **state)
{
    (void)state;
    assert_int_equal(way_of_store("ldc.i4.5; stloc.0; ret"), WAY_INLINE);
    assert_int_equal(way_of_store("call $Make; stloc.2; ret"), WAY_INLINE);
    assert_int_equal(way_of_store("ldc.i4.5; stsfld $sf; ret"), WAY_INLINE);
    assert_int_equal(way_of_store("ldnull; stloc.1; ret"), WAY_AT);
    assert_int_equal(way_of_store("ldloca.s 4; initobj $Big; ret"), WAY_AT); // has a reference
    // The owner's number is needed: an integer goes as an argument, all else by its address.
    assert_int_equal(way_of_store("newobj $C..ctor; ldc.i4.5; stfld $f; ret"), WAY_BITS);
    assert_int_equal(way_of_store("newobj $C..ctor; ldc.r8 0; stfld $d; ret"), WAY_AT);
    assert_int_equal(way_of_store("newobj $C..ctor; call $Make; stfld $p; ret"), WAY_AT);
    assert_int_equal(tap_of(SITE_DEFINITION, GENERIC, GENERIC_LOCALS, "ldarg.0; stloc.0; ret").way, WAY_TYPED);
}

// Without a copy where a call has the address anyway: a copy would keep the JIT from taking the fields apart.
static void wide_structs_are_looked_up_by_their_type(void **state)
{
    (void)state;
    wide_structs = true;
    assert_int_equal(way_of_store("call $Make; stloc.2; ret"), WAY_SIZED);
    assert_int_equal(way_of_store("ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret"), WAY_IN_PLACE);
    wide_structs = false;
}

static enum weave_result result_of(const char *text)
{
    return tap_of(SITE_USE, MAIN, ALL_LOCALS, text).result;
}

// No local of ours may keep an object alive longer than the program does.
static void a_result_stays_in_no_local_longer_than_it_must(void **state)
{
    (void)state;
    assert_int_equal(result_of("ldsfld $sf; pop; ret"), RESULT_COPIED); // a number keeps nothing alive
    assert_int_equal(result_of("ldsfld $s; stloc.1; ret"), RESULT_UNTIL_STORED);
    assert_int_equal(result_of("ldsfld $s; brtrue.s a; nop; a: ret"), RESULT_TESTED);
    assert_int_equal(result_of("ldsfld $s; dup; pop; pop; ret"), RESULT_DUPLICATED);
    assert_int_equal(result_of("ldsfld $s; ldc.i4.5; pop; pop; ret"),
                     RESULT_DUPLICATED); // out of a local where it waits
    assert_int_equal(tap_of(SITE_ALLOCATION, MAIN, ALL_LOCALS, "newobj $C..ctor; pop; ret").result, RESULT_DUPLICATED);
}

// What is put aside of the stack: no more than the event needs.
static void only_what_the_event_needs_is_put_aside(void **state)
{
    (void)state;
    struct weave_tap field = tap_of(SITE_DEFINITION, MAIN, ALL_LOCALS, "newobj $C..ctor; ldc.i4.5; stfld $f; ret");
    assert_int_equal(field.keep, KEEP_OWNER_VALUE);
    assert_int_equal(field.owner_kind, IL_OBJECT);
    struct weave_tap secret = tap_of(SITE_DEFINITION, MAIN, ALL_LOCALS, "ldnull; stsfld $secret; ret");
    assert_int_equal(secret.keep, KEEP_NOTHING);
    assert_int_equal(secret.source, FROM_NOWHERE);
    struct weave_tap item =
        tap_of(SITE_DEFINITION, MAIN, ALL_LOCALS, "ldloc.s 9; ldc.i4.1; conv.i; ldc.i4.7; stelem.i4; ret");
    assert_int_equal(item.keep, KEEP_OWNER_INDEX_VALUE);
    assert_int_equal(item.index_kind, IL_NATIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_redacted_variable_hides_its_fields),
        cmocka_unit_test(a_redacted_place_hides_what_is_within),
        cmocka_unit_test(a_box_is_as_secret_as_its_places),
        cmocka_unit_test(a_method_may_have_a_secret_as_its_result),
        cmocka_unit_test(events_are_made_inline_where_il_can),
        cmocka_unit_test(wide_structs_are_looked_up_by_their_type),
        cmocka_unit_test(a_result_stays_in_no_local_longer_than_it_must),
        cmocka_unit_test(only_what_the_event_needs_is_put_aside),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
