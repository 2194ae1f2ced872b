// Moves between the evaluation stack and appended locals. Whatever a probe needs of the stack goes through a local and comes
// back, so that the program finds the stack as it left it.
//
// A `dup` would be shorter, but unoptimised code gives each `dup` a stack slot of its own and leaves the value in it to the
// end of the method: that would keep objects alive. The locals are shared by all events of the method.
#include "base/assert.h"
#include "weave/weaver.h"

// -- Operands ---------------------------------------------------------------------------------------------------------

static void copy_top(struct weaver *weaver, struct weave_local local)
{
    emit_stloc(&weaver->emitter, weaver_local(weaver, local.number));
    emit_ldloc(&weaver->emitter, weaver_local(weaver, local.number));
}

// An owner that was loaded from a variable stays on the stack: the JIT knows the class of the variable, and what an array
// of that class may hold, but would not know it of our local.
static void copy_owner(struct weaver *weaver, const struct weave_event *event)
{
    if (event->owner_is_variable) {
        emit(&weaver->emitter, IL_DUP, 0);
        emit_stloc(&weaver->emitter, weaver_local(weaver, event->owner.number));
    } else {
        copy_top(weaver, event->owner);
    }
}

static void spill_owned(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    CLEW_ASSERT(event->rank <= WEAVE_RANK_MAX && (event->rank == 0 || !(event->spills & SPILL_INDEX)));
    if (event->spills & SPILL_VALUE) {
        emit_stloc(at, weaver_local(weaver, event->value.number));
    }
    if (event->spills & SPILL_INDEX) {
        emit_stloc(at, weaver_local(weaver, event->index.number));
    }
    for (uint32_t i = event->rank; i-- > 0;) {
        emit_stloc(at, weaver_local(weaver, event->items[i]));
    }
    copy_owner(weaver, event);
    for (uint32_t i = 0; i < event->rank; i++) {
        emit_ldloc(at, weaver_local(weaver, event->items[i]));
    }
    if (event->spills & SPILL_INDEX) {
        emit_ldloc(at, weaver_local(weaver, event->index.number));
    }
    if (event->spills & SPILL_VALUE) {
        emit_ldloc(at, weaver_local(weaver, event->value.number));
    }
}

static void spill_method_result(struct weaver *weaver, uint32_t local)
{
    CLEW_ASSERT(weaver->result == WEAVE_NONE);
    emit_stloc(&weaver->emitter, weaver_local(weaver, local));
    weaver->result = local;
}

void spill_operands(struct weaver *weaver, const struct insertion *insertion)
{
    const struct weave_event *event = &insertion->event;
    if (!insertion_is_event(insertion) || event->spills == SPILL_NOTHING) {
        return;
    }
    inline_flush_locals(weaver);
    if (event->until_exit) {
        spill_method_result(weaver, event->value.number);
    } else if (event->spills == SPILL_VALUE) {
        copy_top(weaver, event->value);
    } else {
        CLEW_ASSERT(event->spills & SPILL_OWNER && "an index belongs to an owner");
        spill_owned(weaver, event);
    }
}

// -- Results ----------------------------------------------------------------------------------------------------------

void spill_result(struct weaver *weaver, const struct weave_event *event)
{
    if (event->result == RESULT_UNUSED) {
        return;
    }
    inline_flush_locals(weaver);
    if (event->result == RESULT_COPIED) {
        copy_top(weaver, event->value);
        return;
    }
    if (event->result == RESULT_DUPLICATED) {
        emit(&weaver->emitter, IL_DUP, 0);
    }
    emit_stloc(&weaver->emitter, weaver_local(weaver, event->value.number));
}

void spill_reload_result(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    if (event->result == RESULT_UNTIL_STORED) {
        emit_ldloc(at, weaver_local(weaver, event->value.number));
        CLEW_ASSERT(!weaver->stored);
        weaver->stored = event;
    } else if (event->result == RESULT_TESTED) {
        uint32_t outcome = weaver_local(weaver, event->outcome);
        emit_ldloc(at, weaver_local(weaver, event->value.number));
        emit(at, IL_LDNULL, 0);
        emit(at, IL_CGT_UN, 0);
        emit_stloc(at, outcome);
        value_clear_local(weaver, event->value, 0);
        emit_ldloc(at, outcome);
    }
}

void spill_result_stored(struct weaver *weaver)
{
    const struct weave_event *event = weaver->stored;
    if (event) {
        weaver->stored = NULL;
        value_clear_local(weaver, event->value, event->type_token);
    }
}

void spill_reload_method_result(struct weaver *weaver)
{
    if (weaver->result != WEAVE_NONE) {
        emit_ldloc(&weaver->emitter, weaver_local(weaver, weaver->result));
        weaver->result = WEAVE_NONE;
    }
}

// -- Without an event -------------------------------------------------------------------------------------------------

void spill_only(struct weaver *weaver, const struct insertion *insertion)
{
    CLEW_ASSERT(!insertion_is_event(insertion));
    struct emitter *at = &weaver->emitter;
    if (insertion->kind == INSERT_COPY || insertion->kind == INSERT_CLEAR || insertion->kind == INSERT_RESULT) {
        inline_flush_locals(weaver);
    } else {
        inline_flush(weaver);
    }
    switch (insertion->kind) {
    case INSERT_EVENT:
        break;
    case INSERT_COPY:
        copy_top(weaver, insertion->local);
        break;
    case INSERT_CLEAR:
        value_clear_local(weaver, insertion->local, 0);
        break;
    case INSERT_RESULT:
        spill_method_result(weaver, insertion->local.number);
        break;
    case INSERT_POP:
        emit(at, IL_POP, 0);
        break;
    case INSERT_STORE:
        emit_stloc(at, weaver_local(weaver, insertion->local.number));
        break;
    case INSERT_LOAD:
        emit_ldloc(at, weaver_local(weaver, insertion->local.number));
        break;
    }
}
