// The patterns that say which methods are recorded, as the configuration states them.
#ifndef CLEW_AGENT_SCOPE_H
#define CLEW_AGENT_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

// A pattern of --include, of --exclude, or of an instrument's own scope.
struct scope_pattern {
    struct text assembly, name;
    uint32_t instruments; // that it is for, or-ed
    bool exclude;
};

struct scope {
    struct scope_pattern *patterns;
    uint32_t count;
    uint32_t chosen; // the instruments that patterns choose for: the default of my code does not apply to them
};

// The configuration lines; of a scope without --include and without a pattern of its own an instrument has my code.
void scope_parse(struct scope *scope, struct text lines);

#endif
