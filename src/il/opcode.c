// The opcode table, filled from the list in the header.
#include "il/opcode.h"

#include <string.h>

enum {
    // Bytes of each operand kind, by the name it has in the list.
    BYTES_NONE = 0, BYTES_ARGUMENT8 = 1, BYTES_ARGUMENT16 = 2, BYTES_LOCAL8 = 1, BYTES_LOCAL16 = 2,
    BYTES_ALIGNMENT = 1, BYTES_I8 = 1, BYTES_I32 = 4, BYTES_I64 = 8, BYTES_R32 = 4, BYTES_R64 = 8,
    BYTES_BRANCH8 = 1, BYTES_BRANCH32 = 4, BYTES_SWITCH = 4, BYTES_FIELD = 4, BYTES_METHOD = 4, BYTES_TYPE = 4,
    BYTES_STRING = 4, BYTES_SIGNATURE = 4, BYTES_TOKEN = 4,
};

const struct il_opcode_info il_opcodes[IL_OPCODE_LIMIT] = {
#define X(constant, text, encoding, operand_kind, pop_count, push_count, flow_kind) \
    [encoding] = {.name = text,                                                     \
                  .size = (encoding) < 0x100 ? 1 : 2,                               \
                  .operand = IL_OPERAND_##operand_kind,                             \
                  .pops = pop_count,                                                \
                  .pushes = push_count,                                             \
                  .flow = IL_FLOW_##flow_kind,                                      \
                  .operand_bytes = BYTES_##operand_kind},
    IL_OPCODES(X)
#undef X
};

enum il_opcode il_long_branch(enum il_opcode opcode)
{
    if (opcode >= IL_BR_S && opcode <= IL_BLT_UN_S) {
        return (enum il_opcode)(opcode + (IL_BR - IL_BR_S));
    }
    return opcode == IL_LEAVE_S ? IL_LEAVE : opcode;
}

bool il_opcode_from_name(const char *name, enum il_opcode *out)
{
    for (unsigned i = 0; i < IL_OPCODE_LIMIT; i++) {
        if (il_opcodes[i].name && strcmp(il_opcodes[i].name, name) == 0) {
            *out = (enum il_opcode)i;
            return true;
        }
    }
    return false;
}
