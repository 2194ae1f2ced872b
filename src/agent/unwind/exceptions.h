// The runtime's exception callbacks, on the thread that unwinds. They end activations by the probes of struct
// probe_set. None takes a lock, so they run in forked children, too. Each does nothing on a thread without a slot.
#ifndef CLEW_AGENT_EXCEPTIONS_H
#define CLEW_AGENT_EXCEPTIONS_H

#include <stdint.h>

#include "clr/profiling.h"

// The method of which a frame is an activation; 0: none that is recorded.
uint32_t exception_method(clr_id function);

void exception_thrown(clr_id exception);
void exception_unwind_enter(clr_id function);
void exception_unwind_leave(void);
void exception_finally_enter(void);
void exception_finally_leave(void);
void exception_catcher_enter(clr_id function);
void exception_catcher_leave(void);
void exception_filter_enter(clr_id function);
void exception_filter_leave(void);

#endif
