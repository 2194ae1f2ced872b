// Weaves methods at their first compilation, and answers which methods the JIT may inline. Callbacks of the runtime, on the
// thread that compiles, in preemptive mode.
#ifndef CLEW_AGENT_WEAVING_H
#define CLEW_AGENT_WEAVING_H

#include <stdbool.h>

#include "clr/profiling.h"

// JITCompilationStarted: weaves the method if it is in scope and this is its first compilation.
void weaving_compile(clr_id function);
// DynamicMethodJITCompilationStarted: a dynamic method is never woven, but may inline woven ones.
void weaving_compilation_begins(clr_id function);
// JITCompilationFinished and its counterpart for dynamic methods.
void weaving_compilation_ends(clr_id function);
// JITCachedFunctionSearchStarted: whether the runtime must compile the method although it has precompiled code.
bool weaving_refuses_precompiled(clr_id function);
// JITInlining: whether no call is lost if the callee is inlined.
bool weaving_allows_inlining(clr_id caller, clr_id callee);

#endif
