#include "weave/operations/original.h"

#include "base/assert.h"
#include "il/stack.h"

// A `ret` that branches lead to belongs to several paths. A tail call gets a `ret` of its own there (part_tail_call());
// any other call does not count as last.
static bool is_last(const struct il_instruction *call)
{
    const struct il_instruction *ret = call + 1; // at least the sentinel
    return ret->opcode == IL_RET && (!ret->target || il_is_tail_prefixed(call));
}

bool weave_calls_itself(const struct il_instruction *call, uint32_t token)
{
    return call->opcode == IL_CALL && call->operand.integer == (int64_t)token && is_last(call);
}

bool weave_has_last_call_of_itself(const struct il_body *body, uint32_t token)
{
    const struct il_instruction *at = body->originals;
    while (at != body->end && !weave_calls_itself(at, token)) {
        at++;
    }
    return at != body->end;
}

bool weave_ends_activation(const struct il_instruction *call, uint32_t token)
{
    return weave_calls_itself(call, token) || (is_last(call) && il_is_tail_prefixed(call));
}

bool weave_returns_for_call(const struct il_body *body, const struct il_instruction *ret, uint32_t token)
{
    return ret != body->originals && !ret->target && weave_ends_activation(ret - 1, token);
}

bool weave_is_exit(const struct il_body *body, const struct il_instruction *at, uint32_t token, bool between)
{
    if (at->opcode == IL_RET) {
        return between || !weave_returns_for_call(body, at, token);
    }
    return at->opcode == IL_JMP || weave_ends_activation(at, token);
}

bool weave_branches_on_one(enum il_opcode opcode)
{
    return opcode == IL_BRTRUE || opcode == IL_BRTRUE_S || opcode == IL_BRFALSE || opcode == IL_BRFALSE_S;
}

static bool takes_address(enum il_opcode opcode)
{
    return opcode == IL_LDLOCA || opcode == IL_LDLOCA_S || opcode == IL_LDARGA || opcode == IL_LDARGA_S;
}

static bool loads_variable(const struct il_instruction *at)
{
    uint32_t number;
    enum il_opcode family = il_family(at, &number);
    return family == IL_LDLOC || family == IL_LDARG;
}

// The opcode of the original instruction `back` instructions earlier; IL_END: there is none.
static enum il_opcode opcode_before(const struct il_body *body, const struct il_instruction *at, uint32_t back)
{
    CLEW_ASSERT(at >= body->originals && at <= body->end && "an original instruction");
    return (uint32_t)(at - body->originals) >= back ? at[-(int64_t)back].opcode : IL_END;
}

static bool is_within_pattern(const struct il_body *body, const struct il_instruction *at)
{
    enum il_opcode here = at->opcode, one = opcode_before(body, at, 1), two = opcode_before(body, at, 2);
    if (one == IL_BOX) {
        return weave_branches_on_one(here) || here == IL_ISINST || here == IL_UNBOX_ANY;
    }
    if (one == IL_ISINST && two == IL_BOX) {
        return weave_branches_on_one(here) || here == IL_UNBOX_ANY || here == IL_LDNULL;
    }
    if (one == IL_LDNULL && two == IL_ISINST && opcode_before(body, at, 3) == IL_BOX) {
        return here == IL_CGT_UN;
    }
    if (here == IL_DUP && one == IL_NEWARR) {
        return at[1].opcode == IL_LDTOKEN; // the sentinel at least follows
    }
    return (here == IL_NEWOBJ && (one == IL_LDFTN || one == IL_LDVIRTFTN)) || (here == IL_LDVIRTFTN && one == IL_DUP) ||
           (here == IL_LDTOKEN && one == IL_DUP && two == IL_NEWARR) || (here == IL_CALL && one == IL_LDTOKEN) ||
           (takes_address(one) && !loads_variable(at));
}

bool weave_may_insert_before(const struct il_body *body, const struct il_instruction *at)
{
    if (at->previous && il_is_prefix(at->previous->opcode)) {
        return false;
    }
    if (at->opcode == IL_RET && !at->target && at->previous && il_is_tail_prefixed(at->previous)) {
        return false;
    }
    return at->target || !is_within_pattern(body, at);
}

bool weave_may_insert_behind(const struct il_body *body, const struct il_instruction *at)
{
    return !il_is_tail_prefixed(at) && weave_may_insert_before(body, at + 1);
}

bool weave_needs_local(const struct il_body *body)
{
    return body->region_count > 0;
}

bool weave_ends_in_prefix(const struct il_body *body)
{
    CLEW_ASSERT(body->end > body->originals && "no body is empty");
    return il_is_prefix(body->end[-1].opcode);
}

static bool calls_or_loops(const struct il_instruction *at)
{
    switch (at->opcode) {
    case IL_CALL:
    case IL_CALLI:
    case IL_CALLVIRT:
    case IL_NEWOBJ:
    case IL_JMP:
    case IL_SWITCH: // its targets fill the room, and may be behind it
        return true;
    default:
        return il_is_branch(at->opcode) && at->operand.branch->offset <= at->offset;
    }
}

bool weave_is_tiny(const struct il_body *body)
{
    const struct il_instruction *at = body->originals;
    if (body->code_size >= WEAVE_TINY_SIZE || body->region_count > 0) {
        return false;
    }
    while (at != body->end && !calls_or_loops(at)) {
        at++;
    }
    return at == body->end;
}
