// State and functions that the files of lowering share. Lowering is one pass over a body that turns its insertions, in the
// order of the code, into the list of micro-operations:
//
//     lower.c         the pass: which insertion and check for room goes where
//     lower_room.c    how much of the room has been used, and where it is unknown
//     lower_spill.c   operands and results on the way from the stack to locals and back
//     lower_event.c   one event, by one of the two strategies:
//     lower_inline.c    cells that the woven code stores itself
//     lower_native.c    calls of native site functions
//     lower_values.c  the value of an event
//     lower_lines.c   the counters of `lines`
//
// Functions return no errors: without memory the planner fails.
#ifndef CLEW_WEAVE_LOWERING_H
#define CLEW_WEAVE_LOWERING_H

#include "weave/plan/planner.h"

enum { GROUP_MAX = 32 };

// Neighbouring inline events, which are written at once: lists of what comes before, between and behind.
struct group {
    uint32_t count, bytes;
    bool reads_locals;
    size_t last_store;                    // where in `stores` the last one begins, by a `dup`
    struct buffer prepare, stores, clear; // struct weave_op
};

struct lowering {
    struct planner *planner;
    struct buffer ops;  // struct weave_op
    struct buffer *to;  // `ops`, or a list of the group
    struct group group; // not in `ops` yet
    // The most bytes of inline events that can have been written since the last check for room, at this point of the code.
    uint32_t used;
    uint32_t *used_at;                 // by position: the most that any branch to a label brings along
    bool *checked;                     // by position: a check for room goes here
    const struct il_instruction *here; // in front of which operations go
    const struct insertion *next;
    const struct event *stored; // its result is cleared behind the next instruction, which stores it; NULL: none
    size_t placed;              // bytes of `ops` up to and including the last PLACE
    size_t behind;              // bytes of `ops` up to the place behind the original instruction before
    uint32_t statement;         // counters of `lines`: statements so far
};

// -- lowering.c

void put(struct lowering *lowering, struct weave_op op);
void put_all(struct lowering *lowering, const struct weave_op *ops, uint32_t count);

static inline void put_plain(struct lowering *lowering, enum il_opcode opcode)
{
    put(lowering, op_plain(opcode));
}

static inline void put_token(struct lowering *lowering, enum il_opcode opcode, uint32_t token)
{
    put(lowering, op_token(opcode, token));
}

static inline void put_local(struct lowering *lowering, enum il_opcode opcode, uint32_t local)
{
    CLEW_ASSERT(local < lowering->planner->local_count && "an appended one");
    put(lowering, op_local(opcode, local));
}

static inline void put_variable(struct lowering *lowering, enum il_opcode opcode, uint32_t variable)
{
    put(lowering, op_of(opcode, OPERAND_VARIABLE, variable));
}

static inline void put_number(struct lowering *lowering, uint32_t number)
{
    put(lowering, op_number(number));
}

static inline void put_probe(struct lowering *lowering, enum weave_probe probe)
{
    put(lowering, op_probe(probe));
}

void put_offset(struct lowering *lowering, size_t offset); // adds it to the address on top of the stack; nothing for 0
void put_site(struct lowering *lowering, enum weave_operand operand, const struct event *event); // SITE or EVENT
void put_context(struct lowering *lowering);                                                     // of the thread
void put_word(struct lowering *lowering, enum weave_context word); // the address of a word of the context

static inline const struct site *site_of(const struct lowering *lowering, const struct event *event)
{
    CLEW_ASSERT(event->site < lowering->planner->site_count);
    return &lowering->planner->sites[event->site];
}

// -- lower_room.c

// False: no memory.
bool room_begin(struct lowering *lowering);
// Before anything goes in front of an instruction: whether a check goes there.
bool room_arrive(struct lowering *lowering, const struct il_instruction *unit);
// Passes the bytes used so far on to all instructions that control can go to.
void room_follow(struct lowering *lowering, const struct il_instruction *from);
void room_check(struct lowering *lowering);

// -- lower_values.c

void value_load(struct lowering *lowering, const struct event *event);
// FROM_DEFAULT: zeroes the value local, which load then reads.
void value_make_default(struct lowering *lowering, const struct event *event);
void value_clear_local(struct lowering *lowering, struct appended local, uint32_t type_token);
// Behind an event: clears those of its locals that would keep objects alive.
void value_clear_locals(struct lowering *lowering, const struct event *event);

// -- lower_inline.c

// Adds an event to the group. It is written by the next inline_flush(), which has to come before any instruction of the
// program and before any label.
void inline_write(struct lowering *lowering, const struct event *event);
void inline_flush(struct lowering *lowering);
// Flushes if an event of the group still needs its locals, which the caller is about to change.
void inline_flush_locals(struct lowering *lowering);

// -- lower_native.c

void native_write(struct lowering *lowering, const struct event *event);

// -- lower_event.c

void event_write(struct lowering *lowering, const struct event *event);

// -- lower_spill.c

// In front of the instruction: spills the operands that an event needs, and reloads them.
void spill_operands(struct lowering *lowering, const struct event *event);
// Behind the instruction: copies its result to the value local.
void spill_result(struct lowering *lowering, const struct event *event);
// Behind the event of a result that is not back on the stack yet: reloads it. spill_result_stored() runs behind the next
// instruction, and clears the local if that instruction was the one that stores the result.
void spill_reload_result(struct lowering *lowering, const struct event *event);
void spill_result_stored(struct lowering *lowering);

// -- lower_lines.c

void lines_enter(struct lowering *lowering);
void lines_statement(struct lowering *lowering);
void lines_leave(struct lowering *lowering);

#endif
