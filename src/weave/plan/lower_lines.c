// The counters of `lines`. They are inline, since a native call for each statement would cost more than most statements
// do. An address that is needed twice is loaded twice from a local: unoptimised code gives each `dup` a stack slot.
#include <stddef.h>

#include "base/assert.h"
#include "weave/plan/lowering.h"

static bool has_times(const struct lowering *lowering)
{
    return lowering->planner->fixed.lines_state != WEAVE_NONE;
}

static void load_state(struct lowering *lowering, size_t offset)
{
    CLEW_ASSERT(has_times(lowering));
    put_local(lowering, IL_LDLOC, lowering->planner->fixed.lines_state);
    put_offset(lowering, offset);
}

static_assert(sizeof(struct weave_line) == 2 * sizeof(uint64_t), "counters follow each other");

static void load_line(struct lowering *lowering)
{
    CLEW_ASSERT(lowering->statement < lowering->planner->statements);
    put_local(lowering, IL_LDLOC, lowering->planner->fixed.lines);
    put_offset(lowering, lowering->statement * sizeof(struct weave_line));
}

// now = the time; state->current->own += now - state->last; state->last = now;
static void add_time(struct lowering *lowering)
{
    uint32_t now = lowering->planner->fixed.lines_now, current = lowering->planner->fixed.lines_current;
    put(lowering, op_of(IL_STLOC, OPERAND_TIME, now));
    load_state(lowering, offsetof(struct weave_lines, current));
    put_plain(lowering, IL_LDIND_I);
    put_local(lowering, IL_STLOC, current);
    put_local(lowering, IL_LDLOC, current);
    put_offset(lowering, offsetof(struct weave_line, own));
    put_local(lowering, IL_LDLOC, current);
    put_offset(lowering, offsetof(struct weave_line, own));
    put_plain(lowering, IL_LDIND_I8);
    put_local(lowering, IL_LDLOC, now);
    load_state(lowering, offsetof(struct weave_lines, last));
    put_plain(lowering, IL_LDIND_I8);
    put_plain(lowering, IL_SUB);
    put_plain(lowering, IL_ADD);
    put_plain(lowering, IL_STIND_I8);
    load_state(lowering, offsetof(struct weave_lines, last));
    put_local(lowering, IL_LDLOC, now);
    put_plain(lowering, IL_STIND_I8);
}

// The agent stores the address of the state through the address of `lines_outer`, which therefore is in memory.
// `lines_state` is a copy that may be in a register, since statements use it.
void lines_enter(struct lowering *lowering)
{
    const struct fixed *fixed = &lowering->planner->fixed;
    put(lowering, op_of(IL_LDC_I4, OPERAND_METHOD, 0));
    if (has_times(lowering)) {
        put_local(lowering, IL_LDLOCA, fixed->lines_outer);
    } else {
        put_number(lowering, 0);
    }
    put_plain(lowering, IL_CONV_U);
    put_probe(lowering, PROBE_ENTER_LINES);
    put_local(lowering, IL_STLOC, fixed->lines);
    if (has_times(lowering)) {
        put_local(lowering, IL_LDLOC, fixed->lines_outer);
        put_local(lowering, IL_STLOC, fixed->lines_state);
        load_state(lowering, offsetof(struct weave_lines, current));
        put_plain(lowering, IL_LDIND_I);
        put_local(lowering, IL_STLOC, fixed->lines_outer);
    }
}

void lines_statement(struct lowering *lowering)
{
    if (has_times(lowering)) {
        add_time(lowering);
        load_state(lowering, offsetof(struct weave_lines, current));
        load_line(lowering);
        put_plain(lowering, IL_STIND_I);
    }
    load_line(lowering);
    put_offset(lowering, offsetof(struct weave_line, count));
    load_line(lowering);
    put_offset(lowering, offsetof(struct weave_line, count));
    put_plain(lowering, IL_LDIND_I8);
    put_number(lowering, 1);
    put_plain(lowering, IL_CONV_I8);
    put_plain(lowering, IL_ADD);
    put_plain(lowering, IL_STIND_I8);
    lowering->statement++;
}

void lines_leave(struct lowering *lowering)
{
    if (!has_times(lowering)) {
        return;
    }
    add_time(lowering);
    load_state(lowering, offsetof(struct weave_lines, current));
    put_local(lowering, IL_LDLOC, lowering->planner->fixed.lines_outer);
    put_plain(lowering, IL_STIND_I);
}
