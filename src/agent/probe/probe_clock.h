// The session's clock, read inside managed code: without a lock, and without a call where the processor has a counter.
#ifndef CLEW_AGENT_PROBE_CLOCK_H
#define CLEW_AGENT_PROBE_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "agent/probe/probe_thread.h"
#include "agent/session/monotonic.h"
#include "base/clock.h"

// Ticks of the clock. Without a clock it is 1: a node whose `started` is 0 has no running activation.
static inline __attribute__((always_inline)) uint64_t probe_clock(enum clock_kind clock)
{
    switch (clock) {
    case CLOCK_KIND_TSC:
        return clock_tsc();
    case CLOCK_KIND_TICK:
        return atomic_load_explicit(&probe_ring->tick_ns, memory_order_relaxed);
    case CLOCK_KIND_MONOTONIC:
        return monotonic_ns();
    default:
        return 1;
    }
}

// How a set of probes measures, and whether it writes events: constants wherever they are used inline.
struct probe_way {
    enum clock_kind clock;
    bool stream;
};

#endif
