// Which instruments have a module or a method in their scope. trace/scope.c matches the patterns.
#include "agent/loaded/in_scope.h"

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"
#include "base/locked.h"
#include "trace/instrument.h"

static uint32_t recorded(uint32_t asked)
{
    return agent.hooks ? instruments_of_hooks(asked) : asked;
}

// The instruments that the user asked for and that can have methods of the module in their scope.
static uint32_t may_have(const struct scope *scope, const struct module *module)
{
    if (!agent.all_code && module_is_core_library(module)) {
        return 0;
    }
    bool mine = agent.all_code || module_is_my_code(module->flags);
    return scope_of_assembly(scope, module->assembly, mine) & agent.asked;
}

uint32_t scope_may_have(const struct module *module)
{
    return recorded(may_have(&agent.scope, module));
}

uint32_t scope_has(struct module *module, uint32_t token)
{
    const struct scope *scope = &agent.scope;
    uint32_t may = may_have(scope, module);
    CLEW_ASSERT_LOCKED(&module->lock);
    if (!may || scope->count == 0) {
        return recorded(may);
    }
    struct buffer whole = {0};
    bool named = module_names(module) && names_scope(module->names, token, &whole) == CLEW_OK && !whole.failed;
    const struct text name = {(const char *)whole.data, whole.size};
    uint32_t has = named ? scope_of_method(scope, module->assembly, name, may) : 0;
    buffer_free(&whole);
    return recorded(has);
}
