// The second way of seeing calls: the JIT's own enter, leave and tailcall hooks, for every method in scope, framework
// included. The runtime then refuses all precompiled code by itself.
#include "agent/agent.h"

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
    uint32_t number = scope_has(&agent.scope, module, token) ? method_define(module, token) : 0;
    (void)pthread_mutex_unlock(&module->lock);
    return number ? number : METHOD_LEFT;
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

bool hooking_start(void)
{
    hook_enter_target = agent.probes->hook_enter;
    hook_leave_target = agent.probes->hook_leave;
    return !clr_failed(info_set_function_mapper(agent.info, map_function, NULL)) &&
           !clr_failed(info_set_hooks(agent.info, clew_hook_enter, clew_hook_leave, clew_hook_tailcall));
}
