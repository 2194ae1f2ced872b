// Where the probes of a method go (ECMA-335 III; what the JIT accepts: il/verify.h).
//
//   entry     before the first instruction and outside of any region that starts there; branches back to the first
//             instruction do not run it again.
//   exit      before `ret` and `jmp`, on every way to them; before `tail.` and, for a call to itself, before
//             `call; ret`: the activation ends there and the callee is a child of the caller's parent, which keeps the
//             tail call and the stack that it saves.
//   handlers  at the start of every catch, finally and fault handler: the activation is re-stated there.
//
// All probes leave the evaluation stack as it was, at any depth, and are straight-line but for waiting (add_question).
#include "weave/calls.h"

#include "metadata/signature.h"

enum { PROBE_STACK = 2 };

// A sequence of instructions in front of `place`; with `take_labels`, ways to `place` lead through it.
struct insertion {
    struct il_body *body;
    struct il_instruction *place;
    struct il_instruction *first; // NULL before the first one
    bool failed;
};

static void add(struct insertion *at, enum il_opcode opcode, int64_t operand)
{
    struct il_instruction *fresh = at->failed ? NULL : il_new(at->body, opcode, operand);
    if (!fresh) {
        at->failed = true;
        return;
    }
    il_insert_before(at->body, at->place, fresh);
    at->first = at->first ? at->first : fresh;
}

static enum clew_error finish(struct insertion *at, bool take_labels)
{
    if (at->failed) {
        return CLEW_NO_MEMORY;
    }
    if (take_labels) {
        il_move_labels(at->body, at->place, at->first);
    }
    return CLEW_OK;
}

static void add_call(struct insertion *at, uintptr_t target, uint32_t signature)
{
    add(at, IL_LDC_I8, (int64_t)target);
    add(at, IL_CONV_I, 0);
    add(at, IL_CALLI, signature);
}

// A call whose answer may be that the thread must wait for room: then it does so with GC transition. The only branch that
// probes have; it is taken with whatever lies on the stack.
static void add_question(struct insertion *at, uintptr_t target, const struct weave_calls *what)
{
    if (!what->targets->wait) {
        add_call(at, target, what->signatures->number);
        return;
    }
    struct il_instruction *skip = il_new(at->body, IL_NOP, 0);
    struct il_instruction *branch = skip ? il_new_branch(at->body, IL_BRFALSE_S, skip) : NULL;
    if (!branch) {
        at->failed = true;
        return;
    }
    add_call(at, target, what->signatures->question);
    il_insert_before(at->body, at->place, branch);
    add_call(at, what->targets->wait, what->signatures->wait);
    il_insert_before(at->body, at->place, skip);
}

static void add_local(struct insertion *at, enum il_opcode short_form, enum il_opcode long_form, uint32_t local)
{
    add(at, local < 256 ? short_form : long_form, local);
}

static enum clew_error add_entry(struct il_body *body, const struct weave_calls *what)
{
    struct insertion at = {.body = body, .place = body->first};
    add(&at, IL_LDC_I4, what->method);
    if (weave_needs_local(body)) {
        add_call(&at, what->targets->enter_keep, what->signatures->keep);
        add_local(&at, IL_STLOC_S, IL_STLOC, what->local);
    } else {
        add_question(&at, what->targets->enter, what);
    }
    return finish(&at, false);
}

static enum clew_error add_exit(struct il_body *body, struct il_instruction *place, const struct weave_calls *what)
{
    struct insertion at = {.body = body, .place = place};
    add(&at, IL_LDC_I4, what->method);
    add_question(&at, what->targets->leave, what);
    return finish(&at, true);
}

static enum clew_error add_restate(struct il_body *body, struct il_instruction *place, const struct weave_calls *what)
{
    struct insertion at = {.body = body, .place = place};
    add_local(&at, IL_LDLOC_S, IL_LDLOC, what->local);
    add_call(&at, what->targets->restate, what->signatures->activation);
    return finish(&at, true);
}

static bool is_tail_prefixed(const struct il_instruction *call)
{
    for (const struct il_instruction *prefix = call->previous;
         prefix && il_opcodes[prefix->opcode].flow == IL_FLOW_PREFIX; prefix = prefix->previous) {
        if (prefix->opcode == IL_TAIL) {
            return true;
        }
    }
    return false;
}

static bool is_call_to_itself(const struct il_instruction *call, uint32_t token)
{
    return call->opcode == IL_CALL && call->operand.integer == (int64_t)token;
}

// A call whose activation stands in for this one's: the exit goes before it, and its `ret` gets none.
static bool ends_activation(const struct il_instruction *call, uint32_t token)
{
    const struct il_instruction *ret = call->next;
    return ret && ret->opcode == IL_RET && !ret->target && (is_tail_prefixed(call) || is_call_to_itself(call, token));
}

static enum clew_error add_exits(struct il_body *body, const struct weave_calls *what)
{
    for (struct il_instruction *at = body->first, *next; at != body->end; at = next) {
        next = at->next;
        if (at->offset == IL_NO_OFFSET) {
            continue;
        }
        if (ends_activation(at, what->token)) {
            next = at->next->next;
            CLEW_TRY(add_exit(body, il_unit_start(at), what));
        } else if (at->opcode == IL_RET || at->opcode == IL_JMP) {
            CLEW_TRY(add_exit(body, at, what));
        }
    }
    return CLEW_OK;
}

bool weave_needs_local(const struct il_body *body)
{
    return body->region_count > 0;
}

enum clew_error weave_calls(struct il_body *body, const struct weave_calls *what)
{
    if (body->max_stack > UINT16_MAX - PROBE_STACK) {
        return CLEW_UNSUPPORTED;
    }
    body->max_stack = (uint16_t)(body->max_stack + PROBE_STACK);
    CLEW_TRY(add_exits(body, what));
    for (uint32_t i = 0; i < body->region_count; i++) {
        CLEW_TRY(add_restate(body, body->regions[i].handler_start, what));
    }
    return add_entry(body, what);
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
    buffer_u8(out, SIGNATURE_LOCALS);
    buffer_compressed(out, before + count);
    buffer_append(out, first.at, bytes_left(&first));
    buffer_append(out, types.at, bytes_left(&types));
    *index = before;
    return out->failed ? CLEW_NO_MEMORY : CLEW_OK;
}
