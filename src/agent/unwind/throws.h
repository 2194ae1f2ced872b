// What is thrown, where, and where it is caught. Called from the runtime's exception callbacks beside exceptions.h, which ends
// the activations. None takes a lock, so they run in forked children, too.
#ifndef CLEW_AGENT_THROWS_H
#define CLEW_AGENT_THROWS_H

#include <stdbool.h>

#include "clr/profiling.h"

// Before any throw. False: there is no memory for the numbers of classes.
bool throws_start(void);

void throws_thrown(clr_id exception); // after exception_thrown()
void throws_searched(clr_id function);
void throws_handler_found(void);
void throws_caught(clr_id function); // after exception_catcher_enter()
void throws_filter_begun(void);      // after exception_filter_enter()
void throws_filter_ends(void);       // before exception_filter_leave()
// JITCompilationStarted, JITCachedFunctionSearchStarted: notes the first call of Environment.FailFast, which comes right after that.
void throws_prepared(clr_id function);

#endif
