// Replaces opcodes in place. A list of families says which opcodes are interchangeable. Comparing what they pop and
// push would not be enough: `ldnull` and `ldc.i4.0` both push one value, but of different kinds.
#include "il/patch.h"

#include "base/assert.h"
#include "il/body.h"

enum family {
    NO_FAMILY,
    COMPARISON,
    BRANCH_ON_ONE,
    BRANCH_ON_TWO,
    SMALL_CONSTANT,
    ARITHMETIC, // for integers and floats
    INTEGER_ARITHMETIC,
    SHIFT,
    TO_INT32,
    TO_INT64,
    TO_NATIVE,
    TO_FLOAT,
    LOAD_BYTE,
    LOAD_SHORT,
    LOAD_INT,
    LOAD_BYTE_ELEMENT,
    LOAD_SHORT_ELEMENT,
    LOAD_INT_ELEMENT,
};

static const struct {
    enum il_opcode first, last;
    enum family family;
} families[] = {
    {IL_CEQ, IL_CLT_UN, COMPARISON},
    {IL_BRFALSE_S, IL_BRTRUE_S, BRANCH_ON_ONE},
    {IL_BRFALSE, IL_BRTRUE, BRANCH_ON_ONE},
    {IL_BEQ_S, IL_BLT_UN_S, BRANCH_ON_TWO},
    {IL_BEQ, IL_BLT_UN, BRANCH_ON_TWO},
    {IL_LDC_I4_M1, IL_LDC_I4_8, SMALL_CONSTANT},
    {IL_ADD, IL_DIV, ARITHMETIC},
    {IL_REM, IL_REM, ARITHMETIC},
    {IL_DIV_UN, IL_DIV_UN, INTEGER_ARITHMETIC},
    {IL_REM_UN, IL_XOR, INTEGER_ARITHMETIC},
    {IL_ADD_OVF, IL_SUB_OVF_UN, INTEGER_ARITHMETIC},
    {IL_SHL, IL_SHR_UN, SHIFT},
    {IL_CONV_I1, IL_CONV_I4, TO_INT32},
    {IL_CONV_U4, IL_CONV_U4, TO_INT32},
    {IL_CONV_U2, IL_CONV_U1, TO_INT32},
    {IL_CONV_OVF_I1_UN, IL_CONV_OVF_I4_UN, TO_INT32},
    {IL_CONV_OVF_U1_UN, IL_CONV_OVF_U4_UN, TO_INT32},
    {IL_CONV_OVF_I1, IL_CONV_OVF_U4, TO_INT32},
    {IL_CONV_I8, IL_CONV_I8, TO_INT64},
    {IL_CONV_U8, IL_CONV_U8, TO_INT64},
    {IL_CONV_OVF_I8_UN, IL_CONV_OVF_I8_UN, TO_INT64},
    {IL_CONV_OVF_U8_UN, IL_CONV_OVF_U8_UN, TO_INT64},
    {IL_CONV_OVF_I8, IL_CONV_OVF_U8, TO_INT64},
    {IL_CONV_I, IL_CONV_OVF_U, TO_NATIVE},
    {IL_CONV_OVF_I_UN, IL_CONV_OVF_U_UN, TO_NATIVE},
    {IL_CONV_U, IL_CONV_U, TO_NATIVE},
    {IL_CONV_R4, IL_CONV_R8, TO_FLOAT},
    {IL_CONV_R_UN, IL_CONV_R_UN, TO_FLOAT},
    {IL_LDIND_I1, IL_LDIND_U1, LOAD_BYTE},
    {IL_LDIND_I2, IL_LDIND_U2, LOAD_SHORT},
    {IL_LDIND_I4, IL_LDIND_U4, LOAD_INT},
    {IL_LDELEM_I1, IL_LDELEM_U1, LOAD_BYTE_ELEMENT},
    {IL_LDELEM_I2, IL_LDELEM_U2, LOAD_SHORT_ELEMENT},
    {IL_LDELEM_I4, IL_LDELEM_U4, LOAD_INT_ELEMENT},
};

static enum family family_of(enum il_opcode opcode)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (opcode >= families[i].first && opcode <= families[i].last) {
            return families[i].family;
        }
    }
    return NO_FAMILY;
}

bool il_interchangeable(enum il_opcode from, enum il_opcode to)
{
    // Within a family, only short and long branches have different sizes; these have different operands too.
    enum family family = family_of(from);
    return family != NO_FAMILY && family == family_of(to) && il_opcodes[from].operand == il_opcodes[to].operand;
}

static const struct il_instruction *find(const struct il_body *body, const struct il_patch *patch)
{
    uint32_t left = patch->occurrence;
    for (const struct il_instruction *instruction = body->first; instruction != body->end;
         instruction = instruction->next) {
        if (instruction->opcode == patch->from && left-- == 0) {
            return instruction;
        }
    }
    return NULL;
}

enum clew_error il_patch_body(uint8_t *body, size_t size, const struct il_patch *patch, uint32_t *offset)
{
    if (!il_interchangeable(patch->from, patch->to)) {
        return CLEW_UNSUPPORTED;
    }
    struct arena arena = {0};
    struct il_body decoded;
    enum clew_error error = il_decode(bytes_of(body, size), &arena, &decoded);
    const struct il_instruction *found = error == CLEW_OK ? find(&decoded, patch) : NULL;
    if (found) {
        *offset = found->offset;
        uint32_t last = decoded.header_size + found->offset + il_opcodes[patch->from].size - 1U;
        CLEW_ASSERT(last < size && il_opcodes[patch->from].size == il_opcodes[patch->to].size);
        body[last] = (uint8_t)patch->to; // the first of two bytes is FE in both opcodes
    } else if (error == CLEW_OK) {
        error = CLEW_NOT_FOUND;
    }
    arena_free(&arena);
    return error;
}
