// Writes the event of a site, by its strategy.
#include "weave/weaver.h"

void events_enter(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    for (uint32_t i = 0; i < weaver->details->typed_count; i++) {
        const struct weave_typed *typed = &weaver->details->typed[i];
        emit_ldloca(at, weaver_local(weaver, typed->value));
        emit(at, IL_MKREFANY, typed->type_token);
        emit_stloc(at, weaver_local(weaver, typed->typed));
    }
}

static void write_now(struct weaver *weaver, const struct weave_event *event)
{
    if (event->strategy == EMIT_INLINE) {
        inline_write(weaver, event);
        inline_flush(weaver);
    } else {
        value_make_default(weaver, event);
        native_write(weaver, event);
        value_clear_locals(weaver, event);
    }
}

// Behind the branch that skips the event, as many bytes may have been used as before it, or as with it: count the more.
static void write_guarded(struct weaver *weaver, const struct weave_event *event)
{
    uint32_t before = weaver->used;
    emit_ldloc(&weaver->emitter, weaver_local(weaver, event->owner.number));
    struct emitter_skip null = emit_branch(&weaver->emitter, IL_BRFALSE_S);
    write_now(weaver, event);
    emit_skip_end(&weaver->emitter, null);
    weaver->used = weaver->used > before ? weaver->used : before;
}

void events_write(struct weaver *weaver, const struct weave_event *event)
{
    if (event->strategy == EMIT_INLINE && !event->guarded) {
        inline_write(weaver, event);
        return;
    }
    inline_flush(weaver);
    if (event->guarded) {
        write_guarded(weaver, event);
    } else {
        write_now(weaver, event);
    }
}
