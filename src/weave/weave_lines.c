// The counters of `lines`. They are inline, since a native call for each statement would cost more than most statements
// do. An address that is needed twice is loaded twice from a local: unoptimised code gives each `dup` a stack slot.
#include <stddef.h>

#include "base/assert.h"
#include "weave/weaver.h"

static void load_state(struct weaver *weaver, size_t offset)
{
    CLEW_ASSERT(weaver->line_times);
    emit_ldloc(&weaver->emitter, weaver_local(weaver, weaver->details->fixed.lines_state));
    emit_offset(&weaver->emitter, offset);
}

static_assert(sizeof(struct weave_line) == 2 * sizeof(uint64_t), "counters follow each other");

static void load_line(struct weaver *weaver)
{
    CLEW_ASSERT(weaver->lines && weaver->statement < weaver->plan->statements);
    emit_ldloc(&weaver->emitter, weaver_local(weaver, weaver->details->fixed.lines));
    emit_offset(&weaver->emitter, weaver->statement * sizeof(struct weave_line));
}

// now = the time. The clock stores it, since unoptimised code takes a stack slot for the result of each call.
static void take_time(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    const struct weave_targets *targets = weaver->what->calls.targets;
    uint32_t now = weaver_local(weaver, weaver->details->fixed.lines_now);
    if (targets->lines_now) {
        emit_ldloca(at, now);
        emit(at, IL_CONV_U, 0);
        emit_call(at, targets->lines_now, weaver->what->calls.signatures->activation);
    } else {
        emit_address(at, targets->tick);
        emit(at, IL_LDIND_I8, 0);
        emit_stloc(at, now);
    }
}

// now = the time; state->current->own += now - state->last; state->last = now;
static void add_time(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    uint32_t now = weaver_local(weaver, weaver->details->fixed.lines_now);
    uint32_t current = weaver_local(weaver, weaver->details->fixed.lines_current);
    take_time(weaver);
    load_state(weaver, offsetof(struct weave_lines, current));
    emit(at, IL_LDIND_I, 0);
    emit_stloc(at, current);
    emit_ldloc(at, current);
    emit_offset(at, offsetof(struct weave_line, own));
    emit_ldloc(at, current);
    emit_offset(at, offsetof(struct weave_line, own));
    emit(at, IL_LDIND_I8, 0);
    emit_ldloc(at, now);
    load_state(weaver, offsetof(struct weave_lines, last));
    emit(at, IL_LDIND_I8, 0);
    emit(at, IL_SUB, 0);
    emit(at, IL_ADD, 0);
    emit(at, IL_STIND_I8, 0);
    load_state(weaver, offsetof(struct weave_lines, last));
    emit_ldloc(at, now);
    emit(at, IL_STIND_I8, 0);
}

// The agent stores the address of the state through the address of `lines_outer`, which therefore is in memory.
// `lines_state` is a copy that may be in a register, since statements use it.
void lines_enter(struct weaver *weaver)
{
    CLEW_ASSERT(weaver->lines && weaver->statement == 0);
    struct emitter *at = &weaver->emitter;
    const struct weave_targets *targets = weaver->what->calls.targets;
    const struct weave_fixed *fixed = &weaver->details->fixed;
    emit(at, IL_LDC_I4, weaver->what->calls.method);
    if (weaver->line_times) {
        emit_ldloca(at, weaver_local(weaver, fixed->lines_outer));
    } else {
        emit_number(at, 0);
    }
    emit(at, IL_CONV_U, 0);
    emit_call(at, targets->enter_lines, weaver->what->calls.signatures->begin);
    emit_stloc(at, weaver_local(weaver, fixed->lines));
    if (weaver->line_times) {
        emit_ldloc(at, weaver_local(weaver, fixed->lines_outer));
        emit_stloc(at, weaver_local(weaver, fixed->lines_state));
        load_state(weaver, offsetof(struct weave_lines, current));
        emit(at, IL_LDIND_I, 0);
        emit_stloc(at, weaver_local(weaver, fixed->lines_outer));
    }
}

void lines_statement(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    if (weaver->line_times) {
        add_time(weaver);
        load_state(weaver, offsetof(struct weave_lines, current));
        load_line(weaver);
        emit(at, IL_STIND_I, 0);
    }
    load_line(weaver);
    emit_offset(at, offsetof(struct weave_line, count));
    load_line(weaver);
    emit_offset(at, offsetof(struct weave_line, count));
    emit(at, IL_LDIND_I8, 0);
    emit_number(at, 1);
    emit(at, IL_CONV_I8, 0);
    emit(at, IL_ADD, 0);
    emit(at, IL_STIND_I8, 0);
    weaver->statement++;
}

void lines_leave(struct weaver *weaver)
{
    if (!weaver->line_times) {
        return;
    }
    add_time(weaver);
    load_state(weaver, offsetof(struct weave_lines, current));
    emit_ldloc(&weaver->emitter, weaver_local(weaver, weaver->details->fixed.lines_outer));
    emit(&weaver->emitter, IL_STIND_I, 0);
}
