// Reports the names of managed threads to the collector. The runtime names a thread by ThreadID, the collector knows threads by
// their OS id; this file connects the two. Callbacks of the runtime, each on any thread.
#ifndef CLEW_AGENT_RUNTIME_THREADS_H
#define CLEW_AGENT_RUNTIME_THREADS_H

#include <stdint.h>

#include "clr/profiling.h"

void threads_assigned(clr_id thread, uint32_t os_id); // ThreadAssignedToOSThread
void threads_destroyed(clr_id thread);                // ThreadDestroyed: frees the thread's slot in the segment
void threads_named(clr_id thread, const clr_char *name, uint32_t length); // ThreadNameChanged; length in UTF-16 units

#endif
