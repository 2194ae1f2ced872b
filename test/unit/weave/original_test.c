// Where something may be inserted: not between instructions that the JIT knows by their pattern, nor behind a call that
// ends its activation.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "weave/operations/original.h"

enum { ITSELF = 0x06000005 };

static struct made_body made;

// For each instruction in order: 'y' if instructions may be inserted before it.
static void expect_before(const char *text, const char *answers)
{
    const struct il_body *body = made_body(&made, text);
    for (uint32_t i = 0; i < body->instruction_count; i++) {
        if (weave_may_insert_before(body, &body->originals[i]) != (answers[i] == 'y')) {
            fail_msg("%s: instruction %u", text, i);
        }
    }
    assert_int_equal(strlen(answers), body->instruction_count);
    made_body_free(&made);
}

static void a_prefix_stays_with_its_instruction(void **state)
{
    (void)state;
    expect_before("ldloc.0; volatile.; unaligned. 1; ldind.i4; pop; ret", "yynnyy");
    expect_before("tail.; call 0x06000001; ret", "ynn");
}

static void patterns_of_the_jit_stay_whole(void **state)
{
    (void)state;
    expect_before("ldnull; box 0x1b000001; brtrue.s a; a: ret", "yyny");
    expect_before("ldnull; box 0x1b000001; isinst 0x1b000001; ldnull; cgt.un; pop; ret", "yynnnyy");
    expect_before("ldnull; box 0x1b000001; isinst 0x1b000001; unbox.any 0x1b000001; pop; ret", "yynnyy");
    expect_before("ldnull; box 0x1b000001; pop; ret", "yyyy");
    expect_before("ldnull; ldftn 0x06000001; newobj 0x0a000001; pop; ret", "yynyy");
    expect_before("ldnull; dup; ldvirtftn 0x06000001; newobj 0x0a000001; pop; ret", "yynnyy");
    expect_before("ldc.i4.1; newarr 0x01000001; dup; ldtoken 0x04000001; call 0x0a000001; pop; ret", "yynnnyy");
    expect_before("ldc.i4.1; newarr 0x01000001; dup; pop; pop; ret", "yyyyyy");
    expect_before("ldtoken 0x02000001; call 0x0a000001; pop; ret", "ynyy");
    expect_before("ldloca.s 0; initobj 0x02000001; ret", "yny");
    expect_before("ldloca.s 0; ldloc.1; stobj 0x02000001; ret", "yyyy");
}

// A label at an instruction breaks the pattern.
static void a_label_ends_a_pattern(void **state)
{
    (void)state;
    expect_before("ldtoken 0x02000001; a: call 0x0a000001; br.s a; ret", "yyyy");
}

static void insertions_after_an_instruction_precede_the_next_except_at_tail_calls(void **state)
{
    (void)state;
    const struct il_body *body = made_body(&made, "ldftn 0x06000001; newobj 0x0a000001; tail.; call 0x06000001; ret");
    assert_false(weave_may_insert_behind(body, &body->originals[0]));
    assert_true(weave_may_insert_behind(body, &body->originals[1]));
    assert_false(weave_may_insert_behind(body, &body->originals[3]));
    made_body_free(&made);
    body = made_body(&made, "br.s a; tail.; call 0x06000001; a: ret");
    assert_true(weave_may_insert_before(body, &body->originals[3])); // on the other path
    assert_false(weave_may_insert_behind(body, &body->originals[2]));
    made_body_free(&made);
}

static void expect_ends(const char *text, uint32_t call, bool ends, bool returns)
{
    const struct il_body *body = made_body(&made, text);
    assert_int_equal(weave_ends_activation(&body->originals[call], ITSELF), ends);
    assert_int_equal(weave_returns_for_call(body, &body->originals[call + 1], ITSELF), returns);
    made_body_free(&made);
}

static void only_last_calls_end_an_activation(void **state)
{
    (void)state;
    expect_ends("call 0x06000005; ret", 0, true, true);
    expect_ends("call 0x06000006; ret", 0, false, false); // another method, without prefix
    expect_ends("call 0x06000005; pop; ret", 0, false, false);
    expect_ends("tail.; call 0x06000006; ret", 1, true, true);
    // Where branches lead to the ret as well, a tail call gets one of its own, and any other call is not last.
    expect_ends("br.s a; call 0x06000005; a: ret", 1, false, false);
    expect_ends("br.s a; tail.; call 0x06000006; a: ret", 2, true, false);
    const struct il_body *body = made_body(&made, "ret");
    assert_false(weave_returns_for_call(body, body->originals, ITSELF));
    made_body_free(&made);
}

static bool is_tiny(const char *text)
{
    bool tiny = weave_is_tiny(made_body(&made, text));
    made_body_free(&made);
    return tiny;
}

static void tiny_methods_are_short_and_call_nothing(void **state)
{
    (void)state;
    assert_true(is_tiny("ldarg.0; ldfld 0x04000001; ret"));
    assert_true(is_tiny("ldarg.0; brtrue.s a; ldc.i4.1; ret; a: ldc.i4.2; ret"));
    assert_true(is_tiny("ldarg.0; throw"));
    assert_true(is_tiny("ldarg.0; ldfld 0x04000001; ldarg.1; ldfld 0x04000001; pop; pop; ret")); // 15 bytes
    assert_false(is_tiny("ldarg.0; ldfld 0x04000001; ldarg.1; ldfld 0x04000001; pop; pop; nop; ret"));
    assert_false(is_tiny("call 0x0a000001; ret"));
    assert_false(is_tiny("ldarg.0; callvirt 0x0a000001; ret"));
    assert_false(is_tiny("newobj 0x0a000001; ret"));
    assert_false(is_tiny("ldarg.0; calli 0x11000001; ret"));
    assert_false(is_tiny("jmp 0x06000001"));
    assert_false(is_tiny("a: ldarg.0; brtrue.s a; ret"));
    assert_false(is_tiny("a: br.s a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prefix_stays_with_its_instruction),
        cmocka_unit_test(patterns_of_the_jit_stay_whole),
        cmocka_unit_test(a_label_ends_a_pattern),
        cmocka_unit_test(insertions_after_an_instruction_precede_the_next_except_at_tail_calls),
        cmocka_unit_test(only_last_calls_end_an_activation),
        cmocka_unit_test(tiny_methods_are_short_and_call_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
