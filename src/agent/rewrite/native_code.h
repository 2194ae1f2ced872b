// Native code of methods of runtime async, whose frames the probes look for (agent/probe/probe_frames.h).
#ifndef CLEW_AGENT_NATIVE_CODE_H
#define CLEW_AGENT_NATIVE_CODE_H

#include "clr/profiling.h"

// Finds the runtime's own code. Once, with agent.info.
void native_code_find_runtime(void);
// The runtime has compiled a function, and the code has not run yet.
void native_code_compiled(clr_id function);

#endif
