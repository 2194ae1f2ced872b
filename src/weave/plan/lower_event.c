// One event, on the way of its operands and its result from the evaluation stack to appended locals and back. Whatever a
// probe needs of the stack goes through a local and comes back, so that the program finds the stack as it left it.
//
// A `dup` would be shorter, but unoptimised code gives each `dup` a stack slot of its own and leaves the value in it to the
// end of the method: that would keep objects alive. The locals are shared by all events of the method.
#include "base/assert.h"
#include "weave/plan/lowering.h"

static void move(struct lowering *lowering, enum il_opcode opcode, struct appended local)
{
    PUT(lowering, op_local(opcode, local.number));
}

static void copy_top(struct lowering *lowering, struct appended local)
{
    PUT(lowering, op_local(IL_STLOC, local.number), op_local(IL_LDLOC, local.number));
}

// -- Operands ---------------------------------------------------------------------------------------------------------

// An owner that was loaded from a variable stays on the stack: the JIT knows the class of the variable, and what an array
// of that class may hold, but would not know it of our local.
static void copy_owner(struct lowering *lowering, const struct event *event)
{
    if (event->owner_is_variable) {
        PUT(lowering, op_plain(IL_DUP), op_local(IL_STLOC, event->owner.number));
    } else {
        copy_top(lowering, event->owner);
    }
}

static void spill_owned(struct lowering *lowering, const struct event *event)
{
    bool index = event->spills & SPILL_INDEX, value = event->spills & SPILL_VALUE;
    CLEW_ASSERT(event->spills & SPILL_OWNER && "an index belongs to an owner");
    CLEW_ASSERT(event->rank <= RANK_MAX && (event->rank == 0 || !index));
    if (value) {
        move(lowering, IL_STLOC, event->value);
    }
    if (index) {
        move(lowering, IL_STLOC, event->index);
    }
    for (uint32_t i = event->rank; i-- > 0;) {
        PUT(lowering, op_local(IL_STLOC, event->items[i]));
    }
    copy_owner(lowering, event);
    for (uint32_t i = 0; i < event->rank; i++) {
        PUT(lowering, op_local(IL_LDLOC, event->items[i]));
    }
    if (index) {
        move(lowering, IL_LDLOC, event->index);
    }
    if (value) {
        move(lowering, IL_LDLOC, event->value);
    }
}

void event_spill(struct lowering *lowering, const struct event *event)
{
    if (event->spills == SPILL_NOTHING) {
        return;
    }
    inline_flush_locals(lowering);
    if (event->until_exit) {
        move(lowering, IL_STLOC, event->value);
    } else if (event->spills == SPILL_VALUE) {
        copy_top(lowering, event->value);
    } else {
        spill_owned(lowering, event);
    }
}

// -- The event --------------------------------------------------------------------------------------------------------

static void write_now(struct lowering *lowering, const struct event *event)
{
    if (event->strategy == EMIT_INLINE) {
        inline_write(lowering, event);
        inline_flush(lowering);
    } else {
        native_write(lowering, event);
    }
}

// Behind the branch that skips the event, as many bytes may have been used as before it, or as with it: count the more. Nor is
// anything settled there that was not before.
static void write_guarded(struct lowering *lowering, const struct event *event)
{
    uint32_t before = lowering->used;
    bool passed = lowering->passed, waited = lowering->waited;
    PUT(lowering, op_local(IL_LDLOC, event->owner.number), op_of(IL_BRFALSE_S, OPERAND_SKIP, 0));
    write_now(lowering, event);
    PUT(lowering, op_of(IL_NOP, OPERAND_HERE, 0));
    lowering->used = lowering->used > before ? lowering->used : before;
    lowering->passed = passed;
    lowering->waited = waited;
}

void event_write(struct lowering *lowering, const struct event *event)
{
    if (event->strategy == EMIT_INLINE && !event->guarded) {
        inline_write(lowering, event);
        return;
    }
    inline_flush(lowering);
    (event->guarded ? write_guarded : write_now)(lowering, event);
}

// -- Results ----------------------------------------------------------------------------------------------------------

static void take_result(struct lowering *lowering, const struct event *event)
{
    if (event->result == RESULT_UNUSED) {
        return;
    }
    inline_flush_locals(lowering);
    if (event->result == RESULT_DUPLICATED) {
        PUT(lowering, op_plain(IL_DUP));
    }
    (event->result == RESULT_COPIED ? copy_top(lowering, event->value) : move(lowering, IL_STLOC, event->value));
}

void event_write_result(struct lowering *lowering, const struct event *event)
{
    take_result(lowering, event);
    event_write(lowering, event);
    if (event->result == RESULT_UNTIL_STORED) {
        CLEW_ASSERT(!lowering->stored);
        move(lowering, IL_LDLOC, event->value);
        lowering->stored = event;
    } else if (event->result == RESULT_TESTED) {
        move(lowering, IL_LDLOC, event->value);
        PUT(lowering, op_plain(IL_LDNULL), op_plain(IL_CGT_UN), op_local(IL_STLOC, event->outcome));
        value_clear_local(lowering, event->value, 0);
        PUT(lowering, op_local(IL_LDLOC, event->outcome));
    }
}

void event_stored(struct lowering *lowering)
{
    const struct event *event = lowering->stored;
    if (event) {
        lowering->stored = NULL;
        value_clear_local(lowering, event->value, event->type_token);
    }
}
