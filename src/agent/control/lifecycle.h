// A module from its load to its unload, as the runtime's callbacks announce it. They run in preemptive mode, on any
// thread; for one module they never overlap.
#ifndef CLEW_AGENT_LIFECYCLE_H
#define CLEW_AGENT_LIFECYCLE_H

#include "clr/profiling.h"

void modules_loaded(clr_id id);
void modules_unloading(clr_id id); // its code does not run any more; its image, metadata and classes still exist
void modules_unloaded(clr_id id);  // nothing of it exists any more

#endif
