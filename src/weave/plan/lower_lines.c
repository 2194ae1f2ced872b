// The counters of `lines`. They are inline, since a native call for each statement would cost more than most statements
// do. An address that is needed twice is loaded twice from a local: unoptimised code gives each `dup` a stack slot.
#include <stddef.h>

#include "base/assert.h"
#include "weave/plan/lowering.h"

enum {
    CURRENT = offsetof(struct weave_lines, current),
    LAST = offsetof(struct weave_lines, last),
    COUNT = offsetof(struct weave_line, count),
    OWN = offsetof(struct weave_line, own),
};
static_assert(sizeof(struct weave_line) == 2 * sizeof(uint64_t), "counters follow each other");

bool lines_have_times(const struct lowering *lowering)
{
    return lowering->planner->fixed.lines_state != WEAVE_NONE;
}

// now = the time; state->current->own += now - state->last; state->last = now;
void lines_add_time(struct lowering *lowering)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    const struct weave_op state = op_local(IL_LDLOC, fixed->lines_state), now = op_local(IL_LDLOC, fixed->lines_now);
    const struct weave_op current = op_local(IL_LDLOC, fixed->lines_current), load = op_plain(IL_LDIND_I8);
    PUT(lowering, op_of(IL_STLOC, OPERAND_TIME, fixed->lines_now), state, op_offset(CURRENT), op_plain(IL_LDIND_I),
        op_local(IL_STLOC, fixed->lines_current));
    PUT(lowering, current, op_offset(OWN), current, op_offset(OWN), load, now, state, op_offset(LAST), load,
        op_plain(IL_SUB), op_plain(IL_ADD), op_plain(IL_STIND_I8));
    PUT(lowering, state, op_offset(LAST), now, op_plain(IL_STIND_I8));
}

// The agent stores the address of the state through the address of `lines_outer`, which therefore is in memory.
// `lines_state` is a copy that may be in a register, since statements use it.
void lines_enter(struct lowering *lowering)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    bool times = lines_have_times(lowering);
    PUT(lowering, op_of(IL_LDC_I4, OPERAND_METHOD, 0), times ? op_local(IL_LDLOCA, fixed->lines_outer) : op_number(0),
        op_plain(IL_CONV_U), op_probe(PROBE_ENTER_LINES), op_local(IL_STLOC, fixed->lines));
    if (times) {
        PUT(lowering, op_local(IL_LDLOC, fixed->lines_outer), op_local(IL_STLOC, fixed->lines_state),
            op_local(IL_LDLOC, fixed->lines_state), op_offset(CURRENT), op_plain(IL_LDIND_I),
            op_local(IL_STLOC, fixed->lines_outer));
    }
}

void lines_statement(struct lowering *lowering)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    const struct weave_op lines = op_local(IL_LDLOC, fixed->lines);
    const struct weave_op line = op_offset(lowering->statement * (uint32_t)sizeof(struct weave_line));
    CLEW_ASSERT(lowering->statement < lowering->planner->statements);
    if (lines_have_times(lowering)) {
        lines_add_time(lowering);
        PUT(lowering, op_local(IL_LDLOC, fixed->lines_state), op_offset(CURRENT), lines, line, op_plain(IL_STIND_I));
    }
    PUT(lowering, lines, line, op_offset(COUNT), lines, line, op_offset(COUNT), op_plain(IL_LDIND_I8), op_number(1),
        op_plain(IL_CONV_I8), op_plain(IL_ADD), op_plain(IL_STIND_I8));
    lowering->statement++;
}

void lines_leave(struct lowering *lowering)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    CLEW_ASSERT(lines_have_times(lowering));
    lines_add_time(lowering);
    PUT(lowering, op_local(IL_LDLOC, fixed->lines_state), op_offset(CURRENT), op_local(IL_LDLOC, fixed->lines_outer),
        op_plain(IL_STIND_I));
}

// Notes which line of the method has run until lines_leave().
void lines_pause(struct lowering *lowering)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    lines_leave(lowering);
    PUT(lowering, op_local(IL_LDLOC, fixed->lines_current), op_local(IL_LDLOC, fixed->lines), op_plain(IL_SUB),
        op_local(IL_STLOC, fixed->lines_paused));
}

// The line may be another method's: then the one below runs.
void lines_continue(struct lowering *lowering)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    const struct weave_op paused = op_local(IL_LDLOC, fixed->lines_paused);
    uint32_t size = lowering->planner->statements * (uint32_t)sizeof(struct weave_line);
    CLEW_ASSERT(lines_have_times(lowering));
    PUT(lowering, paused, op_number(size), op_of(IL_BGE_UN_S, OPERAND_SKIP, 0));
    PUT(lowering, op_local(IL_LDLOC, fixed->lines_state), op_offset(CURRENT), op_local(IL_LDLOC, fixed->lines), paused,
        op_plain(IL_ADD), op_plain(IL_STIND_I), op_of(IL_NOP, OPERAND_HERE, 0));
}
