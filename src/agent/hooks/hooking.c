// The second way of seeing calls: the JIT's own enter, leave and tailcall hooks, for every method in scope, framework
// included. The runtime then refuses all precompiled code by itself.
#include "agent/hooks/hooking.h"

#include "agent/arch/arch.h"
#include "agent/loaded/in_scope.h"
#include "agent/loaded/methods.h"
#include "agent/loaded/modules.h"
#include "agent/probe/probe.h"
#include "agent/rewrite/bodies.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "il/body.h"

static uint32_t decide(struct module *module, uint32_t token)
{
    lock_take(&module->lock, LOCK_MODULE);
    uint32_t instruments = scope_has(&agent.scope, agent.instruments, module, token);
    uint32_t number = instruments ? method_define(module, token) : 0;
    lock_release(&module->lock, LOCK_MODULE);
    return number ? method_marked(number, instruments) : METHOD_LEFT;
}

// Asked once a compilation, so several times for one method; the answer must not change.
static uintptr_t map_function(clr_id function, void *context, int32_t *hook)
{
    (void)context;
    uint32_t token;
    *hook = 0;
    struct module *module = module_of_function(function, &token);
    if (!module) {
        return function;
    }
    if (!agent.forked && method_take(module, token)) {
        method_decided(module, token, decide(module, token));
    }
    uint32_t number = method_number(function);
    *hook = number != 0;
    return number ? number : function;
}

// Where a method's last act is a call, the optimising JIT may jump there instead, or make a loop of a call to itself: with
// nothing inlined it does so far more often than in the plain program, and frames would be missing from stack traces. A
// `nop` between call and return keeps it a call. Calls with `tail.` stay what they are.
static bool part_tail_calls(struct il_body *body)
{
    bool parted = false;
    for (struct il_instruction *at = body->first; at != body->end; at = at->next) {
        struct il_instruction *ret = at->next;
        bool calls = at->opcode == IL_CALL || at->opcode == IL_CALLVIRT || at->opcode == IL_CALLI;
        bool last = calls && ret->opcode == IL_RET && !il_is_tail_prefixed(at);
        struct il_instruction *nop = last ? il_new(body, IL_NOP, 0) : NULL;
        if (nop) {
            il_insert_before(body, ret, nop);
            parted = true;
        }
    }
    return parted;
}

// Whether a call may stand right before a return: a look at the bytes, since most methods have none and need no decoding.
static bool may_end_in_call(const uint8_t *body, uint32_t size)
{
    enum { CALL = 0x28, CALLI = 0x29, RET = 0x2A, CALLVIRT = 0x6F, CALL_SIZE = 5 };
    for (uint32_t i = CALL_SIZE; i < size; i++) {
        uint8_t before = body[i - CALL_SIZE];
        if (body[i] == RET && (before == CALL || before == CALLI || before == CALLVIRT)) {
            return true;
        }
    }
    return false;
}

static void part(const struct body_owner *owner, const uint8_t *header, uint32_t size)
{
    struct arena arena = {0};
    struct buffer parted = {0};
    struct il_body body;
    if (il_decode(bytes_of(header, size), &arena, &body) == CLEW_OK && part_tail_calls(&body) &&
        il_encode(&body, &parted) == CLEW_OK) {
        // Refused: the original runs, and some frames may be missing.
        (void)body_hand_over(owner, &body, &parted, NULL);
    }
    buffer_free(&parted);
    arena_free(&arena);
}

// Asked for every compilation of a method; what was parted once has no such call any more.
void hooking_compile(clr_id function)
{
    struct body_owner owner = {.function = function};
    uint32_t size;
    const uint8_t *header;
    owner.module = module_of_function(function, &owner.token);
    if (owner.module && !clr_failed(info_get_il(agent.info, owner.module->id, owner.token, &header, &size)) &&
        may_end_in_call(header, size)) {
        part(&owner, header, size);
    }
}

bool hooking_start(void)
{
    hook_enter_target = agent.probes->hook_enter;
    hook_leave_target = agent.probes->hook_leave;
    return !clr_failed(info_set_function_mapper(agent.info, map_function, NULL)) &&
           !clr_failed(info_set_hooks(agent.info, clew_hook_enter, clew_hook_leave, clew_hook_tailcall));
}
