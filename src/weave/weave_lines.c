// The counters of `lines`: inline, since a call for each statement would cost more than it measures. An address that is
// needed twice comes twice from a local: unoptimised code gives each `dup` a stack slot of its own.
#include <stddef.h>

#include "base/assert.h"
#include "weave/weaver.h"

static void add_offset(struct insertion *at, size_t offset)
{
    if (offset) {
        insert_number(at, (uint32_t)offset);
        insert(at, IL_ADD, 0);
    }
}

static void load_state(struct weaver *weaver, size_t offset)
{
    CLEW_ASSERT(weaver->line_times);
    insert_ldloc(&weaver->at, weaver_local(weaver, weaver->details->fixed.lines_state));
    add_offset(&weaver->at, offset);
}

static_assert(sizeof(struct weave_line) == 2 * sizeof(uint64_t), "counters follow each other");

static void load_line(struct weaver *weaver)
{
    CLEW_ASSERT(weaver->lines && weaver->statement < weaver->plan->statements);
    insert_ldloc(&weaver->at, weaver_local(weaver, weaver->details->fixed.lines));
    add_offset(&weaver->at, weaver->statement * sizeof(struct weave_line));
}

// now = the time
static void take_time(struct weaver *weaver)
{
    struct insertion *at = &weaver->at;
    const struct weave_targets *targets = weaver->what->calls.targets;
    if (targets->lines_now) {
        insert_number(at, 0);
        insert_call(at, targets->lines_now, weaver->what->calls.signatures->keep);
        insert(at, IL_CONV_I8, 0);
    } else {
        insert_address(at, targets->tick);
        insert(at, IL_LDIND_I8, 0);
    }
    insert_stloc(at, weaver_local(weaver, weaver->details->fixed.lines_now));
}

// now = the time; state->current->own += now - state->last; state->last = now;
static void add_time(struct weaver *weaver)
{
    struct insertion *at = &weaver->at;
    uint32_t now = weaver_local(weaver, weaver->details->fixed.lines_now);
    uint32_t current = weaver_local(weaver, weaver->details->fixed.lines_current);
    take_time(weaver);
    load_state(weaver, offsetof(struct weave_lines, current));
    insert(at, IL_LDIND_I, 0);
    insert_stloc(at, current);
    insert_ldloc(at, current);
    add_offset(at, offsetof(struct weave_line, own));
    insert_ldloc(at, current);
    add_offset(at, offsetof(struct weave_line, own));
    insert(at, IL_LDIND_I8, 0);
    insert_ldloc(at, now);
    load_state(weaver, offsetof(struct weave_lines, last));
    insert(at, IL_LDIND_I8, 0);
    insert(at, IL_SUB, 0);
    insert(at, IL_ADD, 0);
    insert(at, IL_STIND_I8, 0);
    load_state(weaver, offsetof(struct weave_lines, last));
    insert_ldloc(at, now);
    insert(at, IL_STIND_I8, 0);
}

// The address of the state is taken of a local that is read at exits only, so that the one of the statements may lie in
// a register.
void lines_enter(struct weaver *weaver)
{
    CLEW_ASSERT(weaver->lines && weaver->statement == 0);
    struct insertion *at = &weaver->at;
    const struct weave_targets *targets = weaver->what->calls.targets;
    const struct weave_fixed *fixed = &weaver->details->fixed;
    insert(at, IL_LDC_I4, weaver->what->calls.method);
    if (weaver->line_times) {
        insert_ldloca(at, weaver_local(weaver, fixed->lines_outer));
    } else {
        insert_number(at, 0);
    }
    insert(at, IL_CONV_U, 0);
    insert_call(at, targets->enter_lines, weaver->what->calls.signatures->begin);
    insert_stloc(at, weaver_local(weaver, fixed->lines));
    if (weaver->line_times) {
        insert_ldloc(at, weaver_local(weaver, fixed->lines_outer));
        insert_stloc(at, weaver_local(weaver, fixed->lines_state));
        load_state(weaver, offsetof(struct weave_lines, current));
        insert(at, IL_LDIND_I, 0);
        insert_stloc(at, weaver_local(weaver, fixed->lines_outer));
    }
}

void lines_statement(struct weaver *weaver)
{
    struct insertion *at = &weaver->at;
    if (weaver->line_times) {
        add_time(weaver);
        load_state(weaver, offsetof(struct weave_lines, current));
        load_line(weaver);
        insert(at, IL_STIND_I, 0);
    }
    load_line(weaver);
    add_offset(at, offsetof(struct weave_line, count));
    load_line(weaver);
    add_offset(at, offsetof(struct weave_line, count));
    insert(at, IL_LDIND_I8, 0);
    insert_number(at, 1);
    insert(at, IL_CONV_I8, 0);
    insert(at, IL_ADD, 0);
    insert(at, IL_STIND_I8, 0);
    weaver->statement++;
}

void lines_leave(struct weaver *weaver)
{
    if (!weaver->line_times) {
        return;
    }
    add_time(weaver);
    load_state(weaver, offsetof(struct weave_lines, current));
    insert_ldloc(&weaver->at, weaver_local(weaver, weaver->details->fixed.lines_outer));
    insert(&weaver->at, IL_STIND_I, 0);
}
