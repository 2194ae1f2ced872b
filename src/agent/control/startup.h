// The agent from Initialize to Shutdown.
#ifndef CLEW_AGENT_STARTUP_H
#define CLEW_AGENT_STARTUP_H

#include "clr/profiling.h"

// `quiet`: what a forked child calls, so that the runtime's callbacks take no lock any more.
clr_result agent_start(void *unknown, void (*quiet)(void));
void agent_shutdown(void);

#endif
