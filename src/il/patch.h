// Replaces one opcode of a body by another of the same size, in place, so that header, branches and regions stay as
// they are: `ceq` by `cgt.un`, `add` by `sub`. So far only tests use it: test/patch/patcher.c shows with it that a
// running program takes a changed body.
#ifndef CLEW_IL_PATCH_H
#define CLEW_IL_PATCH_H

#include <stddef.h>

#include "base/error.h"
#include "il/opcode.h"

struct il_patch {
    enum il_opcode from, to;
    uint32_t occurrence; // which one of the `from` in the method, in the order of the code, from 0
};

// Whether `to` may replace `from` in any context: both have the same size and operand, and pop and push the same kinds
// of values.
bool il_interchangeable(enum il_opcode from, enum il_opcode to);

// Changes `body`, which starts at the method header. *offset: that of the instruction in the code. On an error nothing
// has changed: UNSUPPORTED: the opcodes are not interchangeable; NOT_FOUND: there are fewer occurrences; or an error of
// il_decode().
enum clew_error il_patch_body(uint8_t *body, size_t size, const struct il_patch *patch, uint32_t *offset);

#endif
