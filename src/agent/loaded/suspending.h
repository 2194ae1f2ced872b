// Methods that the JIT suspends at an await (runtime async), and their entries that return a task.
#ifndef CLEW_AGENT_SUSPENDING_H
#define CLEW_AGENT_SUSPENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"

// Whether the JIT may suspend the method.
bool suspending_may(const struct module *module, uint32_t token);
// Whether a function that is compiled is no activation of its method: it calls the method of runtime async and returns a task.
bool suspending_is_task_entry(clr_id function, const struct module *module, uint32_t token);
// The same of a function that runs, in any callback.
bool suspending_runs_task_entry(clr_id function);

#endif
