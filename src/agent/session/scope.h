// The patterns of the configuration that choose which methods are recorded. loaded/in_scope.c applies them to methods.
#ifndef CLEW_AGENT_SCOPE_H
#define CLEW_AGENT_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

// A pattern of --include, of --exclude, or of one instrument's own scope. The texts point into the segment.
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
// records my code. Without memory there are no patterns.
void scope_parse(struct scope *scope, struct text lines);

#endif
