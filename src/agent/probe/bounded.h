// Counters that many threads take numbers or room from, up to a limit. Lock-free, for probes.
#ifndef CLEW_AGENT_BOUNDED_H
#define CLEW_AGENT_BOUNDED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Adds `count` to the counter, unless it would exceed `limit` then. Stores the value from before in *first, which is
// where the caller's range begins. Relaxed: the counter orders nothing, whatever uses a number is published by itself.
static inline bool bounded_take(_Atomic uint32_t *counter, uint32_t count, uint32_t limit, uint32_t *first)
{
    *first = atomic_load_explicit(counter, memory_order_relaxed);
    while (*first <= limit && limit - *first >= count) {
        if (atomic_compare_exchange_weak_explicit(counter, first, *first + count, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

#endif
