// The awaits of a method of runtime async: what woven code keeps in locals of the thread, or of the frame, is made anew where the
// method goes on. That is behind an await, and in a filter or handler, if an exception ended the await. The mark is null there
// if the method was suspended; it may continue on another thread, and does in another frame. The context of the stream is read
// anew by emission.
#include "base/assert.h"
#include "weave/plan/lowering.h"

static bool is_await(const struct lowering *lowering, const struct il_instruction *at, enum planner_await which)
{
    const struct planner *planner = lowering->planner;
    return planner->awaits && planner->awaits[il_index(planner->body, at)] & which;
}

// A TypedReference is empty after a suspension, and so is what it refers to.
static void make_typed(struct lowering *lowering)
{
    const struct planner *planner = lowering->planner;
    for (uint32_t i = 0; i < planner->typed_count; i++) {
        const struct typed *typed = &planner->typed[i];
        PUT(lowering, op_local(IL_LDLOCA, typed->value), op_token(IL_MKREFANY, typed->type_token),
            op_local(IL_STLOC, typed->typed));
    }
}

static void set_waits(struct lowering *lowering, bool waits)
{
    uint32_t local = lowering->planner->fixed.lines_waits;
    if (local != WEAVE_NONE) {
        PUT(lowering, op_number(waits), op_local(IL_STLOC, local));
    }
}

void awaits_enter(struct lowering *lowering)
{
    make_typed(lowering);
    set_waits(lowering, false);
}

void awaits_begin(struct lowering *lowering, const struct il_instruction *actual)
{
    if (is_await(lowering, actual, AWAIT_BEGINS) && lines_have_times(lowering)) {
        lines_pause(lowering);
        set_waits(lowering, true);
    }
}

// Behind an await that was not suspended the line runs on.
static void resume_lines(struct lowering *lowering)
{
    PUT(lowering, op_local(IL_LDLOC, lowering->planner->fixed.mark), op_of(IL_BRTRUE_S, OPERAND_SKIP, 0));
    lines_enter(lowering);
    if (lines_have_times(lowering)) {
        lines_add_time(lowering);
    }
    PUT(lowering, op_of(IL_NOP, OPERAND_HERE, 0));
    if (lines_have_times(lowering)) {
        lines_continue(lowering);
        set_waits(lowering, false);
    }
}

void awaits_end(struct lowering *lowering, const struct il_instruction *actual)
{
    if (!is_await(lowering, actual, AWAIT_ENDS)) {
        return;
    }
    make_typed(lowering);
    if (lowering->planner->fixed.lines != WEAVE_NONE) {
        resume_lines(lowering);
    }
}

static bool begins_handler(const struct il_body *body, const struct il_instruction *at, bool *filters)
{
    for (uint32_t i = 0; at->target && i < body->region_count; i++) {
        const struct il_region *region = &body->regions[i];
        *filters = region->kind == IL_FILTER && region->filter_start == at;
        if (*filters || region->handler_start == at) {
            return true;
        }
    }
    return false;
}

// Without times the counters of the same thread are just read again. With times an exception may also have come later than the
// last await; then the line that runs below the method is known.
void awaits_handle(struct lowering *lowering, const struct il_instruction *unit)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    bool filters;
    if (!lowering->planner->awaits || !begins_handler(lowering->planner->body, unit, &filters)) {
        return;
    }
    make_typed(lowering);
    if (fixed->lines_waits == WEAVE_NONE) {
        if (fixed->lines != WEAVE_NONE) {
            lines_enter(lowering);
        }
        return;
    }
    PUT(lowering, op_local(IL_LDLOC, fixed->lines_waits), op_of(IL_BRFALSE_S, OPERAND_SKIP, 0),
        op_local(IL_LDLOC, fixed->mark), op_of(IL_BRTRUE_S, OPERAND_SKIP, 0));
    lines_enter(lowering);
    set_waits(lowering, false); // a filter may come first
    PUT(lowering, op_of(IL_NOP, OPERAND_HERE, 0), op_of(IL_NOP, OPERAND_HERE, 0));
    if (!filters) {
        set_waits(lowering, false);
    }
}
