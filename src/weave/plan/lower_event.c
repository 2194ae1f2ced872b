// Writes the event of a site, by its strategy.
#include "weave/plan/lowering.h"

static void write_now(struct lowering *lowering, const struct event *event)
{
    if (event->strategy == EMIT_INLINE) {
        inline_write(lowering, event);
        inline_flush(lowering);
    } else {
        native_write(lowering, event);
    }
}

// Behind the branch that skips the event, as many bytes may have been used as before it, or as with it: count the more.
static void write_guarded(struct lowering *lowering, const struct event *event)
{
    uint32_t before = lowering->used;
    put_local(lowering, IL_LDLOC, event->owner.number);
    put(lowering, op_of(IL_BRFALSE_S, OPERAND_SKIP, 0));
    write_now(lowering, event);
    put(lowering, op_of(IL_NOP, OPERAND_HERE, 0));
    lowering->used = lowering->used > before ? lowering->used : before;
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
