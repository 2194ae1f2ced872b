// The probes of async bodies. A body runs once below its kick-off, and once more behind each await that has to wait. Its
// activation travels in the state field of the state machine: states in which the body waits are stored with the number of
// the activation's record in the bits above them. Only the body stores states that are not negative, and reads them. The
// number is thus where the body is resumed, on whatever thread, without a look-up and without an effect on lifetimes.
//
// Defined once for each set of probes, like those of probe_calls.c; callers reach them through struct probe_set.
#ifndef CLEW_AGENT_PROBE_RUNS_H
#define CLEW_AGENT_PROBE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe/probe_unwind.h"
#include "weave/operations/run_shape.h"

#pragma GCC visibility push(hidden)

// See struct probe_set for what each does.
#define X(name, clock, stream)                                                  \
    uintptr_t run_begin_##name(uint32_t method, int32_t state, uint32_t shape); \
    bool run_end_##name(uintptr_t run);                                         \
    int32_t run_wait_##name(int32_t state, uintptr_t run, uint32_t shape);      \
    void run_complete_##name(uint32_t shape, uintptr_t run);
PROBE_SETS(X)
#undef X

#pragma GCC visibility pop

#endif
