// Exits by exception, and exception filters: the probes that the runtime's exception callbacks run on the calling
// thread. Defined once for each set of probes, like those of probe_calls.c; callers reach them through struct
// probe_set.
#ifndef CLEW_AGENT_PROBE_UNWIND_H
#define CLEW_AGENT_PROBE_UNWIND_H

#include <stdint.h>

// The sets of probes: name, clock, whether events are written.
#define PROBE_SETS(X)                               \
    X(tree_tsc, CLOCK_KIND_TSC, false)              \
    X(tree_monotonic, CLOCK_KIND_MONOTONIC, false)  \
    X(tree_tick, CLOCK_KIND_TICK, false)            \
    X(tree_none, CLOCK_KIND_NONE, false)            \
    X(stream_tsc, CLOCK_KIND_TSC, true)             \
    X(stream_monotonic, CLOCK_KIND_MONOTONIC, true) \
    X(stream_tick, CLOCK_KIND_TICK, true)           \
    X(stream_none, CLOCK_KIND_NONE, true)

#pragma GCC visibility push(hidden)

// See struct probe_set for what each does.
#define X(name, clock, stream)                      \
    void unwind_##name(uint32_t node);              \
    void unwind_overflow_##name(uint32_t position); \
    void filter_##name(uint32_t node);              \
    void filter_end_##name(void);                   \
    uint32_t compiles_##name(uint32_t what);        \
    void compiled_##name(uint32_t node);
PROBE_SETS(X)
#undef X

#pragma GCC visibility pop

#endif
