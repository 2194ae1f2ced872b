// State and functions that the files of lowering share. Lowering is one pass over a body that turns its insertions, in the
// order of the code, into the list of micro-operations:
//
//     lower.c         the pass: which insertion and check for room goes where
//     lower_room.c    how much of the room has been used, and where it is unknown
//     lower_event.c   one event: its operands and its result, and its cells by one of the two strategies:
//     lower_inline.c    cells that the woven code stores itself
//     lower_native.c    calls of native site functions
//     lower_values.c  the value of an event
//     lower_lines.c   the counters of `lines`
//     lower_awaits.c  what is made anew where a suspended method goes on
//
// Functions return no errors: without memory the planner fails.
#ifndef CLEW_WEAVE_LOWERING_H
#define CLEW_WEAVE_LOWERING_H

#include <string.h>

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
    uint32_t *used_at; // by position: the most that any branch to a label brings along
    bool *checked;     // by position: a check for room goes here
    // Whether code of others may have run since it was last settled which activation runs on the thread. passed_at: by position,
    // that any branch to a label brings this along. NULL: no method is ever suspended.
    bool passed;
    bool *passed_at;
    // Whether a call may have taken time since the last event, which it moves on then. waited_at: by position, that any branch to a
    // label brings this along. NULL: nothing asks for the time.
    bool waited;
    bool *waited_at;
    const struct il_instruction *here; // in front of which operations go
    const struct insertion *next;
    const struct event *stored; // its result is cleared behind the next instruction, which stores it; NULL: none
    size_t behind;              // bytes of `ops` up to the last original instruction
    struct weave_op place;      // of the operations that follow: becomes one of them when the first is put there
    bool is_new_place;
    uint32_t statement; // counters of `lines`: statements so far
};

static inline void put_place(struct lowering *lowering)
{
    lowering->is_new_place = false;
    buffer_append(&lowering->ops, &lowering->place, sizeof lowering->place);
}

static inline void put(struct lowering *lowering, const struct weave_op *ops, size_t count)
{
    if (count == 0) {
        return; // such a list need not have memory
    }
    if (lowering->is_new_place && lowering->to == &lowering->ops) {
        put_place(lowering);
    }
    uint8_t *room = buffer_extend(lowering->to, count * sizeof *ops);
    if (room) {
        memcpy(room, ops, count * sizeof *ops); // mostly of a constant size
    }
}

// Appends the operations to the list.
#define PUT(lowering, ...)                                \
    put(lowering, (const struct weave_op[]){__VA_ARGS__}, \
        sizeof(const struct weave_op[]){__VA_ARGS__} / sizeof(struct weave_op))

static inline struct weave_op op_context(const struct lowering *lowering) // of the thread
{
    return op_local(IL_LDLOC, lowering->planner->fixed.context);
}

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
// In front of inline events: whether the activation of the method still is the newest of its thread.
void room_settle(struct lowering *lowering);

// In front of inline events: whether a call has taken so long that they need another time than the event before.
void room_moment(struct lowering *lowering);

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

// In front of the instruction: spills the operands that an event needs, and reloads them.
void event_spill(struct lowering *lowering, const struct event *event);
void event_write(struct lowering *lowering, const struct event *event);
// Behind the instruction: the event, which may be that of the instruction's result.
void event_write_result(struct lowering *lowering, const struct event *event);
// Behind the next instruction: clears the local of a result if that instruction was the one that stores the result.
void event_stored(struct lowering *lowering);

// -- lower_lines.c

bool lines_have_times(const struct lowering *lowering);
void lines_enter(struct lowering *lowering);
void lines_statement(struct lowering *lowering);
// The time since it was last added belongs to the line that runs.
void lines_add_time(struct lowering *lowering);
// As lines_leave(), until the line that has run continues, which is not counted again.
void lines_pause(struct lowering *lowering);
void lines_continue(struct lowering *lowering);
void lines_leave(struct lowering *lowering);

// -- lower_awaits.c

// At entry, of any method.
void awaits_enter(struct lowering *lowering);
// In front of an instruction, as the last there; behind one, as the first; and the first in front of one. Each does something
// only where an await or a handler of such a method is.
void awaits_begin(struct lowering *lowering, const struct il_instruction *actual);
void awaits_end(struct lowering *lowering, const struct il_instruction *actual);
void awaits_handle(struct lowering *lowering, const struct il_instruction *unit);

#endif
