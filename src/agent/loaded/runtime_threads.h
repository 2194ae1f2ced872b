// Threads of the runtime, as it announces them.
#ifndef CLEW_AGENT_RUNTIME_THREADS_H
#define CLEW_AGENT_RUNTIME_THREADS_H

#include <stdint.h>

#include "clr/profiling.h"

void threads_assigned(clr_id thread, uint32_t os_id);
void threads_destroyed(clr_id thread);
void threads_named(clr_id thread, const clr_char *name, uint32_t length);

#endif
