// The JIT's own enter, leave and tailcall hooks.
#ifndef CLEW_AGENT_HOOKING_H
#define CLEW_AGENT_HOOKING_H

#include <stdbool.h>

#include "clr/profiling.h"

bool hooking_start(void);
void hooking_compile(clr_id function); // JITCompilationStarted

#endif
