// Keeps exceptions in their place while they are thrown.
#ifndef CLEW_AGENT_PINS_H
#define CLEW_AGENT_PINS_H

#include "clr/profiling.h"

void pins_start(void);              // asks the runtime whether exceptions can be pinned, and need be
void pins_thrown(clr_id exception); // ExceptionThrown
void pins_handled(void);            // ExceptionCatcherLeave
void pins_thread_destroyed(clr_id thread);
void pins_report(void); // at the end: what could not be done

#endif
