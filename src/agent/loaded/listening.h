// Which events the runtime announces.
#ifndef CLEW_AGENT_LISTENING_H
#define CLEW_AGENT_LISTENING_H

#include "clr/profiling.h"

clr_result listening_start(void);         // at Initialize: all but exceptions
void listening_compiled(clr_id function); // JITCompilationFinished: exceptions too, if the method is recorded
void listening_inlined(void);             // a recorded method becomes part of another: as if that were recorded
void listening_thrown(void);              // ExceptionThrown: exceptions no more, if the runtime would crash

#endif
