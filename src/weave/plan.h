// How the events of a plan get their values: the interface between planning (plan.c, planner*.c), which decides without
// changing the body, and weaving (weave*.c, calls.c), which emits the instructions.
#ifndef CLEW_WEAVE_PLAN_H
#define CLEW_WEAVE_PLAN_H

#include "il/stack.h"
#include "weave/emitter.h"
#include "weave/weave_sites.h"

enum { WEAVE_NONE = UINT32_MAX, WEAVE_RANK_MAX = 4 };

// When an insertion takes effect, relative to an original instruction with its prefixes.
enum weave_moment {
    MOMENT_ENTRY,  // behind the entry probe
    MOMENT_BEFORE, // in front of the instruction, on every path to it
    MOMENT_AFTER,  // behind it
};

// The operands of an instruction that an event needs, or-ed. In front of the instruction they are spilled to locals of the
// insertion and reloaded; from the deepest up: the owner, its index or its `rank` indices, the value.
enum weave_spill {
    SPILL_NOTHING = 0,
    SPILL_OWNER = 1u << 0,
    SPILL_INDEX = 1u << 1,
    SPILL_VALUE = 1u << 2,
};

enum weave_source_kind {
    FROM_NONE,        // the event has no value
    FROM_SPILL,       // the value local of the event: an operand or a result
    FROM_LOCAL,       // the method's own variable `number`
    FROM_PARAMETER,   //
    FROM_LOCAL_FIELD, // field `field` of the struct in that variable
    FROM_PARAMETER_FIELD,
    FROM_THIS_FIELD,   // field `field` of `this`
    FROM_STATIC_FIELD, // static field `field`
    FROM_ADDRESS,      // behind the address in the owner local
    FROM_DEFAULT,      // the value is all zero
};

// Where the value of an event comes from.
struct weave_source {
    enum weave_source_kind kind;
    uint32_t number, field;
};

// How an event copies the result on top of the stack to its value local. A stack slot of ours may hold a reference no
// longer than to the next allocation or call, and in unoptimised code a local lives as long as its method.
enum weave_result {
    RESULT_UNUSED,       // the event does not record the result of the instruction
    RESULT_COPIED,       // the result holds no references: it is reloaded at once
    RESULT_DUPLICATED,   // by `dup`, which needs no further stack slot: the JIT has the value in one, or will have
    RESULT_UNTIL_STORED, // the next instruction stores it; then the local is cleared
    RESULT_TESTED,       // the next instruction branches on whether it is null, and gets the outcome of that test
    RESULT_HELD,         // planner_hold() turns this into DUPLICATED, out of the local in which the object waits
};

// How the cells of an event are written.
enum weave_strategy {
    EMIT_INLINE,
    EMIT_BITS,  // site_bits
    EMIT_AT,    // site_at
    EMIT_TYPED, // site_typed
    EMIT_SIZED, // site_sized
    // Without a copy of the struct: site_sized or site_at with the address of the method's own variable, site_behind with
    // the address of a local that holds the address of any other storage location.
    EMIT_IN_PLACE,
};

// An appended local. Kind UNKNOWN: not in use.
struct weave_local {
    uint32_t number; // among the appended locals
    enum il_kind kind;
};

struct weave_event {
    uint32_t site; // position in the plan
    enum weave_strategy strategy;
    struct weave_source source;
    uint32_t spills; // enum weave_spill, or-ed
    uint32_t rank;   // SPILL_OWNER: how many indices of an array's item are spilled to `items`
    enum weave_result result;
    bool until_exit;        // the value stays in its local until the method's exit has been recorded
    bool guarded;           // no event where the owner local is null
    bool clears_value;      // the value local may hold references, which must not stay
    bool owner_stays;       // another event needs the owner local too
    bool owner_is_variable; // the JIT has the owner in a variable, which it can duplicate without a further stack slot
    uint32_t type_token;    // of the value's type: STRUCT, TYPED
    struct weave_local value, owner, index;
    uint32_t outcome; // RESULT_TESTED: the int32 local with the outcome of the test
    uint32_t typed;   // EMIT_TYPED: the local with the TypedReference
    uint32_t items[WEAVE_RANK_MAX];
};

enum insertion_kind {
    INSERT_EVENT, // the event of a site
    // Without an event:
    INSERT_COPY,   // copies the top of the stack to the local: an address for a later event, or an object that waits
                   // while probes run
    INSERT_CLEAR,  // clears the local
    INSERT_RESULT, // moves the method's result to the local until its exit has been recorded
    INSERT_POP,    // in front of a statement the top of the stack is removed: the local has it already
    INSERT_STORE,  // the same, to the local
    INSERT_LOAD,   // behind the statement's probe it is reloaded from the local
};

// Something that goes into the body, at or around an original instruction.
struct insertion {
    uint32_t at; // position among the original instructions; of ENTRY 0
    enum insertion_kind kind;
    enum weave_moment moment;
    union {
        struct weave_event event; // INSERT_EVENT
        struct weave_local local; // all others
    };
};

static inline bool insertion_is_event(const struct insertion *insertion)
{
    return insertion->kind == INSERT_EVENT;
}

// A value local of which the agent needs a TypedReference. That is made once, at entry: the JIT needs a stack slot of 16
// bytes for each `mkrefany`.
struct weave_typed {
    uint32_t value, typed; // numbers among the appended locals
    uint32_t type_token;
};

// Numbers among the appended locals of those that a method needs at most once; WEAVE_NONE where it does not.
struct weave_fixed {
    uint32_t activation;
    uint32_t context; // of the thread's stream
    uint32_t cells;   // the address of the first cell of a group of inline events
    uint32_t lines, lines_state, lines_outer, lines_now;
    uint32_t lines_current; // the line that ran until now
};

struct weave_details {
    const struct insertion *insertions; // in the order in which they take effect: by `at`, moment and position here
    uint32_t insertion_count;
    const struct weave_typed *typed;
    uint32_t typed_count;
    uint32_t room;
    uint32_t method;      // MethodDef token
    uint32_t local_count; // the method's own
    struct weave_fixed fixed;
    struct il_stacks stacks;
};

// Whether instructions may be inserted in front of an original instruction, which is the first of its prefixes: the JIT
// recognises some sequences by their pattern and compiles them differently (importer.cpp, impBoxPatternMatch and others);
// some it requires.
bool weave_may_insert_before(const struct il_body *body, const struct il_instruction *at);
// Whether instructions may be inserted right behind an original instruction that is not a prefix.
bool weave_may_insert_behind(const struct il_body *body, const struct il_instruction *at);

// Whether it branches on whether the one value on top of the stack is zero or null.
bool weave_branches_on_one(enum il_opcode opcode);

// Whether the activation ends before a call, with its prefixes, since the callee takes its place: the exit probe goes in
// front of the call, and the `ret` behind it has none unless branches lead there too. `token`: the method's own MethodDef.
bool weave_ends_activation(const struct il_instruction *call, uint32_t token);
// Whether an original `ret` belongs to such a call and to nothing else.
bool weave_returns_for_call(const struct il_body *body, const struct il_instruction *ret, uint32_t token);

// Counts the body that weave_sites() would make of this plan. The body stays as it is.
void weave_tally_plan(struct il_body *body, const struct weave_plan *plan, struct weave_tally *out);

#endif
