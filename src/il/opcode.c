// The opcode table, generated from the list in the header.
#include "il/opcode.h"

#include <string.h>

#include "base/assert.h"

enum {
#define X(kind, bytes) BYTES_##kind = bytes,
    IL_OPERANDS(X)
#undef X
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

static_assert(IL_BLT_UN - IL_BR == IL_BLT_UN_S - IL_BR_S, "short and long branches are in the same order");

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
