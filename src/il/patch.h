// Changes a body in place: one opcode for another that fits into its bytes, so that header, branches and regions stay
// as they are. `ceq` to `cgt.un` turns a condition round, `add` to `sub` a sum.
#ifndef CLEW_IL_PATCH_H
#define CLEW_IL_PATCH_H

#include <stddef.h>

#include "base/error.h"
#include "il/opcode.h"

struct il_patch {
    enum il_opcode from, to;
    uint32_t occurrence; // which of the method's `from`, in the order of the code, counted from 0
};

// Whether `to` may stand for `from` whatever stands around it: of the same length and operand, and taking and leaving
// the same kinds of values.
bool il_interchangeable(enum il_opcode from, enum il_opcode to);

// `body` starts at the method header and is changed; *offset tells where in the code. It stays as it was on an error:
// UNSUPPORTED when the opcodes are not interchangeable, NOT_FOUND when there are fewer occurrences, or what decoding says.
enum clew_error il_patch_body(uint8_t *body, size_t size, const struct il_patch *patch, uint32_t *offset);

#endif
