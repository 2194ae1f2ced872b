// The second way of seeing calls: the JIT's own enter, leave and tailcall hooks, for every method in scope, framework
// included. The runtime then refuses all precompiled code by itself.
#include "agent/agent.h"

#include <string.h>

#include "il/body.h"

#pragma GCC visibility push(hidden)
// What arch/x86_64/hooks.S calls.
extern void (*hook_enter_target)(uint32_t method, uintptr_t caller_stack);
extern void (*hook_leave_target)(uint32_t method, uintptr_t caller_stack);
void clew_hook_enter(void);
void clew_hook_leave(void);
void clew_hook_tailcall(void);
#pragma GCC visibility pop

void (*hook_enter_target)(uint32_t method, uintptr_t caller_stack);
void (*hook_leave_target)(uint32_t method, uintptr_t caller_stack);

static uint32_t decide(struct module *module, uint32_t token)
{
    (void)pthread_mutex_lock(&module->lock);
    uint32_t instruments = scope_has(&agent.scope, agent.instruments, module, token);
    uint32_t number = instruments ? method_define(module, token) : 0;
    (void)pthread_mutex_unlock(&module->lock);
    return number ? method_marked(number, instruments) : METHOD_LEFT;
}

// Asked once a compilation, so several times for one method; the answer must not change.
static uintptr_t map_function(clr_id function, void *context, int32_t *hook)
{
    (void)context;
    clr_id type, id;
    uint32_t token;
    *hook = 0;
    if (clr_failed(info_get_function(agent.info, function, &type, &id, &token))) {
        return function;
    }
    struct module *module = module_find(id);
    if (!module) {
        return function;
    }
    if (method_take(module, token)) {
        method_decided(module, token, decide(module, token));
    }
    uint32_t number = method_number(function);
    *hook = number != 0;
    return number ? number : function;
}

// A method's `call; ret` to itself is a loop to the optimising JIT, without any hook: a `nop` between keeps it a call.
static bool part_calls_to_itself(struct il_body *body, uint32_t token)
{
    bool parted = false;
    for (struct il_instruction *at = body->first; at != body->end; at = at->next) {
        bool itself = at->opcode == IL_CALL && at->operand.integer == (int64_t)token && il_unit_start(at) == at;
        struct il_instruction *ret = at->next;
        struct il_instruction *nop = itself && ret->opcode == IL_RET ? il_new(body, IL_NOP, 0) : NULL;
        if (nop) {
            il_insert_before(body, ret, nop);
            parted = true;
        }
    }
    return parted;
}

// Asked for every compilation of a method; what was parted once has no such call any more.
void hooking_compile(clr_id function)
{
    clr_id type, module;
    uint32_t token, size;
    const uint8_t *header;
    struct arena arena = {0};
    struct buffer parted = {0};
    struct il_body body;
    if (!clr_failed(info_get_function(agent.info, function, &type, &module, &token)) && module_find(module) &&
        !clr_failed(info_get_il(agent.info, module, token, &header, &size)) &&
        il_decode(bytes_of(header, size), &arena, &body) == CLEW_OK && part_calls_to_itself(&body, token) &&
        il_encode(&body, &parted) == CLEW_OK) {
        void *memory = info_alloc_il(agent.info, module, (uint32_t)parted.size);
        if (memory) {
            memcpy(memory, parted.data, parted.size);
            (void)info_set_il(agent.info, module, token, memory); // refused: the calls that become a loop are not seen
        }
    }
    buffer_free(&parted);
    arena_free(&arena);
}

bool hooking_start(void)
{
    hook_enter_target = agent.probes->hook_enter;
    hook_leave_target = agent.probes->hook_leave;
    return !clr_failed(info_set_function_mapper(agent.info, map_function, NULL)) &&
           !clr_failed(info_set_hooks(agent.info, clew_hook_enter, clew_hook_leave, clew_hook_tailcall));
}
