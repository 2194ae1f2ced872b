// Micro-operations: what planning (plan/) wants to be inserted into a body, and all that emission (emit/) inserts. Each is an
// IL instruction whose operand is symbolic, since numbers of locals and sites and the addresses of native functions are known
// only when the body is woven; or a pseudo-operation, which becomes several instructions.
#ifndef CLEW_WEAVE_OPERATIONS_H
#define CLEW_WEAVE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "il/opcode.h"
#include "trace/site.h"
#include "weave/operations/probes.h"
#include "weave/operations/runs.h"

// Where operations go, relative to an original instruction with its prefixes.
enum weave_moment {
    MOMENT_ENTRY,  // behind the entry probe
    MOMENT_BEFORE, // in front of the instruction, on every path to it; in front of the exit probe too
    MOMENT_LAST,   // the same, but behind the exit probe
    MOMENT_AFTER,  // behind the instruction, on the path from it alone
};

enum weave_operand {
    OPERAND_LITERAL, // `number`: a token, or nothing
    OPERAND_NUMBER,  // `number`, as an int32 in its shortest form; the opcode is LDC_I4
    OPERAND_VARIABLE, // the method's own variable. Opcodes are long forms, here and below: LDLOC, STLOC, LDLOCA, LDARG, LDARGA
    OPERAND_LOCAL, // an appended local
    // The opcode is LDC_I4, and the operand is always of 32 bits:
    OPERAND_METHOD, // number of the method
    OPERAND_SITE,   // number of the site at position `number` in the plan
    OPERAND_EVENT,  // the first cell of an event of that site
    // Pseudo-operations:
    OPERAND_OFFSET,  // adds `number` to the address on top of the stack; nothing for 0
    OPERAND_CONTEXT, // adds the offset of a word (enum weave_context) to the context on top of the stack
    OPERAND_PROBE,   // calls a native function (enum weave_probe). Its result stays on the stack
    OPERAND_WAIT,    // the same for one that returns whether the thread has to wait, and lets it wait
    OPERAND_TICK,    // the tick word goes to the stack
    OPERAND_TIME,    // the time now goes to an appended int64 local
    OPERAND_SKIP,    // branches by `opcode` to the HERE that belongs to it; they nest
    OPERAND_HERE,
    OPERAND_PLACE, // the operations that follow go to `moment` of the original instruction at position `number`
};

enum weave_context { CONTEXT_AT, CONTEXT_LIMIT, CONTEXT_CURRENT, CONTEXT_TICK };

struct weave_op {
    uint16_t opcode; // enum il_opcode
    uint8_t operand; // enum weave_operand
    uint8_t moment;  // enum weave_moment
    uint32_t number;
};

// The result of planning. Without sites and operations a method gets the probes of calls alone.
struct weave_plan {
    struct site *sites; // in the body's arena
    uint32_t count;
    uint32_t statements;  // STATEMENT sites; the counters of `lines` count them from 0 in their order
    uint32_t instruments; // those of the method that are left
    uint32_t dropped;    // those that are not: the JIT would not optimise the woven body, or it has too many statements
    struct bytes locals; // signatures of the locals to append, one after the other
    uint32_t local_count;
    const struct weave_op *ops; // by rising places, after the order of the code
    uint32_t op_count;
    uint32_t context;       // 1 + the appended local for the context of the thread; 0: no events go to a stream
    uint32_t current;       // 1 + that for the activation that runs on it, as an int32; 0: nothing compares it
    uint32_t stack_slots;   // that the operations need above those of the program
    bool counts;            // calls are counted, and nothing else is recorded
    struct weave_runs runs; // of an async body whose runs are linked; without points its runs are ordinary activations
};

// What the symbolic operands of micro-operations stand for.
struct weave_binding {
    const struct weave_targets *targets;
    const struct weave_signatures *signatures;
    uint32_t method;     // number of the method in the recording
    uint32_t token;      // its MethodDef: a `call` to itself right before `ret` may become a tail call
    uint32_t local;      // the first of the appended locals; unused if there are none
    uint32_t first_site; // number of the first site
};

static inline struct weave_op op_of(enum il_opcode opcode, enum weave_operand operand, uint32_t number)
{
    return (struct weave_op){.opcode = (uint16_t)opcode, .operand = (uint8_t)operand, .number = number};
}

static inline struct weave_op op_plain(enum il_opcode opcode)
{
    return op_of(opcode, OPERAND_LITERAL, 0);
}

static inline struct weave_op op_token(enum il_opcode opcode, uint32_t token)
{
    return op_of(opcode, OPERAND_LITERAL, token);
}

static inline struct weave_op op_variable(enum il_opcode opcode, uint32_t variable)
{
    return op_of(opcode, OPERAND_VARIABLE, variable);
}

static inline struct weave_op op_local(enum il_opcode opcode, uint32_t local)
{
    return op_of(opcode, OPERAND_LOCAL, local);
}

static inline struct weave_op op_number(uint32_t number)
{
    return op_of(IL_LDC_I4, OPERAND_NUMBER, number);
}

static inline struct weave_op op_offset(uint32_t offset)
{
    return op_of(IL_ADD, OPERAND_OFFSET, offset);
}

static inline struct weave_op op_probe(enum weave_probe probe)
{
    return op_of(IL_CALLI, OPERAND_PROBE, probe);
}

// The values that operations leave on the stack, less those that they take off it; *deepest: the most that are there
// meanwhile, above those of the program.
int weave_stack_effect(const struct weave_op *ops, size_t count, int *deepest);
// Whether the operations from byte `from` of a list on leave the stack as it was, and need at most `slots` more. True for a list
// that has failed.
bool weave_are_balanced(const struct buffer *ops, size_t from, int slots);

#endif
