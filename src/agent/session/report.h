// Definitions on their way to the collector. A definition is written before the first event that uses it, and
// definitions are never reordered. Any thread may call these functions in preemptive mode, also while it holds another
// of the agent's locks. Without room in the ring they wait, at most until the collector has read no definition for
// DEFINITIONS_LIMIT_NS.
#ifndef CLEW_AGENT_REPORT_H
#define CLEW_AGENT_REPORT_H

#include <stdbool.h>

#include "base/limit.h"
#include "ring/definition.h"

CLEW_LIMIT(DEFINITIONS_LIMIT_NS, 5000000000);

// False: the collector does not get the definition, since memory ran out, the collector is gone, or the definition does
// not fit the ring even when that is empty.
bool report_definition(const struct ring_definition *definition);
// Reports a sentence for the user, which the recording keeps.
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
