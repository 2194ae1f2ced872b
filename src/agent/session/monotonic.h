// CLOCK_MONOTONIC for code that may not use vector registers. clock_monotonic_ns() of base/clock.h is compiled with
// them.
#ifndef CLEW_AGENT_MONOTONIC_H
#define CLEW_AGENT_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); // cannot fail for this clock
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
