// Slots for the records of activations (struct ring_activation). Each thread keeps some free ones, and gives what it has too many of
// to the others. Lock-free.
#ifndef CLEW_AGENT_PROBE_ACTIVATION_SLOTS_H
#define CLEW_AGENT_PROBE_ACTIVATION_SLOTS_H

#include "agent/probe/probe_thread.h"

static inline struct ring_activation *activation_at(uint32_t slot)
{
    return &ring_activations(probe_ring)[slot < RING_ACTIVATIONS_MAX ? slot : 0];
}

static inline uint32_t generation_of(uint64_t state)
{
    return (uint32_t)(state >> 32);
}

static inline uint64_t state_of(const struct ring_activation *activation)
{
    return atomic_load_explicit(&activation->state, memory_order_acquire);
}

#pragma GCC visibility push(hidden)

// A slot of this thread's own; 0: there is none.
uint32_t take_slot(void);
void give_slot(uint32_t slot);
// The calling thread, if this is its id, ends, and gives the free slots that it keeps to the others. Before thread_end().
void slots_thread_ends(uint32_t os_id);

#pragma GCC visibility pop

#endif
