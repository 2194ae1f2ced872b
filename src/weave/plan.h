// How the sites of a plan get their values: what plan.c hands to the code that inserts instructions.
#ifndef CLEW_WEAVE_PLAN_H
#define CLEW_WEAVE_PLAN_H

#include "il/stack.h"
#include "weave/emitter.h"
#include "weave/weave_sites.h"

// When something is done, seen from one of the original instructions with its prefixes.
enum weave_moment {
    MOMENT_ENTRY,  // behind the entry probe
    MOMENT_BEFORE, // in front of the instruction, on every way to it
    MOMENT_AFTER,  // behind it
};

// What is put aside of the stack in front of the instruction, deepest first, and put back. The letters say which locals
// of the tap get it: o owner, i index, v value. Only the o and the v on top are duplicated.
enum weave_keep {
    KEEP_NOTHING,
    KEEP_VALUE,             // v
    KEEP_OWNER,             // o
    KEEP_OWNER_VALUE,       // o v
    KEEP_OWNER_INDEX,       // o i
    KEEP_OWNER_INDEX_VALUE, // o i v
    KEEP_OWNER_ITEMS,       // o i i.. : rank indices
    KEEP_OWNER_ITEMS_VALUE, // o i i.. v
};

// Where the value of an event is.
enum weave_source {
    FROM_NOWHERE,     // it has none
    FROM_KEPT,        // in the tap's value local
    FROM_LOCAL,       // in the program's variables, by `number`
    FROM_PARAMETER,   //
    FROM_LOCAL_FIELD, // in field `field` of the struct in them
    FROM_PARAMETER_FIELD,
    FROM_THIS_FIELD,   // in field `field` of `this`
    FROM_STATIC_FIELD, // in static field `field`
    FROM_ADDRESS,      // behind the address in the owner local
    FROM_DEFAULT,      // it is all zero
};

// How a result on top of the stack gets into the value local and back. A reference may stay in no stack slot of ours
// longer than to the next allocation or call, and in unoptimised code a local lives as long as its method.
enum weave_result {
    RESULT_COPIED,       // it holds no references: it comes back at once
    RESULT_DUPLICATED,   // by `dup`, which needs no stack slot more: the JIT has it in one, or will have
    RESULT_UNTIL_STORED, // the next instruction stores it; then the local is cleared
    RESULT_TESTED,       // the next instruction branches on whether it is null, and gets that
    RESULT_HELD,         // until planner_hold() has seen to it: by `dup`, out of a local where it waits
};

// How the event is made.
enum weave_way {
    WAY_INLINE,
    WAY_BITS,  // site_bits
    WAY_AT,    // site_at
    WAY_TYPED, // site_typed
    WAY_SIZED, // site_sized
    // Without a copy, where the struct is: site_sized or site_at with the address of the method's own variable, site_behind
    // with that of a local that has the address of any other place.
    WAY_IN_PLACE,
};

// Without an event: what is on top of the stack in front of a statement leaves it, or comes back.
enum weave_emptying {
    EMPTYING_NOT,
    EMPTYING_POP,   // the owner local has it already
    EMPTYING_STORE, // it goes to the owner local
    EMPTYING_LOAD,
};

struct weave_tap {
    uint32_t at; // position among the original instructions; of ENTRY 0
    enum weave_moment moment;
    bool without_event; // what is on top of the stack is copied to the owner local: an address for a later tap, or an
                        // object that waits while probes run
    bool releases;      // without an event, too: the owner local is cleared
    enum weave_emptying emptying;
    enum weave_keep keep;
    bool takes_result;        // behind the instruction its result, on top of the stack, is copied to the value local...
    enum weave_result result; // ...in this way
    bool until_exit;          // the value stays in its local until the method's exit has been recorded
    bool guarded;             // no event where the owner local is null
    enum weave_way way;
    enum weave_source source;
    uint32_t number, field;
    uint32_t rank;       // KEEP_OWNER_ITEMS: how many
    uint32_t site;       // position in the plan
    uint32_t type_token; // stands for the value's type: STRUCT, TYPED
    // Numbers among the appended locals.
    uint32_t value, owner, index, typed;
    uint32_t items[4];
    enum il_kind value_kind, owner_kind, index_kind; // of what these locals hold; UNKNOWN: nothing
    bool clears_value;                               // it may hold references, which must not stay
    bool owner_stays;                                // another tap needs what is in the owner local
};

// A value local whose type is told by a TypedReference to it, made once at entry: the JIT needs a stack slot of 16 bytes
// for each `mkrefany`.
struct weave_typed {
    uint32_t value, typed; // numbers among the appended locals
    uint32_t type_token;
};

// Numbers among the appended locals that a method may have whatever its sites are.
struct weave_fixed {
    uint32_t activation;
    uint32_t context; // of the stream, and `place`: where the cells of a group of inline events go
    uint32_t place;
    uint32_t lines, lines_state, lines_outer, lines_now;
    uint32_t lines_current; // the line that ran until now
};

enum { WEAVE_NONE = UINT32_MAX, WEAVE_RANK_MAX = 4 };

struct weave_details {
    const struct weave_tap *taps; // in the order in which they are done: by `at`, moment and position here
    uint32_t tap_count;
    const struct weave_typed *typed;
    uint32_t typed_count;
    uint32_t room;
    uint32_t method;      // MethodDef token
    uint32_t local_count; // the method's own
    struct weave_fixed fixed;
    struct il_stacks stacks;
};

// Whether something may be put in front of an original instruction (its first prefix): the JIT knows some sequences by
// their pattern and does something else for them (importer.cpp, impBoxPatternMatch and others; some are required).
bool weave_may_stand_before(const struct il_body *body, const struct il_instruction *place);
// Whether something may be put right behind one, which is no prefix.
bool weave_may_stand_behind(const struct il_body *body, const struct il_instruction *place);

// Whether it branches on whether the one value on top of the stack is zero or null.
bool weave_branches_on_one(enum il_opcode opcode);

// Whether a call, with its prefixes, stands in for this activation: the exit goes before it, and its `ret` gets none,
// unless branches lead there too.
bool weave_ends_activation(const struct il_instruction *call, uint32_t token);
// Whether an original `ret` is that call's: nothing else leads to it.
bool weave_returns_for_call(const struct il_body *body, const struct il_instruction *ret, uint32_t token);

// What a body has once weave_sites() has woven it by this plan; nothing is changed.
void weave_tally_plan(struct il_body *body, const struct weave_plan *plan, struct weave_tally *out);

#endif
