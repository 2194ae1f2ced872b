// Start and end of the agent, as the runtime's callbacks Initialize and Shutdown.
#ifndef CLEW_AGENT_STARTUP_H
#define CLEW_AGENT_STARTUP_H

#include "clr/profiling.h"

// `unknown`: ICorProfilerInfo of the runtime. `quiet`: see forked_prepare(). Returns CLR_CANCEL_ACTIVATION if nothing
// is to be recorded; the runtime then unloads the agent.
clr_result agent_start(void *unknown, void (*quiet)(void));
void agent_shutdown(void);

#endif
