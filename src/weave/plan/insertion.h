// What planning inserts, before it is lowered to micro-operations (lower.c): events, whose operations depend on each other's,
// and operations as they stand.
#ifndef CLEW_WEAVE_INSERTION_H
#define CLEW_WEAVE_INSERTION_H

#include "il/type.h"
#include "weave/operations/operations.h"

enum { RANK_MAX = 4, INSERTION_OPS_MAX = 3 };

// The operands of an instruction that an event needs, or-ed. In front of the instruction they are spilled to locals of the
// insertion and reloaded; from the deepest up: the owner, its index or its `rank` indices, the value.
enum spill {
    SPILL_NOTHING = 0,
    SPILL_OWNER = 1u << 0,
    SPILL_INDEX = 1u << 1,
    SPILL_VALUE = 1u << 2,
};

enum source_kind {
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
struct source {
    enum source_kind kind;
    uint32_t number, field;
};

// Where the index or key of an item comes from, if it does not lie on the stack as an int32 or native int (SPILL_INDEX).
enum item_index {
    INDEX_ON_STACK,
    INDEX_OF_RANK, // the position of the item with `rank` indices
    INDEX_OF_KEY,  // the number of the object that is the key: of rank 1
    INDEX_NEWEST,  // one less than the count of the collection, at `count_at` in it
    INDEX_UNKNOWN, // the key, of rank 1, is not recorded
    INDEX_SAVED,   // an instruction further up has copied it to the index local
};

// How an event copies the result on top of the stack to its value local. A stack slot of ours may hold a reference no
// longer than to the next allocation or call, and in unoptimised code a local lives as long as its method.
enum result {
    RESULT_UNUSED,       // the event does not record the result of the instruction
    RESULT_COPIED,       // the result holds no references: it is reloaded at once
    RESULT_DUPLICATED,   // by `dup`, which needs no further stack slot: the JIT has the value in one, or will have
    RESULT_UNTIL_STORED, // the next instruction stores it; then the local is cleared
    RESULT_TESTED,       // the next instruction branches on whether it is null, and gets the outcome of that test
    RESULT_HELD,         // planner_hold() turns this into DUPLICATED, out of the local in which the object waits
};

// How the cells of an event are written.
enum strategy {
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
struct appended {
    uint32_t number; // among the appended locals
    enum il_kind kind;
};

struct event {
    uint32_t site; // position in the plan
    enum strategy strategy;
    struct source source;
    uint32_t spills; // enum spill, or-ed
    uint32_t rank;   // SPILL_OWNER: how many indices of an array's item are spilled to `items`
    enum result result;
    bool until_exit;        // the value stays in its local until the method's exit has been recorded
    bool guarded;           // no event where the owner local is null
    bool clears_value;      // the value local may hold references, which must not stay
    bool owner_stays;       // another event needs the owner local too
    bool owner_is_variable; // the JIT has the owner in a variable, which it can duplicate without a further stack slot
    uint32_t type_token;    // of the value's type: STRUCT, TYPED
    struct appended value, owner, index;
    uint32_t outcome; // RESULT_TESTED: the int32 local with the outcome of the test
    uint32_t typed;   // EMIT_TYPED: the local with the TypedReference
    uint32_t items[RANK_MAX];
    enum item_index index_from;
    uint32_t count_at;
    uint32_t key_token; // INDEX_UNKNOWN: of the key's type, if its local is to be cleared
};

// Something that goes into the body, at or around an original instruction.
struct insertion {
    uint32_t at; // position among the original instructions; of ENTRY 0
    enum weave_moment moment;
    uint32_t op_count; // 0: an event
    // Of operations: all events before them are written first. Otherwise only those that have yet to read a local, since the
    // operations may change it.
    bool apart;
    union {
        struct event event;
        struct weave_op ops[INSERTION_OPS_MAX];
    };
};

static inline bool insertion_is_event(const struct insertion *insertion)
{
    return insertion->op_count == 0;
}

// The operations that clear a local, so that it keeps no object alive; their number, 0 for a kind without references.
// `type_token`: of a struct.
uint32_t insertion_clear(struct appended local, uint32_t type_token, struct weave_op ops[INSERTION_OPS_MAX]);

// A value local of which the agent needs a TypedReference. That is made once, at entry: the JIT needs a stack slot of 16
// bytes for each `mkrefany`.
struct typed {
    uint32_t value, typed; // numbers among the appended locals
    uint32_t type_token;
};

#endif
