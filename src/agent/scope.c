// Which methods are recorded: patterns over `[Assembly]Namespace.Type.Method`, or my code by default.
#include "agent/agent.h"

#include <stdlib.h>

static struct scope_pattern parse_pattern(struct text line, bool exclude)
{
    struct scope_pattern pattern = {.assembly = text_of("*"), .name = line, .exclude = exclude};
    const char *close = line.size && line.at[0] == '[' ? memchr(line.at, ']', line.size) : NULL;
    if (close) {
        pattern.assembly = (struct text){line.at + 1, (size_t)(close - line.at - 1)};
        pattern.name = (struct text){close + 1, (size_t)(line.at + line.size - close - 1)};
    }
    if (pattern.name.size == 0) {
        pattern.name = text_of("*");
    }
    return pattern;
}

void scope_parse(struct scope *scope, struct text lines)
{
    uint32_t count = 0;
    for (size_t i = 0; i < lines.size; i++) {
        count += lines.at[i] == '\n';
    }
    scope->patterns = calloc(count + 1, sizeof *scope->patterns);
    if (!scope->patterns) {
        return;
    }
    while (lines.size) {
        const char *end = memchr(lines.at, '\n', lines.size);
        size_t size = end ? (size_t)(end - lines.at) : lines.size;
        struct text line = {lines.at, size};
        bool exclude = text_starts(line, "exclude ");
        if (exclude || text_starts(line, "include ")) {
            struct text glob = {line.at + 8, line.size - 8};
            scope->patterns[scope->count++] = parse_pattern(glob, exclude);
            scope->chosen |= !exclude;
        }
        lines = (struct text){lines.at + size + (end != NULL), lines.size - size - (end != NULL)};
    }
}

static bool is_core(const struct module *module)
{
    return text_equal(module->assembly, text_of("System.Private.CoreLib"));
}

static bool is_my_code(const struct module *module)
{
    return !(module->flags & RING_MODULE_FRAMEWORK) && module->flags & (RING_MODULE_ENTRY | RING_MODULE_SYMBOLS);
}

bool scope_may_have(const struct scope *scope, const struct module *module)
{
    if (!agent.all_code && is_core(module)) {
        return false;
    }
    if (!scope->chosen) {
        return agent.all_code || is_my_code(module);
    }
    for (uint32_t i = 0; i < scope->count; i++) {
        if (!scope->patterns[i].exclude && text_matches(module->assembly, scope->patterns[i].assembly)) {
            return true;
        }
    }
    return false;
}

static bool pattern_has(const struct scope_pattern *pattern, const struct module *module, struct text name)
{
    return text_matches(module->assembly, pattern->assembly) && text_matches(name, pattern->name);
}

// The part after the assembly of what names_scope() gives.
static struct text without_assembly(struct text whole)
{
    const char *close = whole.size ? memchr(whole.at, ']', whole.size) : NULL;
    return close ? (struct text){close + 1, (size_t)(whole.at + whole.size - close - 1)} : whole;
}

bool scope_has(const struct scope *scope, struct module *module, uint32_t token)
{
    if (!scope_may_have(scope, module)) {
        return false;
    }
    if (scope->count == 0) {
        return true;
    }
    struct buffer whole = {0};
    bool named = module_names(module) && names_scope(module->names, token, &whole) == CLEW_OK && !whole.failed;
    struct text name = without_assembly((struct text){(const char *)whole.data, whole.size});
    bool included = !scope->chosen, excluded = false;
    for (uint32_t i = 0; named && i < scope->count; i++) {
        bool matches = pattern_has(&scope->patterns[i], module, name);
        included |= matches && !scope->patterns[i].exclude;
        excluded |= matches && scope->patterns[i].exclude;
    }
    buffer_free(&whole);
    return named && included && !excluded;
}
