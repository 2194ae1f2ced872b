// Waiting for the collector to make room, without waiting for one that has died. The caller looks for room itself,
// sleeps between looks, and asks here how long it may go on. Inline and without vector registers: probes wait too.
#ifndef CLEW_AGENT_GIVE_UP_H
#define CLEW_AGENT_GIVE_UP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/session/monotonic.h"
#include "ring/ring.h"

struct give_up {
    const _Atomic uint64_t *progress; // grows while the collector works
    uint64_t seen;                    // its value when the wait began
    uint64_t began_ns, limit_ns;
};

static inline struct give_up give_up_after(uint64_t limit_ns, const _Atomic uint64_t *progress)
{
    return (struct give_up){.progress = progress,
                            .seen = atomic_load_explicit(progress, memory_order_relaxed),
                            .began_ns = monotonic_ns(),
                            .limit_ns = limit_ns};
}

// Nanoseconds left to wait; 0: the time is over.
static inline uint64_t give_up_left_ns(const struct give_up *wait)
{
    uint64_t waited = monotonic_ns() - wait->began_ns;
    return waited < wait->limit_ns ? wait->limit_ns - waited : 0;
}

// Starts the wait anew if the collector has made progress.
static inline void give_up_renew(struct give_up *wait)
{
    if (atomic_load_explicit(wait->progress, memory_order_relaxed) != wait->seen) {
        *wait = give_up_after(wait->limit_ns, wait->progress);
    }
}

// After a wait in vain. If the collector has made no progress since the wait began, it counts as gone, and no
// thread waits for it until it makes progress again.
static inline void give_up_declare_gone(const struct give_up *wait, struct ring_header *ring)
{
    if (atomic_load_explicit(wait->progress, memory_order_relaxed) == wait->seen) {
        atomic_store_explicit(&ring->collector_gone, 1, memory_order_release);
    }
}

#endif
