// The JIT's enter, leave and tail call hooks, for sessions with `--all-code`.
#ifndef CLEW_AGENT_HOOKING_H
#define CLEW_AGENT_HOOKING_H

#include <stdbool.h>

#include "clr/profiling.h"

// Sets the hooks, during Initialize. False: the runtime refused.
bool hooking_start(void);
// JITCompilationStarted: changes the body so that calls in last position stay calls.
void hooking_compile(clr_id function);

#endif
