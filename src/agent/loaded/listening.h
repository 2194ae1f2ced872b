// Controls which events the runtime announces to the agent: its event mask.
#ifndef CLEW_AGENT_LISTENING_H
#define CLEW_AGENT_LISTENING_H

#include "clr/profiling.h"

// In Initialize: asks for all events that the session needs except those of exceptions.
clr_result listening_start(void);
// JITCompilationFinished: asks for exceptions as well if the method is recorded.
void listening_compiled(clr_id function);
// ExceptionThrown: gives up exceptions if the runtime would crash on this one.
void listening_thrown(void);

#endif
