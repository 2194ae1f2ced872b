// Opcodes replaced in place: which, where, and that nothing else changes.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "assemble.h"
#include "il/patch.h"

static void a_condition_is_inverted(void **state)
{
    (void)state;
    static const unsigned forms[] = {ASSEMBLE_TINY, ASSEMBLE_FAT, ASSEMBLE_LONG_HEADER};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct buffer before = {0};
        struct buffer after = {0};
        assemble("ldarg.0; ldarg.1; ceq; ldarg.0; ldarg.1; ceq; and; ret", forms[i], 8, &before);
        assemble("ldarg.0; ldarg.1; ceq; ldarg.0; ldarg.1; cgt.un; and; ret", forms[i], 8, &after);
        uint32_t offset = 99;
        struct il_patch patch = {.from = IL_CEQ, .to = IL_CGT_UN, .occurrence = 1};
        assert_int_equal(il_patch_body(before.data, before.size, &patch, &offset), CLEW_OK);
        assert_int_equal(offset, 6);
        assert_memory_equal(before.data, after.data, after.size);
        buffer_free(&before);
        buffer_free(&after);
    }
}

static void operands_are_not_taken_for_opcodes(void **state)
{
    (void)state;
    struct buffer body = {0};
    struct buffer expected = {0};
    assemble("ldc.i4 0x30303030; ldarg.0; bgt.s z; ldstr 0x70003030; pop; z: ret", ASSEMBLE_FAT, 8, &body);
    assemble("ldc.i4 0x30303030; ldarg.0; blt.un.s z; ldstr 0x70003030; pop; z: ret", ASSEMBLE_FAT, 8, &expected);
    uint32_t offset;
    struct il_patch patch = {.from = IL_BGT_S, .to = IL_BLT_UN_S};
    assert_int_equal(il_patch_body(body.data, body.size, &patch, &offset), CLEW_OK);
    assert_int_equal(offset, 6);
    assert_memory_equal(body.data, expected.data, expected.size);
    buffer_free(&body);
    buffer_free(&expected);
}

static void missing_opcodes_are_not_found(void **state)
{
    (void)state;
    struct buffer body = {0};
    assemble("ldarg.0; ldarg.1; ceq; pop; ret", ASSEMBLE_FAT, 8, &body);
    struct buffer kept = {0};
    buffer_append(&kept, body.data, body.size);
    uint32_t offset;
    struct il_patch second = {.from = IL_CEQ, .to = IL_CGT_UN, .occurrence = 1};
    assert_int_equal(il_patch_body(body.data, body.size, &second, &offset), CLEW_NOT_FOUND);
    struct il_patch none = {.from = IL_ADD, .to = IL_SUB};
    assert_int_equal(il_patch_body(body.data, body.size, &none, &offset), CLEW_NOT_FOUND);
    struct il_patch first = {.from = IL_CEQ, .to = IL_CGT_UN};
    assert_int_equal(il_patch_body(body.data, body.size - 1, &first, &offset), CLEW_MALFORMED);
    struct il_patch other = {.from = IL_CEQ, .to = IL_ADD};
    assert_int_equal(il_patch_body(body.data, body.size, &other, &offset), CLEW_UNSUPPORTED);
    assert_memory_equal(body.data, kept.data, kept.size);
    buffer_free(&body);
    buffer_free(&kept);
}

static void only_alike_opcodes_are_interchangeable(void **state)
{
    (void)state;
    static const struct {
        enum il_opcode from, to;
        bool expected;
    } cases[] = {
        {IL_CEQ, IL_CGT_UN, true},
        {IL_CEQ, IL_CLT, true},
        {IL_BEQ_S, IL_BNE_UN_S, true},
        {IL_BEQ, IL_BLT_UN, true},
        {IL_BEQ_S, IL_BEQ, false},
        {IL_BRTRUE, IL_BRFALSE, true},
        {IL_BRTRUE_S, IL_BR_S, false},
        {IL_BRTRUE, IL_BEQ, false},
        {IL_BR, IL_LEAVE, false},
        {IL_ADD, IL_SUB, true},
        {IL_ADD, IL_REM, true},
        {IL_ADD, IL_XOR, false},
        {IL_AND, IL_OR, true},
        {IL_SHL, IL_SHR, true},
        {IL_SHL, IL_ADD, false},
        {IL_CEQ, IL_ADD, false},
        {IL_LDNULL, IL_LDC_I4_0, false},
        {IL_LDC_I4_0, IL_LDC_I4_M1, true},
        {IL_LDC_I4_0, IL_LDC_I4_S, false},
        {IL_CALL, IL_CALLVIRT, false},
        {IL_CALL, IL_NEWOBJ, false},
        {IL_NOP, IL_POP, false},
        {IL_VOLATILE, IL_TAIL, false},
        {IL_RET, IL_THROW, false},
        {IL_CONV_I1, IL_CONV_OVF_U4, true},
        {IL_CONV_I4, IL_CONV_I8, false},
        {IL_LDIND_I4, IL_LDIND_I8, false},
        {IL_LDELEM_I2, IL_LDELEM_U2, true},
        {IL_STELEM_I2, IL_STELEM_I4, false},
        {IL_END, IL_END, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(il_interchangeable(cases[i].from, cases[i].to), cases[i].expected);
        assert_int_equal(il_interchangeable(cases[i].to, cases[i].from), cases[i].expected);
    }
}

// Whatever the families say, the table must agree that nothing around has to change.
static void interchangeable_opcodes_have_the_same_effect(void **state)
{
    (void)state;
    unsigned pairs = 0;
    for (unsigned i = 0; i < IL_OPCODE_LIMIT; i++) {
        for (unsigned k = 0; k < IL_OPCODE_LIMIT; k++) {
            if (il_interchangeable((enum il_opcode)i, (enum il_opcode)k)) {
                assert_non_null(il_opcodes[i].name);
                assert_int_equal(il_opcodes[i].size, il_opcodes[k].size);
                assert_int_equal(il_opcodes[i].operand, il_opcodes[k].operand);
                assert_int_equal(il_opcodes[i].pops, il_opcodes[k].pops);
                assert_int_equal(il_opcodes[i].pushes, il_opcodes[k].pushes);
                assert_int_equal(il_opcodes[i].flow, il_opcodes[k].flow);
                pairs++;
            }
        }
    }
    assert_true(pairs > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condition_is_inverted),
        cmocka_unit_test(operands_are_not_taken_for_opcodes),
        cmocka_unit_test(missing_opcodes_are_not_found),
        cmocka_unit_test(only_alike_opcodes_are_interchangeable),
        cmocka_unit_test(interchangeable_opcodes_have_the_same_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
