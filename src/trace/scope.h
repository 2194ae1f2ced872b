// The patterns that choose which methods are recorded. The agent applies them to what is compiled (agent/loaded/in_scope.c), the
// collector to all methods of a module (collector/sources/module_points.c).
#ifndef CLEW_TRACE_SCOPE_H
#define CLEW_TRACE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

// A pattern of --include, of --exclude, or of one instrument's own scope. The texts point into the parsed lines.
struct scope_pattern {
    struct text assembly, name;
    uint32_t instruments; // for which it counts, or-ed
    bool exclude;
};

struct scope {
    struct scope_pattern *patterns;
    uint32_t count;
    uint32_t chosen; // the instruments with including patterns: the default, my code, does not apply to them
};

// Parses the configuration lines, which must stay in memory. An instrument without a pattern of --include or of its own
// records my code. Without memory there are no patterns. The patterns are freed with free().
void scope_parse(struct scope *scope, struct text lines);

// The instruments whose patterns, or whose default, can have methods of the assembly. `mine`: it is my code.
uint32_t scope_of_assembly(const struct scope *scope, struct text assembly, bool mine);
// Of `may`, those that have the method. `whole` is its name as names_scope() composes it: `[Assembly]Name`.
uint32_t scope_of_method(const struct scope *scope, struct text assembly, struct text whole, uint32_t may);

#endif
