// Instructions in their shortest forms, counted alike whether they are inserted or not.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "weave/emit/emitter.h"

static struct made_body made;

static int release(void **state)
{
    (void)state;
    made_body_free(&made);
    return 0;
}

static struct emitter before_first(const char *text)
{
    struct il_body *body = made_body(&made, text);
    return (struct emitter){.body = body, .before = body->first};
}

static void expect(const struct il_instruction *at, enum il_opcode opcode, int64_t operand)
{
    assert_int_equal(at->opcode, opcode);
    assert_int_equal(at->operand.integer, operand);
    assert_int_equal(at->offset, IL_NO_OFFSET);
}

static void numbers_take_their_shortest_form(void **state)
{
    (void)state;
    struct emitter at = before_first("ret");
    static const uint32_t numbers[] = {0, 8, 9, INT8_MAX, INT8_MAX + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        emit_number(&at, numbers[i]);
    }
    const struct il_instruction *here = at.first;
    expect(here, IL_LDC_I4_0, 0);
    expect(here = here->next, IL_LDC_I4_8, 0);
    expect(here = here->next, IL_LDC_I4_S, 9);
    expect(here = here->next, IL_LDC_I4_S, INT8_MAX);
    expect(here = here->next, IL_LDC_I4, INT8_MAX + 1);
    expect(here = here->next, IL_LDC_I4, -1);
    assert_ptr_equal(here->next, at.before); // in the order in which they were inserted
    assert_int_equal(at.tally.bytes, 1 + 1 + 2 + 2 + 5 + 5);
    assert_int_equal(at.tally.references, 0);
}

static void variables_take_their_shortest_form(void **state)
{
    (void)state;
    struct emitter at = before_first("ret");
    emit_variable(&at, IL_LDLOC, UINT8_MAX);
    emit_variable(&at, IL_STLOC, UINT8_MAX + 1);
    emit_variable(&at, IL_LDLOCA, 0);
    emit_variable(&at, IL_LDARG, UINT16_MAX);
    emit_variable(&at, IL_LDARGA, 1);
    const struct il_instruction *here = at.first;
    expect(here, IL_LDLOC_S, UINT8_MAX);
    expect(here = here->next, IL_STLOC, UINT8_MAX + 1);
    expect(here = here->next, IL_LDLOCA_S, 0);
    expect(here = here->next, IL_LDARG, UINT16_MAX);
    expect(here = here->next, IL_LDARGA_S, 1);
    assert_int_equal(at.tally.references, 5);
    assert_int_equal(at.tally.instructions, 5);
    assert_int_equal(at.tally.bytes, 2 + 4 + 2 + 4 + 2);
}

static void a_call_is_through_an_address(void **state)
{
    (void)state;
    struct emitter at = before_first("ret");
    emit_call(&at, (uintptr_t)UINT64_MAX, 0x11000007);
    const struct il_instruction *here = at.first;
    expect(here, IL_LDC_I8, -1);
    expect(here = here->next, IL_CONV_I, 0);
    expect(here = here->next, IL_CALLI, 0x11000007);
}

static void a_branch_leads_over_what_comes_until_here(void **state)
{
    (void)state;
    struct emitter at = before_first("ret");
    struct emitter_skip skip = emit_branch(&at, IL_BRFALSE_S);
    emit(&at, IL_NOP, 0);
    emit_skip_end(&at, skip);
    assert_int_equal(at.first->opcode, IL_BRFALSE_S);
    assert_ptr_equal(at.first->operand.branch, skip.target);
    assert_ptr_equal(skip.target->next, at.before);
    assert_true(skip.target->target);
    assert_int_equal(at.tally.instructions, 3);
    assert_int_equal(at.tally.blocks, 2); // the other path of the branch, and where both meet
}

// A plan is tried dry before it is carried out.
static void nothing_is_inserted_dry_and_all_is_counted(void **state)
{
    (void)state;
    struct emitter wet = before_first("ret");
    uint32_t before = wet.body->instruction_count;
    struct emitter dry = wet;
    dry.dry = true;
    emit_skip_end(&dry, (emit_number(&dry, 1000), emit_variable(&dry, IL_LDLOC, 3), emit_branch(&dry, IL_BRTRUE_S)));
    assert_int_equal(wet.body->instruction_count, before);
    assert_null(dry.first);
    emit_skip_end(&wet, (emit_number(&wet, 1000), emit_variable(&wet, IL_LDLOC, 3), emit_branch(&wet, IL_BRTRUE_S)));
    assert_memory_equal(&dry.tally, &wet.tally, sizeof wet.tally);
    assert_false(wet.failed);
}

static void a_body_is_tallied_as_the_jit_counts(void **state)
{
    (void)state;
    struct weave_tally tally;
    struct emitter at = before_first("ldloc.0; switch a,b; nop; a: ldarg.s 1; stloc.s 2; brtrue.s b; nop; b: ret\n"
                                     ".finally a b b $");
    weave_tally_body(at.body, &tally);
    assert_int_equal(tally.instructions, 8);
    assert_int_equal(tally.bytes, 1 + 5 + 8 + 1 + 2 + 2 + 2 + 1 + 1);
    assert_int_equal(tally.references, 3);
    assert_int_equal(tally.blocks, 1 + 1 + 2 + 1 + (il_opcodes[IL_SWITCH].flow == IL_FLOW_CONDITION)); // a and b
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(numbers_take_their_shortest_form, release),
        cmocka_unit_test_teardown(variables_take_their_shortest_form, release),
        cmocka_unit_test_teardown(a_call_is_through_an_address, release),
        cmocka_unit_test_teardown(a_branch_leads_over_what_comes_until_here, release),
        cmocka_unit_test_teardown(nothing_is_inserted_dry_and_all_is_counted, release),
        cmocka_unit_test_teardown(a_body_is_tallied_as_the_jit_counts, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
