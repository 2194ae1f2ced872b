// What lies on the evaluation stack before each instruction: kinds, static types, and which instruction put it there. An
// abstract interpretation along every way that the JIT would follow; types are believed, not verified.
#ifndef CLEW_IL_STACK_H
#define CLEW_IL_STACK_H

#include "base/assert.h"
#include "il/body.h"
#include "il/type.h"

// One place on the stack. Stacks share their lower parts, so they are lists from the top down; NULL is the empty one.
struct il_slot {
    const struct il_slot *below;
    uint32_t depth; // places up to and including this one
    struct il_type type;
    // What pushed it, through `dup`; NULL where that depends on the way.
    const struct il_instruction *producer;
};

struct il_stacks {
    const struct il_body *body;
    const struct il_slot **before; // by position among the original instructions
    bool *reached;                 // the same; code that no way leads to has no stack
};

// MALFORMED when ways meet with different depths or something is taken that is not there; UNSUPPORTED when it would take
// too long; NO_MEMORY. Expects an original body, without insertions; takes memory from the scope's arena.
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

// The place that is `down` below the top; NULL when there is none.
const struct il_slot *il_slot_at(const struct il_slot *stack, uint32_t down);

// The long form of an instruction that names a variable (LDARG for `ldarg.0`, `ldarg.s`, `ldarg`; LDARGA, STARG, LDLOC,
// LDLOCA, STLOC), with the variable's number; of any other its own opcode.
enum il_opcode il_family(const struct il_instruction *instruction, uint32_t *number);

#endif
