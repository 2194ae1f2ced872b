// Micro-operations: what they do to the stack, and insertions of any of them, which may also replace a value.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "weave/plan/planner.h"
#include "woven.h"

// -- The stack --------------------------------------------------------------------------------------------------------

static void expect_effect(const struct weave_op *ops, size_t count, int effect, int deepest)
{
    int found;
    assert_int_equal(weave_stack_effect(ops, count, &found), effect);
    assert_int_equal(found, deepest);
}

static void the_effect_on_the_stack_is_that_of_all_instructions(void **state)
{
    (void)state;
    const struct weave_op copy[] = {op_local(IL_STLOC, 0), op_local(IL_LDLOC, 0)};
    expect_effect(copy, 2, 0, 0);
    const struct weave_op store[] = {op_local(IL_LDLOC, 0), op_plain(IL_DUP), op_number(4),
                                     op_plain(IL_ADD),      op_number(7),     op_plain(IL_STIND_I4)};
    expect_effect(store, 6, 1, 3);
    const struct weave_op check[] = {op_local(IL_LDLOC, 0), op_of(IL_CALLI, OPERAND_WAIT, PROBE_ROOM)};
    expect_effect(check, 2, 0, 2); // the bool of `wait` and its address
    const struct weave_op guard[] = {op_local(IL_LDLOC, 0), op_of(IL_BRFALSE_S, OPERAND_SKIP, 0), op_number(1),
                                     op_plain(IL_POP), op_of(IL_NOP, OPERAND_HERE, 0)};
    expect_effect(guard, 5, 0, 1);
}

static void a_probe_takes_its_arguments_and_leaves_its_result(void **state)
{
    (void)state;
    const struct weave_op replace[] = {op_probe(PROBE_ENTER_KEEP)};
    expect_effect(replace, 1, 0, 1); // its address
    const struct weave_op restate[] = {op_local(IL_LDLOC, 0), op_probe(PROBE_RESTATE)};
    expect_effect(restate, 2, 0, 2);
}

// -- Insertions that replace a value ----------------------------------------------------------------------------------

// Plans the events of the body, adds the insertion in front of all others, and runs the woven body.
static void expect_replaced(const struct insertion *insertion, const char *text, const char *events)
{
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_VALUES};
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = MAIN,
                                        .instruments = INSTRUMENT_VALUES,
                                        .queries = &world_queries,
                                        .struct_limit = 16,
                                        .room = 1024};
    struct buffer log = {0}, bytes = {0};
    struct weaving weaving = {0};
    struct run run = {.log = &log};
    struct planner opened, planner;
    struct insertion insertions[8] = {*insertion};
    assemble(text, ASSEMBLE_INIT_LOCALS, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &weaving.arena, &weaving.body), CLEW_OK);
    assert_int_equal(planner_open(&weaving.body, &method, &opened), CLEW_OK);
    assert_int_equal(planner_decide(&opened, method.instruments, &planner), CLEW_OK);
    assert_true(planner.insertion_count < 8);
    memcpy(insertions + 1, planner.insertions, planner.insertion_count * sizeof *insertions);
    planner.insertions = insertions;
    planner.insertion_count++;
    assert_int_equal(planner_lower(&planner, &weaving.plan), CLEW_OK);
    assert_null(weaving_carry_out(&weaving, &method, &world_types));
    run_woven(&run, &weaving, &method, &given);
    buffer_u8(&log, 0);
    assert_false(run.failed);
    assert_string_equal((const char *)log.data, events);
    weaving_free(&weaving);
    buffer_free(&log);
    buffer_free(&bytes);
}

// The probe gets the 5 that is on the stack, and its result is what the program stores: 0xac71.
static void a_probe_may_replace_a_value_on_the_stack(void **state)
{
    (void)state;
    const struct insertion replace = {
        .at = 0, .moment = MOMENT_AFTER, .op_count = 2, .ops = {op_probe(PROBE_ENTER_KEEP), op_plain(IL_CONV_I4)}};
    expect_replaced(&replace, "ldc.i4.5; stloc.0; ret", "L0=44145 ");
}

static void operations_may_replace_a_value_on_every_path_to_an_instruction(void **state)
{
    (void)state;
    const struct insertion triple = {
        .at = 4, .moment = MOMENT_BEFORE, .op_count = 2, .ops = {op_number(3), op_plain(IL_MUL)}};
    expect_replaced(&triple, "ldc.i4.5; ldc.i4.1; brtrue.s a; nop; a: stloc.0; ret", "L0=15 ");
    expect_replaced(&triple, "ldc.i4.5; ldc.i4.0; brtrue.s a; nop; a: stloc.0; ret", "L0=15 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_effect_on_the_stack_is_that_of_all_instructions),
        cmocka_unit_test(a_probe_takes_its_arguments_and_leaves_its_result),
        cmocka_unit_test(a_probe_may_replace_a_value_on_the_stack),
        cmocka_unit_test(operations_may_replace_a_value_on_every_path_to_an_instruction),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
