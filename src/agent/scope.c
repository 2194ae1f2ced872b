// Which methods are recorded, and by which instrument: patterns over `[Assembly]Namespace.Type.Method`, or my code by
// default.
#include "agent/agent.h"

#include <stdlib.h>

#include "ring/instrument.h"

static struct scope_pattern parse_pattern(struct text glob)
{
    struct scope_pattern pattern = {.assembly = text_of("*"), .name = glob};
    const char *close = glob.size && glob.at[0] == '[' ? memchr(glob.at, ']', glob.size) : NULL;
    if (close) {
        pattern.assembly = (struct text){glob.at + 1, (size_t)(close - glob.at - 1)};
        pattern.name = (struct text){close + 1, (size_t)(glob.at + glob.size - close - 1)};
    }
    if (pattern.name.size == 0) {
        pattern.name = text_of("*");
    }
    return pattern;
}

// "include GLOB", "exclude GLOB" (for no instrument in particular), or "INSTRUMENT GLOB"; false: a line of the settings.
static bool parse_line(struct text line, struct scope_pattern *pattern)
{
    struct text word = text_take_word(&line);
    *pattern = parse_pattern(line);
    pattern->exclude = text_equal(word, text_of("exclude"));
    pattern->instruments = ring_instrument_named(word);
    return pattern->exclude || pattern->instruments || text_equal(word, text_of("include"));
}

// --include is for the instruments that have no scope of their own, --exclude for all.
static void settle(struct scope *scope)
{
    uint32_t own = 0;
    for (uint32_t i = 0; i < scope->count; i++) {
        own |= scope->patterns[i].instruments;
    }
    for (uint32_t i = 0; i < scope->count; i++) {
        struct scope_pattern *pattern = &scope->patterns[i];
        pattern->instruments = pattern->exclude ? UINT32_MAX : pattern->instruments ? pattern->instruments : ~own;
        scope->chosen |= pattern->exclude ? 0 : pattern->instruments;
    }
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
    struct text line;
    while (text_take_line(&lines, &line)) {
        scope->count += parse_line(line, &scope->patterns[scope->count]);
    }
    settle(scope);
}

static bool is_core(const struct module *module)
{
    return text_equal(module->assembly, text_of("System.Private.CoreLib"));
}

static bool is_my_code(const struct module *module)
{
    return !(module->flags & RING_MODULE_FRAMEWORK) && module->flags & (RING_MODULE_ENTRY | RING_MODULE_SYMBOLS);
}

uint32_t scope_may_have(const struct scope *scope, uint32_t instruments, const struct module *module)
{
    if (!agent.all_code && is_core(module)) {
        return 0;
    }
    uint32_t may = agent.all_code || is_my_code(module) ? ~scope->chosen : 0;
    for (uint32_t i = 0; i < scope->count; i++) {
        if (!scope->patterns[i].exclude && text_matches(module->assembly, scope->patterns[i].assembly)) {
            may |= scope->patterns[i].instruments;
        }
    }
    return may & instruments;
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

uint32_t scope_has(const struct scope *scope, uint32_t instruments, struct module *module, uint32_t token)
{
    uint32_t may = scope_may_have(scope, instruments, module);
    if (!may || scope->count == 0) {
        return may;
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
    return named ? may & included & ~excluded : 0;
}
