// Weaving at first compilation, and what of it the JIT may put in line.
#ifndef CLEW_AGENT_WEAVING_H
#define CLEW_AGENT_WEAVING_H

#include <stdbool.h>

#include "clr/profiling.h"

void weaving_compile(clr_id function);            // JITCompilationStarted
void weaving_compilation_begins(clr_id function); // of a dynamic method, in which nothing is woven
void weaving_compilation_ends(clr_id function);   // of either
bool weaving_refuses_precompiled(clr_id function);
bool weaving_allows_inlining(clr_id callee);

#endif
