// The evaluation stack in front of each instruction: the kind and static type of each slot, and the instruction that
// pushed it. An abstract interpretation along all paths that the JIT follows too (ECMA-335 III.1.7.5, III.1.8.1.3).
// Types are taken from signatures and not verified.
#ifndef CLEW_IL_STACK_H
#define CLEW_IL_STACK_H

#include "base/assert.h"
#include "il/body.h"
#include "il/type.h"

// One slot. A stack is a list from the top down, so that stacks share their lower slots; NULL is the empty stack.
struct il_slot {
    const struct il_slot *below;
    uint32_t depth; // slots up to and including this one
    struct il_type type;
    // The instruction that pushed it first, before any `dup`; NULL where that differs between paths.
    const struct il_instruction *producer;
};

struct il_stacks {
    const struct il_body *body;
    const struct il_slot **before; // by position among the original instructions
    bool *reached;                 // by position too; unreachable code has no stack
};

// For a body without insertions. Allocates in the arena of the scope. MALFORMED: paths meet with different depths, or
// an instruction pops an empty stack. UNSUPPORTED: the analysis would take too long. NO_MEMORY.
enum clew_error il_stacks(const struct il_body *body, const struct il_scope *scope, struct il_stacks *out);

static inline uint32_t il_index(const struct il_body *body, const struct il_instruction *original)
{
    CLEW_ASSERT(original >= body->originals && original <= body->end);
    return (uint32_t)(original - body->originals);
}

static inline bool il_reached(const struct il_stacks *stacks, const struct il_instruction *original)
{
    return stacks->reached[il_index(stacks->body, original)];
}

static inline const struct il_slot *il_stack_before(const struct il_stacks *stacks,
                                                    const struct il_instruction *original)
{
    return stacks->before[il_index(stacks->body, original)];
}

// The slot `down` below the top; NULL: there is none.
const struct il_slot *il_slot_at(const struct il_slot *stack, uint32_t down);

// The long form of an instruction that names a variable (LDARG for `ldarg.0`, `ldarg.s`, `ldarg`; LDARGA, STARG, LDLOC,
// LDLOCA, STLOC), with the variable's number; of any other its own opcode.
enum il_opcode il_family(const struct il_instruction *instruction, uint32_t *number);

#endif
