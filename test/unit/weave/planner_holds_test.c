// What waits on the stack while probes run: it goes into a local, and is let go behind whoever takes it.
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

// What lies on the stack when a statement begins leaves it and comes back: an object that waits in a local (L10) anyway,
// and a number, which gets one.
static void a_statement_within_an_expression_finds_the_stack_empty(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 6, .start_line = 3}};
    il_points = points;
    il_point_count = 1;
    const char *probe = "+ldloc.s 12\n+ldind.i\n+stloc.s 13\n+ldloc.s 13\n+ldc.i4 fa2\n+stind.i4\n"
                        "+ldloc.s 12\n+ldloc.s 13\n+ldc.i4.4\n+add\n+volatile.\n+stind.i\n";
    struct buffer woven = {0};
    buffer_printf(&woven,
                  "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 12\n"
                  "ldsfld\n+stloc.s 10\n+ldloc.s 10\nldc.i4.5\n+stloc.s 11\n+pop\n"
                  "%s+ldloc.s 10\n+ldloc.s 11\npop\npop\n+ldnull\n+stloc.s 10\n%sret\n",
                  probe, LEAVE);
    buffer_u8(&woven, 0);
    expect_il(INSTRUMENT_STATEMENTS, "ldsfld $s; ldc.i4.5; pop; pop; ret", (const char *)woven.data);
    buffer_free(&woven);
    il_points = NULL;
    il_point_count = 0;
}

// -- Which objects wait -----------------------------------------------------------------------------------------------

static struct made_body made;

static const char *name_of(const struct insertion *insertion)
{
    if (insertion_is_event(insertion)) {
        return "event";
    }
    switch (insertion->ops[0].opcode) {
    case IL_POP:
        return "pop";
    case IL_LDLOC:
        return "load";
    case IL_STLOC:
        return insertion->op_count == 2 ? "hold" : "store";
    default:
        return "release";
    }
}

// What is done for a body, in order, each with the position of its instruction.
static void expect_done(uint32_t instruments, const struct weave_point *point, const char *text, const char *done)
{
    struct buffer named = {0}, said = {0};
    struct planner opened, planner;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = MAIN,
                                        .instruments = instruments,
                                        .points = point,
                                        .point_count = point != NULL,
                                        .queries = &world_queries,
                                        .struct_limit = 16,
                                        .room = 1024};
    with_tokens(text, &named);
    assert_int_equal(planner_open(made_body(&made, (const char *)named.data), &method, &opened), CLEW_OK);
    assert_int_equal(planner_decide(&opened, instruments, &planner), CLEW_OK);
    for (uint32_t i = 0; i < planner.insertion_count; i++) {
        const struct insertion *insertion = &planner.insertions[i];
        buffer_printf(&said, "%s%s@%u", i ? " " : "", name_of(insertion), insertion->at);
    }
    buffer_u8(&said, 0);
    assert_string_equal((const char *)said.data, done);
    buffer_free(&named);
    buffer_free(&said);
    made_body_free(&made);
}

static void an_object_is_spilled_to_a_local_while_a_probe_runs(void **state)
{
    (void)state;
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldc.i4.3; stsfld $sf; pop; ret", "hold@0 event@2 release@3");
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldsfld $s; ldc.i4.3; stsfld $sf; pop; pop; ret",
                "hold@0 hold@1 event@3 release@4 release@5");
}

static void objects_are_spilled_only_if_needed(void **state)
{
    (void)state;
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; pop; ldc.i4.3; stsfld $sf; ret",
                "event@3"); // no probe runs meanwhile
    expect_done(INSTRUMENT_VALUES, NULL, "ldloc.1; ldc.i4.3; stsfld $sf; pop; ret",
                "event@2"); // is a variable's anyway
    expect_done(INSTRUMENT_VALUES, NULL, "ldnull; ldc.i4.3; stsfld $sf; pop; ret", "event@2");
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $sf; ldc.i4.3; stsfld $sf; pop; ret", "event@2"); // a number
}

// The JIT may have the address of a variable or static field as a number, and compiles arithmetic other than sums
// differently for an address that comes from a local.
static void addresses_are_spilled_only_where_they_stay_references(void **state)
{
    (void)state;
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldflda $f; ldc.i4.3; stsfld $sf; pop; ret",
                "hold@1 event@3 release@4");
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldflda $f; ldc.i4.1; add; ldc.i4.3; stsfld $sf; pop; ret",
                "hold@3 event@5 release@6");
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldflda $f; ldc.i4.3; stsfld $sf; neg; pop; ret", "event@3");
    expect_done(INSTRUMENT_VALUES, NULL, "ldloca.s 1; ldc.i4.1; sub; ldc.i4.3; stsfld $sf; pop; ret", "event@4");
    expect_done(INSTRUMENT_VALUES, NULL, "ldsflda $s; ldflda $f; ldc.i4.3; stsfld $sf; pop; ret", "event@3");
}

// The JIT copies it when a probe runs, since it cannot know what else changes the variable.
static void a_variable_whose_address_is_taken_is_spilled(void **state)
{
    (void)state;
    expect_done(INSTRUMENT_VALUES, NULL, "ldloca.s 1; pop; ldloc.1; ldc.i4.3; stsfld $sf; pop; ret",
                "hold@2 event@4 release@5");
    expect_done(INSTRUMENT_VALUES, NULL, "ldloca.s 4; pop; ldloc.1; ldc.i4.3; stsfld $sf; pop; ret", "event@4");
}

static void a_new_object_is_spilled_if_a_call_returns_it(void **state)
{
    (void)state;
    expect_done(INSTRUMENT_VALUES, NULL, "ldc.i4.1; ldc.i4.1; newobj $NewMatrix; ldc.i4.3; stsfld $sf; pop; ret",
                "hold@2 event@2 event@4 release@5");
    expect_done(INSTRUMENT_VALUES, NULL, "newobj $C..ctor; ldc.i4.3; stsfld $sf; pop; ret", "event@0 event@2");
}

// To clear the local behind the consumer makes the JIT evaluate the struct that this pushes. It does that anyway where
// a call or a probe follows.
static void an_object_that_a_struct_is_made_of_is_cleared_with_the_struct(void **state)
{
    (void)state;
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldc.i4.3; stsfld $sf; unbox.any $Point; stloc.2; ret",
                "hold@0 event@2 release@4 event@4");
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldc.i4.3; stsfld $sf; unbox.any $Point; ldfld $x; pop; ret",
                "hold@0 event@2 hold@4 release@4");
    expect_done(INSTRUMENT_VALUES, NULL,
                "ldsfld $s; ldc.i4.3; stsfld $sf; unbox.any $Point; call $Make; pop; stloc.2; ret",
                "hold@0 event@2 release@3 event@6");
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldc.i4.3; stsfld $sf; unbox.any $Point; br.s a; a: stloc.2; ret",
                "hold@0 event@2 release@3 event@5");
}

// Behind a branch there is no instruction that all paths pass.
static void operands_of_a_branch_are_not_cleared(void **state)
{
    (void)state;
    expect_done(INSTRUMENT_VALUES, NULL, "ldsfld $s; ldc.i4.3; stsfld $sf; brtrue.s a; nop; a: ret", "hold@0 event@2");
}

// Numbers and structs leave the stack for a statement and come back. An object that is in no local stays, and so does the
// rest.
static void a_statement_takes_numbers_and_structs_off_the_stack(void **state)
{
    (void)state;
    static const struct weave_point point = {.il_offset = 6, .start_line = 3};
    expect_done(INSTRUMENT_STATEMENTS, &point, "ldsfld $sf; ldc.i4.5; pop; pop; ret",
                "store@2 store@2 event@2 load@2 load@2");
    expect_done(INSTRUMENT_STATEMENTS, &point, "call $Make; ldc.i4.5; pop; pop; ret",
                "store@2 store@2 event@2 load@2 load@2");
    expect_done(INSTRUMENT_STATEMENTS, &point, "ldstr 0x70000001; ldc.i4.5; pop; pop; ret", "event@2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_within_an_expression_finds_the_stack_empty),
        cmocka_unit_test(an_object_is_spilled_to_a_local_while_a_probe_runs),
        cmocka_unit_test(objects_are_spilled_only_if_needed),
        cmocka_unit_test(addresses_are_spilled_only_where_they_stay_references),
        cmocka_unit_test(a_variable_whose_address_is_taken_is_spilled),
        cmocka_unit_test(a_new_object_is_spilled_if_a_call_returns_it),
        cmocka_unit_test(an_object_that_a_struct_is_made_of_is_cleared_with_the_struct),
        cmocka_unit_test(operands_of_a_branch_are_not_cleared),
        cmocka_unit_test(a_statement_takes_numbers_and_structs_off_the_stack),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
