// The probes of calls (ECMA-335 III; the JIT accepts what il/verify.h does):
//
//   entry     before the first instruction, outside of any region that starts there; branches back to the first instruction
//             do not run it again.
//   exit      before `ret` and `jmp`, on every path to them; before `tail.`; and, for a call to the method itself, before
//             `call; ret`. In the last two cases the activation ends before the call, and the callee becomes a child of the
//             caller's parent: that keeps the tail call, and the stack that it saves. If the JIT does not make a tail call
//             of a call to itself, frames without activation remain. Such methods call `arrive` and `depart`, by which the
//             agent counts these frames when an exception passes.
//   handlers  at the start of every catch, finally and fault handler: re-state the activation.
//
// All probes leave the evaluation stack as it was, at any depth. They contain no branches but one, for waiting
// (emit_wait_query()).
#include "base/assert.h"
#include "metadata/tables/signature.h"
#include "weave/weaver.h"

// Calls a function that returns whether the thread has to wait for room, and if so calls `wait`, with GC transition.
// Whatever is on the stack stays there across the branch.
static void emit_wait_query(struct weaver *weaver, uintptr_t target)
{
    const struct weave_calls *what = &weaver->what->calls;
    if (!what->targets->wait) {
        emit_call(&weaver->emitter, target, what->signatures->number);
        return;
    }
    emit_call(&weaver->emitter, target, what->signatures->query);
    weave_wait(weaver);
}

void weave_wait(struct weaver *weaver)
{
    const struct weave_calls *what = &weaver->what->calls;
    struct emitter_skip skip = emit_branch(&weaver->emitter, IL_BRFALSE_S);
    emit_number(&weaver->emitter, 0);
    emit_call(&weaver->emitter, what->targets->wait, what->signatures->wait);
    emit_skip_end(&weaver->emitter, skip);
}

static void emit_method(struct weaver *weaver)
{
    emit(&weaver->emitter, IL_LDC_I4, (int32_t)weaver->what->calls.method);
}

void weave_entry(struct weaver *weaver)
{
    CLEW_ASSERT(weaver->emitter.before == weaver->emitter.body->originals);
    struct emitter *at = &weaver->emitter;
    const struct weave_calls *what = &weaver->what->calls;
    bool has_local = weave_needs_local(at->body);
    emit_method(weaver);
    if (weaver->streams) {
        if (has_local) {
            emit_ldloca(at, what->local);
        } else {
            emit_number(at, 0);
        }
        emit(at, IL_CONV_U, 0);
        emit_call(at, what->targets->enter_context, what->signatures->begin);
        emit_stloc(at, weaver_local(weaver, weaver->details->fixed.context));
    } else if (has_local) {
        emit_call(at, what->targets->enter_keep, what->signatures->address);
        emit_stloc(at, what->local);
    } else {
        emit_wait_query(weaver, what->targets->enter);
    }
    if (weaver->calls_itself) {
        emit_method(weaver);
        emit_call(at, what->targets->arrive, what->signatures->number);
    }
}

void weave_exit(struct weaver *weaver, bool calls_itself)
{
    const struct weave_targets *targets = weaver->what->calls.targets;
    emit_method(weaver);
    emit_wait_query(weaver, calls_itself ? targets->depart : targets->leave);
}

void weave_restate(struct weaver *weaver)
{
    CLEW_ASSERT(weave_needs_local(weaver->emitter.body));
    const struct weave_calls *what = &weaver->what->calls;
    emit_ldloc(&weaver->emitter, what->local);
    emit_call(&weaver->emitter, what->targets->restate, what->signatures->activation);
}

bool weave_needs_local(const struct il_body *body)
{
    return body->region_count > 0;
}

enum clew_error weave_append_locals(struct bytes original, struct bytes types, uint32_t count, struct buffer *out,
                                    uint32_t *index)
{
    uint32_t before = 0;
    struct bytes first = original;
    if (bytes_left(&original) > 0) {
        CLEW_TRY(signature_locals(original, &before, &first));
    }
    if (count >= UINT16_MAX || before >= UINT16_MAX - count) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_ASSERT(before + count < UINT16_MAX && (count > 0 || bytes_left(&types) == 0));
    buffer_u8(out, SIGNATURE_LOCALS);
    buffer_compressed(out, before + count);
    buffer_append(out, first.at, bytes_left(&first));
    buffer_append(out, types.at, bytes_left(&types));
    *index = before;
    return out->failed ? CLEW_NO_MEMORY : CLEW_OK;
}
