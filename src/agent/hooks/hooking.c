// The JIT's enter, leave and tail call hooks, for `--all-code`: every method in scope calls them, those of the
// framework included. The runtime refuses all precompiled code itself then, since such code has no hooks.
#include "agent/hooks/hooking.h"

#include "agent/arch/arch.h"
#include "agent/loaded/in_scope.h"
#include "agent/loaded/methods.h"
#include "agent/loaded/modules.h"
#include "agent/loaded/suspending.h"
#include "agent/probe/probe.h"
#include "agent/probe/probe_suspending.h"
#include "agent/rewrite/bodies.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/session/report.h"
#include "il/body.h"

static void report_once(_Atomic bool *reported, const char *sentence)
{
    if (!atomic_exchange_explicit(reported, true, memory_order_relaxed)) {
        report_note("%s", sentence);
    }
}

// The metadata of an edit is not in the module's file, so an added method has no name.
static void report_if_added(const struct module *module, uint32_t token)
{
    static _Atomic bool reported;
    if (module->flags & MODULE_IN_SCOPE && TOKEN_ROW(token) > module->method_count) {
        report_once(&reported, "methods that edits added are not recorded: their time is their callers'");
    }
}

// To hooks, a method that resumes is called once more.
static void report_if_async(const struct module *module, uint32_t token)
{
    static _Atomic bool reported;
    if (method_is_async(module, token)) {
        report_once(&reported,
                    "methods of runtime async ran: whenever one resumes after an await, that counts as a call, "
                    "below the runtime's method that resumed it");
    }
}

static uint32_t decide(struct module *module, uint32_t token)
{
    lock_take(&module->lock, LOCK_MODULE);
    uint32_t instruments = scope_has(module, token);
    uint32_t number = instruments ? method_define(module, token) : 0;
    lock_release(&module->lock, LOCK_MODULE);
    if (number) {
        report_if_async(module, token);
    }
    if (number && suspending_may(module, token)) {
        probe_note_suspending(number);
    }
    return number ? method_marked(number, instruments) : METHOD_LEFT;
}

// FunctionIDMapper2: the runtime asks at each compilation whether a method is hooked, and which number its hooks get.
// It may ask several times about one method, so the answer must not change.
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
    report_if_added(module, token);
    uint32_t number = suspending_is_task_entry(function, module, token) ? 0 : method_number(function);
    *hook = number != 0;
    return number ? number : function;
}

// Puts a `nop` between each call in last position and the `ret` after it. The optimising JIT would otherwise turn such
// a call into a jump, or self-recursion into a loop. It does so far more often than in the plain program, since hooked
// methods are not inlined, and stack traces would lack frames. Calls with `tail.` are left alone. Returns whether there
// was such a call.
static bool separate_tail_calls(struct il_body *body)
{
    bool separated = false;
    for (struct il_instruction *at = body->first; at != body->end; at = at->next) {
        struct il_instruction *ret = at->next;
        bool calls = at->opcode == IL_CALL || at->opcode == IL_CALLVIRT || at->opcode == IL_CALLI;
        bool last = calls && ret->opcode == IL_RET && !il_is_tail_prefixed(at);
        struct il_instruction *nop = last ? il_new(body, IL_NOP, 0) : NULL;
        if (nop) {
            il_insert_before(body, ret, nop);
            separated = true;
        }
    }
    return separated;
}

// Whether the body may have a call right before a `ret`. Searches the bytes for the opcodes, so that most methods need
// not be decoded; an operand may look like one.
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

static void separate(const struct body_owner *owner)
{
    struct arena arena = {0};
    struct buffer separated = {0};
    struct il_body body;
    if (il_decode(owner->original, &arena, &body) == CLEW_OK && separate_tail_calls(&body) &&
        il_encode(&body, &separated) == CLEW_OK) {
        // If the runtime refuses the body, the original runs, and stack traces may lack frames.
        (void)body_hand_over(owner, &body, &separated, NULL);
    }
    buffer_free(&separated);
    arena_free(&arena);
}

// Called at every compilation of a method. A body that was changed before has no such call any more.
void hooking_compile(clr_id function)
{
    struct body_owner owner = {.function = function};
    uint32_t size;
    const uint8_t *header;
    owner.module = module_of_function(function, &owner.token);
    if (owner.module && !clr_failed(info_get_il(agent.info, owner.module->id, owner.token, &header, &size)) &&
        may_end_in_call(header, size)) {
        owner.original = bytes_of(header, size);
        separate(&owner);
    }
}

bool hooking_start(void)
{
    hook_enter_target = agent.probes->hook_enter;
    hook_leave_target = agent.probes->hook_leave;
    return !clr_failed(info_set_function_mapper(agent.info, map_function, NULL)) &&
           !clr_failed(info_set_hooks(agent.info, clew_hook_enter, clew_hook_leave, clew_hook_tailcall));
}
