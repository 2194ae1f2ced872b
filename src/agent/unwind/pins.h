// Pins exceptions while they are thrown, since CoreCLR 9 and 10 may otherwise move them and lose them (pins.c).
#ifndef CLEW_AGENT_PINS_H
#define CLEW_AGENT_PINS_H

#include "clr/profiling.h"

void pins_start(void);              // during Initialize: finds out whether this runtime needs pins and can make them
void pins_thrown(clr_id exception); // ExceptionThrown
void pins_handled(void);            // ExceptionCatcherLeave
void pins_thread_destroyed(clr_id thread);
void pins_report(void); // at Shutdown: reports how many exceptions could not be pinned

#endif
