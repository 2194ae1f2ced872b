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

enum { SLOTS_KEPT = 2 * RING_ACTIVATION_BLOCK }; // free slots that a thread keeps

// A slot of this thread's own, which has none left in its list. 0: there is none.
uint32_t take_slot_of_others(void);
// The calling thread's list has as many as it may keep: gives some to the others.
void slots_share(void);
// The calling thread, if this is its id, ends, and gives the free slots that it keeps to the others. Before thread_end().
void slots_thread_ends(uint32_t os_id);

#pragma GCC visibility pop

// A slot of this thread's own; 0: there is none.
static inline uint32_t take_slot(void)
{
    struct thread_private *own = thread_self_private;
    uint32_t slot = own->free_activations;
    if (__builtin_expect(slot == 0 || slot >= RING_ACTIVATIONS_MAX, 0)) {
        return take_slot_of_others();
    }
    own->free_activations = activation_at(slot)->next;
    own->free_activation_count--;
    return slot;
}

static inline void give_slot(uint32_t slot)
{
    struct thread_private *own = thread_self_private;
    activation_at(slot)->path = PATH_NONE;
    activation_at(slot)->next = own->free_activations;
    own->free_activations = slot;
    if (__builtin_expect(++own->free_activation_count >= SLOTS_KEPT, 0)) {
        slots_share();
    }
}

#endif
