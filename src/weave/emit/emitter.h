// Emits the instructions of probes in front of an instruction of the body, and counts them against the limits beyond which
// the JIT does not optimise. A dry emitter only counts: planning uses it to learn the size of a woven body beforehand.
//
// Memory comes from the body's arena. Running out of it sets `failed`, after which nothing is emitted.
#ifndef CLEW_WEAVE_EMITTER_H
#define CLEW_WEAVE_EMITTER_H

#include "il/body.h"

// The quantities by which the JIT decides whether to optimise a method (dotnet/runtime, jit/compiler.h,
// DEFAULT_MIN_OPTS_*).
struct weave_tally {
    uint32_t instructions, bytes, blocks;
    uint32_t references; // to locals and arguments
};

struct emitter {
    struct il_body *body;
    struct il_instruction *before; // the instruction in front of which new ones go
    struct il_instruction *first;  // the first one emitted since the caller last set this to NULL
    struct weave_tally tally;
    bool dry; // count only
    bool failed;
};

void emit(struct emitter *at, enum il_opcode opcode, int64_t operand);
// The opcode is a long form, LDLOC, STLOC, LDLOCA, LDARG or LDARGA: becomes the short one where the number allows it.
void emit_variable(struct emitter *at, enum il_opcode opcode, uint32_t number);
void emit_number(struct emitter *at, uint32_t value); // int32, in its shortest form
void emit_offset(struct emitter *at, size_t offset);  // adds it to the address on top of the stack; nothing for 0
void emit_address(struct emitter *at, uintptr_t address);
// An unmanaged `calli` of a native function; `signature` is its StandAloneSig token.
void emit_call(struct emitter *at, uintptr_t target, uint32_t signature);

// A branch forward over the instructions that are emitted until emit_skip_end().
struct emitter_skip {
    struct il_instruction *target;
};
struct emitter_skip emit_branch(struct emitter *at, enum il_opcode opcode);
void emit_skip_end(struct emitter *at, struct emitter_skip skip);
// Turns a `ret` of the body into a `leave` to where emit_skip_end() ends the skip, which begins empty and may have several.
void emit_leave(struct emitter *at, struct il_instruction *ret, struct emitter_skip *skip);
// A `nop`, to which labels may lead; NULL if nothing is inserted.
struct il_instruction *emit_place_of_label(struct emitter *at);

// Counts a body that nothing was emitted into.
void weave_tally_body(const struct il_body *body, struct weave_tally *out);

#endif
