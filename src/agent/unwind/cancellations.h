// Which exceptions end an activation as cancelled. The runtime, which completes the task of a method of runtime async, looks at
// their class, as the bodies that compilers make do.
#ifndef CLEW_AGENT_CANCELLATIONS_H
#define CLEW_AGENT_CANCELLATIONS_H

#include <stdbool.h>

#include "clr/profiling.h"

// Whether the object is an OperationCanceledException, or of a class that extends it. In ExceptionThrown.
bool cancellation_is(clr_id exception);

#endif
