// Exits by exception, from what the runtime announces while it unwinds.
#ifndef CLEW_AGENT_EXCEPTIONS_H
#define CLEW_AGENT_EXCEPTIONS_H

#include "clr/profiling.h"

void exception_unwind_enter(clr_id function);
void exception_unwind_leave(void);
void exception_finally_enter(void);
void exception_finally_leave(void);
void exception_catcher_enter(clr_id function);
void exception_filter_enter(clr_id function);
void exception_filter_leave(void);

#endif
