// Definitions for the collector. They wait for room, and give up when the collector reads no more.
#ifndef CLEW_AGENT_REPORT_H
#define CLEW_AGENT_REPORT_H

#include <stdbool.h>

#include "ring/definition.h"

// False: the collector does not get the definition: memory ran out, nothing reads it, or it is longer than the ring
// (ring_definition_fits()).
bool report_definition(const struct ring_definition *definition);
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
