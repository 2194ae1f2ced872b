// Reports the classes of objects that probes have met (probe_classes.h). A probe runs in managed code and may not call the
// runtime, so it only queues the method table and wakes a thread of the agent, which asks the runtime and reports the type.
#ifndef CLEW_AGENT_CLASSES_H
#define CLEW_AGENT_CLASSES_H

#include <stdbool.h>

#include "agent/loaded/modules.h"

// Makes the tables of probe_classes.h. Once, before the first probe that calls class_number(). False: no memory, and classes
// have no numbers.
bool classes_prepare(void);
// Starts the thread, unless it was started before; until then the queue waits. May be called in cooperative mode: takes no lock
// of the agent or of the runtime. False: there is no thread.
bool classes_start(void);

// Reports all classes in the queue. On any thread that is not in cooperative mode.
void classes_resolve(void);

// ModuleUnloadStarted: reports the classes in the queue while the runtime can still describe them. Then each class of a
// collectible module, or with a part of it, is forgotten: a class that is loaded at its address gets a new number.
void classes_forget(const struct module *module);

#endif
