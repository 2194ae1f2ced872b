#include "weave/plan/insertion.h"

#include "base/assert.h"

uint32_t insertion_clear(struct appended local, uint32_t type_token, struct weave_op ops[INSERTION_OPS_MAX])
{
    uint32_t count = 0;
    switch (local.kind) {
    case IL_OBJECT:
        ops[count++] = op_plain(IL_LDNULL);
        ops[count++] = op_local(IL_STLOC, local.number);
        break;
    case IL_REFERENCE:
        ops[count++] = op_number(0);
        ops[count++] = op_plain(IL_CONV_U);
        ops[count++] = op_local(IL_STLOC, local.number);
        break;
    case IL_VALUE:
        CLEW_ASSERT(type_token);
        ops[count++] = op_local(IL_LDLOCA, local.number);
        ops[count++] = op_token(IL_INITOBJ, type_token);
        break;
    default:
        break;
    }
    return count;
}
