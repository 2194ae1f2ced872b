// Matches modules and methods against the patterns of the scope. Each instrument has its own: one that no pattern chooses
// (`~scope->chosen`) takes my code, and an exclusion wins over all inclusions.
#include "agent/loaded/in_scope.h"

#include <string.h>

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
    uint32_t may = agent.all_code || module_is_my_code(module->flags) ? ~scope->chosen : 0;
    for (uint32_t i = 0; i < scope->count; i++) {
        if (!scope->patterns[i].exclude && text_matches(module->assembly, scope->patterns[i].assembly)) {
            may |= scope->patterns[i].instruments;
        }
    }
    return may & agent.asked;
}

uint32_t scope_may_have(const struct module *module)
{
    return recorded(may_have(&agent.scope, module));
}

static bool pattern_has(const struct scope_pattern *pattern, const struct module *module, struct text name)
{
    return text_matches(module->assembly, pattern->assembly) && text_matches(name, pattern->name);
}

// names_scope() composes `[Assembly]Name`; this is the name.
static struct text without_assembly(struct text whole)
{
    const char *close = whole.size ? memchr(whole.at, ']', whole.size) : NULL;
    return close ? (struct text){close + 1, (size_t)(whole.at + whole.size - close - 1)} : whole;
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
    struct text name = without_assembly((struct text){(const char *)whole.data, whole.size});
    uint32_t included = ~scope->chosen, excluded = 0;
    for (uint32_t i = 0; named && i < scope->count; i++) {
        const struct scope_pattern *pattern = &scope->patterns[i];
        if (pattern_has(pattern, module, name)) {
            *(pattern->exclude ? &excluded : &included) |= pattern->instruments;
        }
    }
    buffer_free(&whole);
    return named ? recorded(may & included & ~excluded) : 0;
}
