// Parses patterns of the form `[Assembly]Namespace.Type.Method`, where each part may have wildcards and either may be
// missing.
#include "trace/scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "trace/instrument.h"

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

// A line is "include GLOB", "exclude GLOB" or "INSTRUMENT GLOB". False: another line, which is for settings.c.
static bool parse_line(struct text line, struct scope_pattern *pattern)
{
    struct text word = text_take_word(&line);
    *pattern = parse_pattern(line);
    pattern->exclude = text_equal(word, text_of("exclude"));
    pattern->instruments = instrument_named(word);
    return pattern->exclude || pattern->instruments || text_equal(word, text_of("include"));
}

// Decides for which instruments each pattern counts: --include for those without patterns of their own, --exclude for
// all.
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
    CLEW_ASSERT(scope->count <= count + 1 && "there is room for a last line without an end");
    settle(scope);
}

uint32_t scope_of_assembly(const struct scope *scope, struct text assembly, bool mine)
{
    uint32_t may = mine ? ~scope->chosen : 0;
    for (uint32_t i = 0; i < scope->count; i++) {
        if (!scope->patterns[i].exclude && text_matches(assembly, scope->patterns[i].assembly)) {
            may |= scope->patterns[i].instruments;
        }
    }
    return may;
}

static struct text without_assembly(struct text whole)
{
    const char *close = whole.size ? memchr(whole.at, ']', whole.size) : NULL;
    return close ? (struct text){close + 1, (size_t)(whole.at + whole.size - close - 1)} : whole;
}

uint32_t scope_of_method(const struct scope *scope, struct text assembly, struct text whole, uint32_t may)
{
    struct text name = without_assembly(whole);
    uint32_t included = ~scope->chosen, excluded = 0;
    for (uint32_t i = 0; i < scope->count; i++) {
        const struct scope_pattern *pattern = &scope->patterns[i];
        if (text_matches(assembly, pattern->assembly) && text_matches(name, pattern->name)) {
            *(pattern->exclude ? &excluded : &included) |= pattern->instruments;
        }
    }
    return may & included & ~excluded;
}
