// How the event of a site gets its value.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "weave/plan/planner.h"
#include "woven.h"

static struct made_body made;

// The event of the last site of a kind, in a method without result.
static struct event event_of(enum site_kind kind, uint32_t token, uint32_t locals_token, const char *text)
{
    struct buffer named = {0};
    struct planner opened, planner;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = token,
                                        .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES,
                                        .queries = &world_queries,
                                        .struct_limit = 256,
                                        .room = 1024};
    with_tokens(text, &named);
    made_body(&made, (const char *)named.data)->locals_token = locals_token;
    assert_int_equal(planner_open(&made.body, &method, &opened), CLEW_OK);
    assert_int_equal(planner_decide(&opened, method.instruments, &planner), CLEW_OK);
    struct event found = {.site = UINT32_MAX};
    for (uint32_t i = 0; i < planner.insertion_count; i++) {
        const struct insertion *insertion = &planner.insertions[i];
        if (insertion_is_event(insertion) && planner.sites[insertion->event.site].kind == kind) {
            found = insertion->event;
        }
    }
    assert_true(found.site != UINT32_MAX);
    buffer_free(&named);
    made_body_free(&made);
    return found;
}

static enum strategy strategy_of_store(const char *text)
{
    return event_of(SITE_DEFINITION, MAIN, ALL_LOCALS, text).strategy;
}

// Woven code stores every value that IL can store. Only a native function knows the numbers of objects.
static void events_are_made_inline_where_il_can(void **state)
{
    (void)state;
    assert_int_equal(strategy_of_store("ldc.i4.5; stloc.0; ret"), EMIT_INLINE);
    assert_int_equal(strategy_of_store("call $Make; stloc.2; ret"), EMIT_INLINE);
    assert_int_equal(strategy_of_store("ldc.i4.5; stsfld $sf; ret"), EMIT_INLINE);
    assert_int_equal(strategy_of_store("ldnull; stloc.1; ret"), EMIT_AT);
    assert_int_equal(strategy_of_store("ldloca.s 4; initobj $Big; ret"), EMIT_AT); // has a reference
    // The owner's number is needed: an integer goes as an argument, all else by its address.
    assert_int_equal(strategy_of_store("newobj $C..ctor; ldc.i4.5; stfld $f; ret"), EMIT_BITS);
    assert_int_equal(strategy_of_store("newobj $C..ctor; ldc.r8 0; stfld $d; ret"), EMIT_AT);
    assert_int_equal(strategy_of_store("newobj $C..ctor; call $Make; stfld $p; ret"), EMIT_AT);
    assert_int_equal(event_of(SITE_DEFINITION, GENERIC, GENERIC_LOCALS, "ldarg.0; stloc.0; ret").strategy, EMIT_TYPED);
}

// Without a copy where a call has the address anyway: a copy would keep the JIT from taking the fields apart.
static void wide_structs_are_looked_up_by_their_type(void **state)
{
    (void)state;
    wide_structs = true;
    assert_int_equal(strategy_of_store("call $Make; stloc.2; ret"), EMIT_SIZED);
    assert_int_equal(strategy_of_store("ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret"), EMIT_IN_PLACE);
    wide_structs = false;
}

static enum result result_of(const char *text)
{
    return event_of(SITE_USE, MAIN, ALL_LOCALS, text).result;
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
    assert_int_equal(event_of(SITE_ALLOCATION, MAIN, ALL_LOCALS, "newobj $C..ctor; pop; ret").result,
                     RESULT_DUPLICATED);
    const char *array = "ldc.i4.1; ldc.i4.1; newobj $NewMatrix; pop; ret"; // a call returns it
    assert_int_equal(event_of(SITE_ALLOCATION, MAIN, ALL_LOCALS, array).result, RESULT_UNTIL_STORED);
}

// The JIT would copy a variable whose address is taken.
static void an_owner_is_duplicated_if_it_is_a_mere_variable(void **state)
{
    (void)state;
    assert_true(event_of(SITE_USE, MAIN, ALL_LOCALS, "ldloc.s 8; ldfld $f; pop; ret").owner_is_variable);
    assert_false(
        event_of(SITE_USE, MAIN, ALL_LOCALS, "ldloca.s 8; pop; ldloc.s 8; ldfld $f; pop; ret").owner_is_variable);
    assert_false(event_of(SITE_USE, MAIN, ALL_LOCALS, "newobj $C..ctor; ldfld $f; pop; ret").owner_is_variable);
    assert_true(
        event_of(SITE_DEFINITION, MAIN, ALL_LOCALS, "ldloc.s 9; ldc.i4.0; ldc.i4.5; stelem.i4; ret").owner_is_variable);
}

// An int32 would lose the upper half of the index that the program goes on with.
static void a_native_index_is_spilled_to_a_native_local(void **state)
{
    (void)state;
    const char *text = "ldloc.s 9; ldc.i4.1; conv.i; ldelem.ref; brtrue.s a; nop; a: ret";
    struct event event = event_of(SITE_USE, MAIN, ALL_LOCALS, text);
    assert_int_equal(event.index.kind, IL_NATIVE);
    assert_int_not_equal(event.index.number, event.outcome);
}

static void only_operands_that_the_event_needs_are_spilled(void **state)
{
    (void)state;
    struct event field = event_of(SITE_DEFINITION, MAIN, ALL_LOCALS, "newobj $C..ctor; ldc.i4.5; stfld $f; ret");
    assert_int_equal(field.spills, SPILL_OWNER | SPILL_VALUE);
    assert_int_equal(field.owner.kind, IL_OBJECT);
    struct event secret = event_of(SITE_DEFINITION, MAIN, ALL_LOCALS, "ldnull; stsfld $secret; ret");
    assert_int_equal(secret.spills, SPILL_NOTHING);
    assert_int_equal(secret.source.kind, FROM_NONE);
    struct event item =
        event_of(SITE_DEFINITION, MAIN, ALL_LOCALS, "ldloc.s 9; ldc.i4.1; conv.i; ldc.i4.7; stelem.i4; ret");
    assert_int_equal(item.spills, SPILL_OWNER | SPILL_INDEX | SPILL_VALUE);
    assert_int_equal(item.index.kind, IL_NATIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_made_inline_where_il_can),
        cmocka_unit_test(wide_structs_are_looked_up_by_their_type),
        cmocka_unit_test(a_result_stays_in_no_local_longer_than_it_must),
        cmocka_unit_test(an_owner_is_duplicated_if_it_is_a_mere_variable),
        cmocka_unit_test(a_native_index_is_spilled_to_a_native_local),
        cmocka_unit_test(only_operands_that_the_event_needs_are_spilled),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
