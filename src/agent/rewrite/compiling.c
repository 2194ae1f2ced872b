// Times for the header are CLOCK_MONOTONIC, whatever the session's clock; rows have the session's.
#include "agent/rewrite/compiling.h"

#include "agent/probe/probe.h"
#include "agent/session/agent.h"
#include "agent/session/monotonic.h"
#include "trace/kinds.h"

enum { NESTED_MAX = 4 }; // deeper ones count for the last of these; static TLS is small

struct work {
    clr_id function;
    uintptr_t frame; // its position in the stack, which grows down
    uint64_t began;
    uint64_t inside; // ns of what is nested in it
    uint32_t node;   // of its row; 0: none
    bool refused;
};

static __thread struct {
    struct work works[NESTED_MAX];
    uint32_t count;
    clr_id refused;
} own __attribute__((tls_model("initial-exec")));

static void add(_Atomic uint64_t *sum, uint64_t amount)
{
    atomic_fetch_add_explicit(sum, amount, memory_order_relaxed);
}

// Notes the time of what has ended for what it is nested in. Returns the part that is its own.
static uint64_t end_work(const struct work *work)
{
    uint64_t all = monotonic_ns() - work->began;
    if (own.count) {
        own.works[own.count - 1].inside += all;
    }
    agent.probes->compiled(work->node);
    return all > work->inside ? all - work->inside : 0;
}

// The runtime may abandon a compilation: it is over when another begins no deeper in the stack.
static void drop_abandoned(uintptr_t frame)
{
    while (own.count && frame >= own.works[own.count - 1].frame) {
        own.count--;
        (void)end_work(&own.works[own.count]);
    }
}

static void push(clr_id function, uintptr_t frame, uint32_t what, bool refused)
{
    CLEW_ASSERT(own.count < NESTED_MAX);
    own.works[own.count++] = (struct work){.function = function,
                                           .frame = frame,
                                           .began = monotonic_ns(),
                                           .node = agent.probes->compiles(what),
                                           .refused = refused};
}

void compiling_refused(clr_id function)
{
    own.refused = function;
}

void compiling_weave(clr_id function, void (*weave)(clr_id function))
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    drop_abandoned(frame);
    bool timed = own.count < NESTED_MAX;
    if (timed) {
        push(function, frame, METHOD_CLEW, false);
    }
    weave(function);
    if (timed) {
        struct work work = own.works[--own.count];
        add(&agent.ring->woven_ns, end_work(&work));
    }
}

void compiling_begins(clr_id function)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    bool refused = own.refused == function;
    own.refused = 0;
    drop_abandoned(frame);
    if (own.count < NESTED_MAX) {
        push(function, frame, refused ? METHOD_JIT_PRECOMPILED : METHOD_JIT, refused);
    }
}

void compiling_ends(clr_id function)
{
    if (own.count == 0 || own.works[own.count - 1].function != function) {
        return;
    }
    struct work work = own.works[--own.count];
    uint64_t ns = end_work(&work);
    add(&agent.ring->compiled, 1);
    add(&agent.ring->compiled_ns, ns);
    if (work.refused) {
        add(&agent.ring->refused, 1);
        add(&agent.ring->refused_ns, ns);
    }
}
