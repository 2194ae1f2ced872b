// How long the JIT takes, and clew's weaving before it. A compilation that a recorded method causes is a row below that method, in
// sessions with `tree` (METHOD_JIT and those after it); all are added up in the segment's header, and each one but those of
// dynamic methods is reported to the collector. The runtime calls these on the thread that compiles. Compilations nest: one can run
// code that is compiled in turn.
#ifndef CLEW_AGENT_COMPILING_H
#define CLEW_AGENT_COMPILING_H

#include "clr/profiling.h"

// Precompiled code of the method exists and is refused: its compilation, which comes next on the thread, is clew's doing.
void compiling_refused(clr_id function);
// Calls what changes the method's body first; NULL: it is a dynamic method.
void compiling_begins(clr_id function, void (*weave)(clr_id function));
void compiling_ends(clr_id function);

#endif
