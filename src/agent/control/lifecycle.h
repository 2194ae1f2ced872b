// A module from its load to its unload: who prepares for it, and who forgets it.
#ifndef CLEW_AGENT_LIFECYCLE_H
#define CLEW_AGENT_LIFECYCLE_H

#include "clr/profiling.h"

void modules_loaded(clr_id id);
void modules_unloading(clr_id id); // its code runs no more; its image, metadata and classes are still there
void modules_unloaded(clr_id id);  // nothing of it is there any more

#endif
