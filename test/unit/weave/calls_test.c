// Where the probes of calls land: in small bodies instruction by instruction, and in every method that is installed, which
// must still verify (System.Private.CoreLib too, which is never woven in a program). CLEW_SLOW=1 takes all methods.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "../il/assemble.h"
#include "il/verify.h"
#include "installed.h"
#include "weave/operations/original.h"
#include "weave/weave.h"

enum { METHOD = 77, ITSELF = 0x06000005, NUMBER = 0x11F00001, QUERY, WAIT, ADDRESS, ACTIVATION };

static const struct weave_targets targets = {.enter = 0x1111111111,
                                             .enter_keep = 0x2222222222,
                                             .leave = 0x3333333333,
                                             .restate = 0x4444444444,
                                             .arrive = 0x6666666666,
                                             .depart = 0x7777777777,
                                             .finish = 0x8888888888};
static const struct weave_targets waiting_targets = {.enter = 0x1111111111,
                                                     .enter_keep = 0x2222222222,
                                                     .leave = 0x3333333333,
                                                     .restate = 0x4444444444,
                                                     .wait = 0x5555555555,
                                                     .arrive = 0x6666666666,
                                                     .depart = 0x7777777777,
                                                     .finish = 0x8888888888};
static const struct weave_signatures signatures = {
    .number = NUMBER, .query = QUERY, .wait = WAIT, .address = ADDRESS, .activation = ACTIVATION};

// -- Small bodies -----------------------------------------------------------------------------------------------------

// One word an instruction: probes by name, everything else by its mnemonic.
static void describe(const struct il_body *body, struct buffer *out)
{
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        if (at->opcode == IL_LDC_I8 && at->offset == IL_NO_OFFSET) {
            uintptr_t target = (uintptr_t)at->operand.integer;
            buffer_text(out, target == targets.enter        ? "ENTER "
                             : target == targets.enter_keep ? "ADDRESS "
                             : target == targets.leave      ? "LEAVE "
                             : target == targets.restate    ? "RESTATE "
                             : target == targets.arrive     ? "ARRIVE "
                             : target == targets.depart     ? "DEPART "
                             : target == targets.finish     ? "FINISH "
                                                            : "WAIT ");
        } else if (at->opcode == IL_RET && at->offset == IL_NO_OFFSET) {
            buffer_text(out, "RET ");
        } else if (at->offset != IL_NO_OFFSET) {
            buffer_printf(out, "%s ", il_opcodes[at->opcode].name);
        }
    }
    buffer_u8(out, 0);
}

static enum clew_error weave_empty(struct il_body *body, const struct weave_binding *binding)
{
    const struct weave_plan plan = weave_empty_plan(body, NULL);
    return weave(body, &plan, binding);
}

static void expect_with(const struct weave_targets *with, const char *text, const char *woven)
{
    struct buffer bytes = {0}, said = {0}, encoded = {0};
    struct arena arena = {0};
    struct il_body body, again;
    const struct weave_binding binding = {with, &signatures, METHOD, ITSELF, 3, 0};
    assemble(text, 0, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_int_equal(weave_empty(&body, &binding), CLEW_OK);
    assert_int_equal(body.max_stack, 10);
    describe(&body, &said);
    assert_string_equal((const char *)said.data, woven);
    assert_int_equal(il_encode(&body, &encoded), CLEW_OK);
    assert_int_equal(il_decode(bytes_of(encoded.data, encoded.size), &arena, &again), CLEW_OK);
    buffer_free(&bytes);
    buffer_free(&said);
    buffer_free(&encoded);
    arena_free(&arena);
}

static void expect(const char *text, const char *woven)
{
    expect_with(&targets, text, woven);
}

static void test_streams_may_wait_for_room(void **state)
{
    (void)state;
    expect_with(&waiting_targets, "ldarg.0; ret", "ENTER WAIT ldarg.0 LEAVE WAIT ret ");
}

static void test_entry_and_exit(void **state)
{
    (void)state;
    expect("ldarg.0; ret", "ENTER ldarg.0 LEAVE ret ");
}

static void test_every_return_is_an_exit(void **state)
{
    (void)state;
    expect("ldarg.0; brtrue.s b; ldc.i4.0; ret; b: ldc.i4.1; ret",
           "ENTER ldarg.0 brtrue.s ldc.i4.0 LEAVE ret ldc.i4.1 LEAVE ret ");
}

static void test_a_loop_to_the_start_does_not_enter_again(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct arena arena = {0};
    struct il_body body;
    const struct weave_binding binding = {&targets, &signatures, METHOD, ITSELF, 3, 0};
    assemble("a: ldarg.0; brtrue.s a; ret", 0, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_int_equal(weave_empty(&body, &binding), CLEW_OK);
    assert_ptr_equal(il_at(&body, 1)->operand.branch, il_at(&body, 0));
    buffer_free(&bytes);
    arena_free(&arena);
}

static void test_all_paths_to_a_return_record_the_exit(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct arena arena = {0};
    struct il_body body;
    const struct weave_binding binding = {&targets, &signatures, METHOD, ITSELF, 3, 0};
    assemble("ldarg.0; brtrue.s b; nop; b: ret", 0, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_int_equal(weave_empty(&body, &binding), CLEW_OK);
    const struct il_instruction *branch = il_at(&body, 1);
    assert_int_equal(branch->operand.branch->opcode, IL_LDC_I4);
    assert_int_equal(branch->operand.branch->operand.integer, METHOD);
    buffer_free(&bytes);
    arena_free(&arena);
}

static void test_a_tail_call_stays_one(void **state)
{
    (void)state;
    expect("ldarg.0; tail.; call 0x06000001; ret", "ENTER ldarg.0 LEAVE tail. call ret ");
    // One that branches lead to as well: the call gets a ret of its own, and the other one an exit.
    expect("ldarg.0; brtrue.s r; ldarg.0; tail.; call 0x06000001; r: ret",
           "ENTER ldarg.0 brtrue.s ldarg.0 LEAVE tail. call RET LEAVE ret ");
    expect("ldarg.0; brtrue.s r; ldarg.0; tail.; call 0x06000005; r: ret",
           "ARRIVE ENTER ldarg.0 brtrue.s ldarg.0 DEPART tail. call RET FINISH ret ");
}

static void test_branches_to_the_ret_of_a_tail_call_run_its_exit(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct arena arena = {0};
    struct il_body body;
    const struct weave_binding binding = {&targets, &signatures, METHOD, ITSELF, 3, 0};
    assemble("ldarg.0; brtrue.s r; ldarg.0; tail.; call 0x06000001; r: ret", 0, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_int_equal(weave_empty(&body, &binding), CLEW_OK);
    const struct il_instruction *to = il_at(&body, 1)->operand.branch;
    assert_int_equal(to->opcode, IL_LDC_I4); // the exit's
    assert_int_equal(to->previous->opcode, IL_RET);
    assert_int_equal(to->previous->previous->opcode, IL_CALL);
    buffer_free(&bytes);
    arena_free(&arena);
}

static void test_a_header_may_have_a_larger_stack_than_needed(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct arena arena = {0};
    struct il_body body;
    const struct weave_binding binding = {&targets, &signatures, METHOD, ITSELF, 3, 0};
    assemble("ldarg.0; ret", ASSEMBLE_FAT, UINT16_MAX, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_int_equal(weave_empty(&body, &binding), CLEW_OK);
    assert_int_equal(body.max_stack, UINT16_MAX);
    buffer_free(&bytes);
    arena_free(&arena);
}

static void test_a_call_to_itself_may_be_a_tail_call(void **state)
{
    (void)state;
    expect("ldarg.0; call 0x06000005; ret", "ARRIVE ENTER ldarg.0 DEPART call ret ");
    expect("ldarg.0; tail.; call 0x06000005; ret", "ARRIVE ENTER ldarg.0 DEPART tail. call ret ");
    expect("ldarg.0; brtrue.s r; ldarg.0; call 0x06000005; ret; r: ldarg.0; ret",
           "ARRIVE ENTER ldarg.0 brtrue.s ldarg.0 DEPART call ret ldarg.0 FINISH ret ");
    expect_with(&waiting_targets, "ldarg.0; call 0x06000005; ret", "ARRIVE ENTER WAIT ldarg.0 DEPART WAIT call ret ");
    expect("ldarg.0; call 0x06000006; ret", "ENTER ldarg.0 call LEAVE ret ");
    // Where others lead to the ret, the exit stays there.
    expect("ldarg.0; brtrue.s r; ldarg.0; call 0x06000005; r: ret", "ENTER ldarg.0 brtrue.s ldarg.0 call LEAVE ret ");
}

static void test_jmp_is_an_exit(void **state)
{
    (void)state;
    expect("jmp 0x06000001", "ENTER LEAVE jmp ");
}

static void test_throw_is_not_an_exit(void **state)
{
    (void)state;
    expect("ldnull; throw", "ENTER ldnull throw ");
}

static void test_handlers_restate_their_activation(void **state)
{
    (void)state;
    expect("t: nop; leave.s o; h: pop; leave.s o; f: nop; endfinally; o: ret\n.catch t h h f\n.finally t f f o",
           "ADDRESS nop leave.s RESTATE pop leave.s RESTATE nop endfinally LEAVE ret ");
}

static void test_a_filter_keeps_its_place_before_its_handler(void **state)
{
    (void)state;
    expect("t: nop; leave.s o; f: pop; ldc.i4.1; endfilter; h: pop; leave.s o; o: ret\n.filter t f f h o",
           "ADDRESS nop leave.s pop ldc.i4.1 endfilter RESTATE pop leave.s LEAVE ret ");
}

static const uint8_t native_integer[] = {0x18};

static enum clew_error append_one(struct bytes original, struct buffer *out, uint32_t *index)
{
    return weave_append_locals(original, bytes_of(native_integer, sizeof native_integer), 1, out, index);
}

static void test_locals_are_appended(void **state)
{
    (void)state;
    const uint8_t two[] = {0x07, 2, 0x08, 0x45, 0x10, 0x0E};
    const uint8_t three[] = {0x07, 3, 0x08, 0x45, 0x10, 0x0E, 0x18};
    const uint8_t one[] = {0x07, 1, 0x18};
    struct buffer out = {0};
    uint32_t index;
    assert_int_equal(append_one(bytes_of(two, sizeof two), &out, &index), CLEW_OK);
    assert_int_equal(index, 2);
    assert_int_equal(out.size, sizeof three);
    assert_memory_equal(out.data, three, sizeof three);
    buffer_clear(&out);
    assert_int_equal(append_one((struct bytes){0}, &out, &index), CLEW_OK);
    assert_int_equal(index, 0);
    assert_memory_equal(out.data, one, sizeof one);
    const uint8_t types[] = {0x08, 0x0F, 0x01}, five[] = {0x07, 4, 0x08, 0x45, 0x10, 0x0E, 0x08, 0x0F, 0x01};
    buffer_clear(&out);
    assert_int_equal(weave_append_locals(bytes_of(two, sizeof two), bytes_of(types, sizeof types), 2, &out, &index),
                     CLEW_OK);
    assert_int_equal(index, 2);
    assert_memory_equal(out.data, five, sizeof five);
    buffer_free(&out);
}

static void test_the_count_of_locals_grows_a_byte(void **state)
{
    (void)state;
    struct buffer many = {0}, out = {0};
    uint32_t index;
    buffer_u8(&many, 0x07);
    buffer_u8(&many, 127);
    for (int i = 0; i < 127; i++) {
        buffer_u8(&many, 0x08);
    }
    assert_int_equal(append_one(bytes_of(many.data, many.size), &out, &index), CLEW_OK);
    assert_int_equal(index, 127);
    assert_int_equal(out.data[1], 0x80);
    assert_int_equal(out.data[2], 128);
    assert_int_equal(out.size, many.size + 2);
    buffer_free(&many);
    buffer_free(&out);
}

// -- Installed methods ------------------------------------------------------------------------------------------------

static struct bytes probe_signature(const void *context, uint32_t token)
{
    static const uint8_t number[] = {0x09, 1, 0x01, 0x08}, keep[] = {0x09, 1, 0x18, 0x08},
                         activation[] = {0x09, 1, 0x01, 0x18}, query[] = {0x09, 1, 0x05, 0x08},
                         wait[] = {0x09, 1, 0x01, 0x02};
    (void)context;
    switch (token) {
    case NUMBER:
        return bytes_of(number, sizeof number);
    case QUERY:
        return bytes_of(query, sizeof query);
    case WAIT:
        return bytes_of(wait, sizeof wait);
    case ADDRESS:
        return bytes_of(keep, sizeof keep);
    case ACTIVATION:
        return bytes_of(activation, sizeof activation);
    default:
        return (struct bytes){0};
    }
}

static const char *weave_and_verify(const struct metadata *metadata, uint32_t token, struct bytes bytes, void *context)
{
    unsigned long *with_local = context;
    struct arena arena = {0};
    struct buffer encoded = {0}, locals = {0};
    struct il_body body;
    struct weave_binding binding = {&waiting_targets, &signatures, METHOD, token, 0, 0};
    const struct il_tokens tokens = {metadata, probe_signature, NULL};
    struct il_method_shape shape;
    const char *reason = "does not decode";
    if (il_decode(bytes, &arena, &body) == CLEW_OK && il_shape(metadata, token, &shape) == CLEW_OK) {
        uint32_t row = TOKEN_ROW(body.locals_token);
        struct bytes original =
            metadata_blob(metadata, metadata_column(metadata, TABLE_STAND_ALONE_SIG, row, STAND_ALONE_SIG_SIGNATURE));
        reason = "locals cannot be added to";
        if (append_one(original, &locals, &binding.local) == CLEW_OK) {
            shape.local_count = binding.local + weave_needs_local(&body);
            *with_local += weave_needs_local(&body);
            reason = weave_empty(&body, &binding) == CLEW_OK && il_encode(&body, &encoded) == CLEW_OK
                         ? NULL
                         : "is not encoded";
        }
    }
    if (!reason && il_decode(bytes_of(encoded.data, encoded.size), &arena, &body) == CLEW_OK &&
        il_verify(&body, &shape, &tokens, &reason) == CLEW_OK) {
        reason = NULL;
    }
    buffer_free(&encoded);
    buffer_free(&locals);
    arena_free(&arena);
    return reason;
}

static void test_installed_methods_verify_when_woven(void **state)
{
    (void)state;
    unsigned long with_local = 0;
    struct installed all = {.visit = weave_and_verify, .context = &with_local};
    installed_methods(&all);
    print_message("%lu assemblies, %lu methods woven, %lu with handlers, %lu failed\n", all.assemblies, all.methods,
                  with_local, all.failed);
    assert_true(all.methods > 10000);
    assert_int_equal(all.failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry_and_exit),
        cmocka_unit_test(test_streams_may_wait_for_room),
        cmocka_unit_test(test_every_return_is_an_exit),
        cmocka_unit_test(test_a_loop_to_the_start_does_not_enter_again),
        cmocka_unit_test(test_all_paths_to_a_return_record_the_exit),
        cmocka_unit_test(test_a_tail_call_stays_one),
        cmocka_unit_test(test_branches_to_the_ret_of_a_tail_call_run_its_exit),
        cmocka_unit_test(test_a_header_may_have_a_larger_stack_than_needed),
        cmocka_unit_test(test_a_call_to_itself_may_be_a_tail_call),
        cmocka_unit_test(test_jmp_is_an_exit),
        cmocka_unit_test(test_throw_is_not_an_exit),
        cmocka_unit_test(test_handlers_restate_their_activation),
        cmocka_unit_test(test_a_filter_keeps_its_place_before_its_handler),
        cmocka_unit_test(test_locals_are_appended),
        cmocka_unit_test(test_the_count_of_locals_grows_a_byte),
        cmocka_unit_test(test_installed_methods_verify_when_woven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
