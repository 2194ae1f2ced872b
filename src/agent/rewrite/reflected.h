// Shows the program the bodies that its methods came with, where it reads them by reflection (MethodBase.GetMethodBody).
#ifndef CLEW_AGENT_REFLECTED_H
#define CLEW_AGENT_REFLECTED_H

#include <stdbool.h>

#include "clr/profiling.h"

// Whether this is a method of the core library that reads bodies. Its precompiled code must not run then.
bool reflected_is_reader(clr_id function);
// JITCompilationStarted: changes the method if it is one of them. True: it did, and nothing else may change the method.
bool reflected_compile(clr_id function);

#endif
