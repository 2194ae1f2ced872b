// Instructions put in front of one, counted for the JIT's limits; or counted only, to see beforehand what they come to.
#ifndef CLEW_WEAVE_INSERTION_H
#define CLEW_WEAVE_INSERTION_H

#include "il/body.h"

// What the JIT counts before it decides whether to optimise (compiler.h, DEFAULT_MIN_OPTS_*).
struct weave_tally {
    uint32_t instructions, bytes, blocks;
    uint32_t references; // to locals and arguments
};

struct insertion {
    struct il_body *body;
    struct il_instruction *place;
    struct il_instruction *first; // of those inserted since it was last NULL
    struct weave_tally tally;
    bool dry; // counts only
    bool failed;
};

void insert(struct insertion *at, enum il_opcode opcode, int64_t operand);
// The short or long form that takes or gives the local of this number, or its address.
void insert_ldloc(struct insertion *at, uint32_t local);
void insert_stloc(struct insertion *at, uint32_t local);
void insert_ldloca(struct insertion *at, uint32_t local);
void insert_ldarg(struct insertion *at, uint32_t argument);
void insert_ldarga(struct insertion *at, uint32_t argument);
void insert_number(struct insertion *at, uint32_t value); // int32, in its shortest form
void insert_address(struct insertion *at, uintptr_t address);
void insert_call(struct insertion *at, uintptr_t target, uint32_t signature);

// A branch forward over what is inserted until insert_here().
struct insertion_skip {
    struct il_instruction *target;
};
struct insertion_skip insert_branch(struct insertion *at, enum il_opcode opcode);
void insert_here(struct insertion *at, struct insertion_skip skip);

// What the body has before anything is inserted.
void weave_tally_body(const struct il_body *body, struct weave_tally *out);

#endif
