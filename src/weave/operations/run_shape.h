// What woven async bodies tell their probes.
#ifndef CLEW_WEAVE_RUN_SHAPE_H
#define CLEW_WEAVE_RUN_SHAPE_H

#include <stdint.h>

#include "trace/kinds.h"

// Of a body, as a constant in its woven code. For run_complete() it contains how the activation ends, too.
enum {
    RUN_SHAPE_BITS = 31,           // mask: how many bits of its states are the body's own
    RUN_SHAPE_ITERATOR = 1 << 5,   // the body of an async iterator
    RUN_SHAPE_PLAIN = 1 << 6,      // nothing of the program's runs between a completion at once and the end of the run
    RUN_SHAPE_STARTS = 1 << 7,     // a first run stands for its kick-off too, which has no probes
    RUN_SHAPE_NEW_AT_0 = 1 << 8,   // a body that has not run is in state 0, as in F#; else in -1
    RUN_SHAPE_END_SHIFT = 9,       // enum run_end
    RUN_SHAPE_SUSPENDED = 1 << 11, // a method of runtime async: the JIT suspends it, and it has no states
};

// In the number of an await of a method of runtime async, for await_begin(): an IL try is around it, and so the method goes on
// there if what it awaits fails. Where none is, the runtime completes its task without it.
enum { RUN_AWAIT_TRIED = 1 << 29 };

// The state of an async iterator before the first run of its body. Below it: it has yielded (Roslyn, StateMachineStates).
enum { RUN_STATE_NEW_ITERATOR = -3 };

#endif
