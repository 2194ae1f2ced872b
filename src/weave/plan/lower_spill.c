// Moves between the evaluation stack and appended locals. Whatever a probe needs of the stack goes through a local and comes
// back, so that the program finds the stack as it left it.
//
// A `dup` would be shorter, but unoptimised code gives each `dup` a stack slot of its own and leaves the value in it to the
// end of the method: that would keep objects alive. The locals are shared by all events of the method.
#include "base/assert.h"
#include "weave/plan/lowering.h"

// -- Operands ---------------------------------------------------------------------------------------------------------

static void copy_top(struct lowering *lowering, struct appended local)
{
    put_local(lowering, IL_STLOC, local.number);
    put_local(lowering, IL_LDLOC, local.number);
}

// An owner that was loaded from a variable stays on the stack: the JIT knows the class of the variable, and what an array
// of that class may hold, but would not know it of our local.
static void copy_owner(struct lowering *lowering, const struct event *event)
{
    if (event->owner_is_variable) {
        put_plain(lowering, IL_DUP);
        put_local(lowering, IL_STLOC, event->owner.number);
    } else {
        copy_top(lowering, event->owner);
    }
}

static void spill_owned(struct lowering *lowering, const struct event *event)
{
    CLEW_ASSERT(event->rank <= RANK_MAX && (event->rank == 0 || !(event->spills & SPILL_INDEX)));
    if (event->spills & SPILL_VALUE) {
        put_local(lowering, IL_STLOC, event->value.number);
    }
    if (event->spills & SPILL_INDEX) {
        put_local(lowering, IL_STLOC, event->index.number);
    }
    for (uint32_t i = event->rank; i-- > 0;) {
        put_local(lowering, IL_STLOC, event->items[i]);
    }
    copy_owner(lowering, event);
    for (uint32_t i = 0; i < event->rank; i++) {
        put_local(lowering, IL_LDLOC, event->items[i]);
    }
    if (event->spills & SPILL_INDEX) {
        put_local(lowering, IL_LDLOC, event->index.number);
    }
    if (event->spills & SPILL_VALUE) {
        put_local(lowering, IL_LDLOC, event->value.number);
    }
}

void spill_operands(struct lowering *lowering, const struct event *event)
{
    if (event->spills == SPILL_NOTHING) {
        return;
    }
    inline_flush_locals(lowering);
    if (event->until_exit) {
        put_local(lowering, IL_STLOC, event->value.number);
    } else if (event->spills == SPILL_VALUE) {
        copy_top(lowering, event->value);
    } else {
        CLEW_ASSERT(event->spills & SPILL_OWNER && "an index belongs to an owner");
        spill_owned(lowering, event);
    }
}

// -- Results ----------------------------------------------------------------------------------------------------------

void spill_result(struct lowering *lowering, const struct event *event)
{
    if (event->result == RESULT_UNUSED) {
        return;
    }
    inline_flush_locals(lowering);
    if (event->result == RESULT_COPIED) {
        copy_top(lowering, event->value);
        return;
    }
    if (event->result == RESULT_DUPLICATED) {
        put_plain(lowering, IL_DUP);
    }
    put_local(lowering, IL_STLOC, event->value.number);
}

void spill_reload_result(struct lowering *lowering, const struct event *event)
{
    if (event->result == RESULT_UNTIL_STORED) {
        put_local(lowering, IL_LDLOC, event->value.number);
        CLEW_ASSERT(!lowering->stored);
        lowering->stored = event;
    } else if (event->result == RESULT_TESTED) {
        put_local(lowering, IL_LDLOC, event->value.number);
        put_plain(lowering, IL_LDNULL);
        put_plain(lowering, IL_CGT_UN);
        put_local(lowering, IL_STLOC, event->outcome);
        value_clear_local(lowering, event->value, 0);
        put_local(lowering, IL_LDLOC, event->outcome);
    }
}

void spill_result_stored(struct lowering *lowering)
{
    const struct event *event = lowering->stored;
    if (event) {
        lowering->stored = NULL;
        value_clear_local(lowering, event->value, event->type_token);
    }
}
