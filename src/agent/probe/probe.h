// The native ends of the probes: what woven code and hooks call at entry and exit of every recorded method.
// One set of functions for each clock and for trees alone or with a stream; a session uses one set.
#ifndef CLEW_AGENT_PROBE_H
#define CLEW_AGENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct probe_set {
    // These return whether the thread should call `wait` soon; it always is false without a stream.
    bool (*enter)(uint32_t method);
    bool (*leave)(uint32_t method);
    void (*wait)(void);                       // with GC transition; NULL without a stream
    uintptr_t (*enter_keep)(uint32_t method); // returns the activation's node, for restate()
    void (*restate)(uintptr_t node);          // "this activation runs again": a handler begins
    // Of a method that calls itself last, besides an entry and instead of an exit: right after it has been entered, and
    // right before it calls itself, where its activation ends.
    void (*arrive)(uint32_t method);
    bool (*depart)(uint32_t method); // returns what leave does
    // Of a method with sites: returns its context; stores the activation's node where `node` is not NULL. NULL without a
    // stream.
    uintptr_t (*enter_context)(uint32_t method, uintptr_t *node);
    void (*hook_enter)(uint32_t method, uintptr_t caller_stack);
    void (*hook_leave)(uint32_t method, uintptr_t caller_stack);
    // What the exception callbacks do, on the calling thread.
    void (*unwind)(uint32_t node); // an exception ended this activation and all above it
    void (*unwind_overflow)(
        uint32_t position);         // the same on the overflow stack; a position beyond its top ends nothing
    void (*catcher)(uint32_t node); // everything above this activation is over
    void (*filter)(uint32_t node);  // a filter of this activation begins...
    void (*filter_end)(void);       // ...and ends
};

const struct probe_set *probe_set_for(enum clock_kind clock, bool stream);

// The newest running activation of `method` on this thread, or 0. While a filter runs, its calls are all there is: what
// lies below it cannot end.
uint32_t probe_newest(uint32_t method);
// The same among activations over the cap, which are above all others: a position for unwind_overflow(), or 0.
uint32_t probe_newest_overflow(uint32_t method);

// Once, before any probe runs.
void probe_setup(uint32_t depth_max, uint32_t flags);

#endif
