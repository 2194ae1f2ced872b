// What the probes of runtime async do with the record of an activation in each call: inline, as an await that does not suspend its
// method has to cost as little as a call. Included by probe_awaits.c and probe_links.c alone.
#ifndef CLEW_AGENT_PROBE_LINK_PARTS_H
#define CLEW_AGENT_PROBE_LINK_PARTS_H

#include "agent/probe/probe_activation_slots.h"
#include "agent/probe/probe_links.h"
#include "weave/operations/run_shape.h"

static inline bool runs_now(uint32_t node)
{
    return node && node_at(node)->started != 0;
}

// Whether the activation that runs in `node` has a path and a caller. Before that others do not know its record.
static inline bool is_linked(uint32_t node)
{
    uint32_t slot = run_at(node)->activation;
    return slot && slot < RING_ACTIVATIONS_MAX && activation_at(slot)->path;
}

static inline bool links_known(uint32_t slot)
{
    return slot && activation_at(slot)->path;
}

// A slot for an activation of runtime async that begins; 0: there is none.
PROBE_HOT uint32_t links_take(void)
{
    uint32_t slot = thread_self_private->free_activations ? take_slot() : links_take_first();
    struct ring_activation *activation = activation_at(slot);
    activation->waits = 0;
    activation->resumed = false;
    activation->direct = false;
    return slot;
}

// The activation in the slot has ended, and nothing but its own run has known of it.
static inline void links_give(uint32_t slot)
{
    if (slot) {
        give_slot(slot);
    }
}

// As links_complete(), cheaper for an activation that was never suspended. Others count only those that were, so none may write to
// its state now but what it has called: that looks at the generation, and what it writes to the one before does not matter.
PROBE_HOT uint64_t links_end(uint32_t slot, uint64_t now)
{
    struct ring_activation *activation = activation_at(slot);
    uint64_t state = state_of(activation), started = activation->started;
    if (__builtin_expect(activation->resumed || state & RING_ACTIVATION_COUNTED, 0)) {
        return links_complete(slot, now);
    }
    atomic_store_explicit(&activation->await, 0, memory_order_relaxed);
    atomic_store_explicit(&activation->state, (generation_of(state) + UINT64_C(1)) << 32, memory_order_release);
    give_slot(slot);
    return started;
}

// Gives the activation that runs in `node` the path of all activations of the node, and its caller, if both are known by now.
PROBE_HOT bool link_again(uint32_t node, uint32_t path)
{
    struct ring_activation *activation = activation_at(run_at(node)->activation);
    uint32_t outer = run_at(node)->outer;
    if (!path || (outer && (!runs_now(outer) || !is_linked(outer)))) {
        return false;
    }
    activation->caller = outer ? run_at(outer)->activation : 0;
    activation->caller_generation = outer ? generation_of(state_of(activation_at(activation->caller))) : 0;
    activation->started = node_at(node)->started;
    activation->path = path;
    return true;
}

// The activation that runs in `node` comes to the await of this number. Fills in the node of its awaits, `place` (0: it has none),
// except for the frame. False: it cannot be linked.
PROBE_HOT bool links_await(uint32_t node, uint32_t place, uint32_t number, uint64_t now)
{
    uint32_t slot = run_at(node)->activation;
    struct ring_activation *activation = activation_at(slot);
    struct ring_await *await = await_at(place);
    bool linked = slot && slot < RING_ACTIVATIONS_MAX &&
                  (activation->path || (place && link_again(node, await->path)) || links_link(node));
    if (__builtin_expect(!linked, 0)) {
        return false;
    }
    activation->waits++;
    activation->place = place;
    activation->thread = (uint32_t)(thread_self - ring_threads(probe_ring));
    atomic_store_explicit(&activation->waits_from, now, memory_order_relaxed);
    atomic_store_explicit(&activation->idle_from, now, memory_order_relaxed);
    // Pairs with the acquire load of a thread that looks at its callers: who finds the await finds its clocks.
    atomic_store_explicit(&activation->await, 1 + number, memory_order_release);
    if (__builtin_expect(place != 0, 1)) {
        await->since = now;
        await->serial = RING_SERIAL_OF_WAIT(RING_SERIAL(slot, generation_of(state_of(activation))), activation->waits);
        await->await = number & ~(uint32_t)RUN_AWAIT_TRIED;
        await->path = activation->path;
    }
    return true;
}

// The await is over, and the method was not suspended.
static inline void links_awaited(uint32_t slot)
{
    atomic_store_explicit(&activation_at(slot)->await, 0, memory_order_relaxed);
}

// The code of the activation that runs in `outer`, in an await, has called the method itself whose activation has this slot.
static inline void links_called_directly(uint32_t slot, uint32_t outer)
{
    uint32_t caller = run_at(outer)->activation;
    activation_at(slot)->direct = caller != 0;
    if (caller && caller < RING_ACTIVATIONS_MAX) {
        activation_at(caller)->next = slot;
    }
}

#endif
