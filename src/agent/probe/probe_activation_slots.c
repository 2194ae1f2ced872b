#include "agent/probe/probe_activation_slots.h"

#include "agent/probe/bounded.h"

enum {
    EXCHANGES_MAX = 1 << 20, // compare-exchanges that may fail, in case a broken program writes to their word
};

// Not for the thread sanitizer: a thread that is about to lose the exchange may read a link that the winner changes.
__attribute__((noinline, no_sanitize("thread"))) static uint32_t next_list(uint32_t slot)
{
    return activation_at(slot)->next_list;
}

// Takes a list of slots that another thread has returned; 0: there is none.
static uint32_t returned_list(void)
{
    uint64_t top = atomic_load_explicit(&probe_ring->free_activations, memory_order_acquire);
    for (uint32_t left = EXCHANGES_MAX; left > 0 && (uint32_t)top && (uint32_t)top < RING_ACTIVATIONS_MAX; left--) {
        // The tag in the upper half changes with every exchange: a list that came back meanwhile does not match.
        uint64_t rest = ((top >> 32) + 1) << 32 | next_list((uint32_t)top);
        if (atomic_compare_exchange_weak_explicit(&probe_ring->free_activations, &top, rest, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return (uint32_t)top;
        }
    }
    return 0;
}

static void return_list(uint32_t slot)
{
    uint64_t top = atomic_load_explicit(&probe_ring->free_activations, memory_order_relaxed);
    for (uint32_t left = EXCHANGES_MAX; left > 0; left--) {
        activation_at(slot)->next_list = (uint32_t)top;
        uint64_t fresh = ((top >> 32) + 1) << 32 | slot;
        // Pairs with the acquire load of a thread that takes the list: it finds it linked.
        if (atomic_compare_exchange_weak_explicit(&probe_ring->free_activations, &top, fresh, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            return;
        }
    }
}

static uint32_t fresh_list(void)
{
    uint32_t first;
    if (!bounded_take(&probe_ring->activations_used, RING_ACTIVATION_BLOCK, RING_ACTIVATIONS_MAX, &first)) {
        return 0;
    }
    for (uint32_t i = 0; i + 1 < RING_ACTIVATION_BLOCK; i++) {
        activation_at(first + i)->next = first + i + 1;
    }
    return first;
}

static uint32_t list_length(uint32_t slot)
{
    uint32_t length = 0;
    for (; slot && length < SLOTS_KEPT; length++) {
        slot = activation_at(slot)->next;
    }
    return length;
}

uint32_t take_slot_of_others(void)
{
    struct thread_private *own = thread_self_private;
    uint32_t list = returned_list(), slot = list ? list : fresh_list();
    own->free_activation_count = list_length(slot);
    own->free_activations = slot;
    return slot && slot < RING_ACTIVATIONS_MAX ? take_slot() : 0;
}

// Splits the thread's list, and returns the part behind its first block.
void slots_share(void)
{
    struct thread_private *own = thread_self_private;
    uint32_t last = own->free_activations;
    for (uint32_t i = 1; i < RING_ACTIVATION_BLOCK && last; i++) {
        last = activation_at(last)->next;
    }
    if (last && activation_at(last)->next) {
        return_list(activation_at(last)->next);
        activation_at(last)->next = 0;
    }
    own->free_activation_count = RING_ACTIVATION_BLOCK;
}

void slots_thread_ends(uint32_t os_id)
{
    struct thread_private *own = thread_self_private;
    if (own && own->os_id == os_id && own->free_activations) {
        return_list(own->free_activations);
        own->free_activations = 0;
    }
}
