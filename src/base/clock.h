// The clocks that a session can use. Times are stored as raw readings, in ticks; the session states how many ticks a second
// has. Probes read the clock at each entry and exit, so its cost matters: the time-stamp counter is the cheapest exact one.
#ifndef CLEW_BASE_CLOCK_H
#define CLEW_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Shared by the ring, the recording and the command line; values are stored in files, so they never change.
#define CLOCKS(X)                                                                              \
    X(TSC, 0, "tsc")             /* time-stamp counter of the processor */                     \
    X(MONOTONIC, 1, "monotonic") /* CLOCK_MONOTONIC, ns */                                     \
    X(TICK, 2, "tick")           /* CLOCK_MONOTONIC, ns, as last refreshed by the collector */ \
    X(NONE, 3, "none")           /* no times */

enum clock_kind {
#define X(code, value, name) CLOCK_KIND_##code = value,
    CLOCKS(X)
#undef X
};

const char *clock_name(enum clock_kind kind);
bool clock_from_name(const char *name, enum clock_kind *out);

// By the architecture, which CMake chooses (CLEW_ARCHITECTURE):
//     uint64_t clock_tsc(void);        the processor's counter, which agent and collector both read
//     bool clock_tsc_promised(void);   whether the processor promises that it has a constant rate and never stops
#ifndef CLEW_CLOCK_HEADER // tools that compile one header alone do not define it
#define CLEW_CLOCK_HEADER "base/clock_x86_64.h"
#endif
#include CLEW_CLOCK_HEADER

uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);

// Whether the processor promises a counter of constant rate that never stops, and the kernel trusts it too: it is the
// current clocksource, or at least available.
bool clock_tsc_usable(void);

// A pair of readings taken together, to measure the counter's rate between two of them.
struct clock_pair {
    uint64_t tsc;
    uint64_t ns; // CLOCK_MONOTONIC
};

struct clock_pair clock_pair_now(void);
// Counts a second between two pairs; the further apart the better (10 ms gives about 1e-5).
double clock_rate_hz(struct clock_pair from, struct clock_pair to);

#endif
