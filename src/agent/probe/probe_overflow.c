// The overflow stack: activations for which a thread has no call tree node. Runs in the middle of managed code.
#include "agent/probe/probe_overflow.h"

#include "agent/session/pages.h"

void overflow_enter(struct ring_thread *thread, uint32_t method)
{
    struct thread_private *own = thread_self_private;
    uint32_t container = node_overflow_root(thread);
    uint32_t flat = container ? node_overflow_method(thread, method) : 0;
    if (!own->overflow) {
        own->overflow = pages_new(THREAD_OVERFLOW_MAX * sizeof *own->overflow);
    }
    atomic_store_explicit(&probe_ring->over_cap, 1, memory_order_relaxed);
    if (flat) {
        node_at(container)->calls++;
        node_at(flat)->calls++;
    } else if (ring_instruments(probe_ring) & INSTRUMENT_TREE && !(method & RING_METHOD_NOT_IN_TREE)) {
        atomic_fetch_add_explicit(&thread->lost, 2, memory_order_relaxed); // its entry and its exit
    }
    if (!flat || !own->overflow || own->overflow_depth == THREAD_OVERFLOW_MAX) {
        own->overflow_unrecorded++;
        return;
    }
    if (own->overflow_depth == 0) {
        node_at(own->overflow_sentinel)->parent = thread->current;
        node_at(own->overflow_sentinel)->started = 1;
        thread->current = own->overflow_sentinel;
    }
    CLEW_ASSERT(thread->current == own->overflow_sentinel && own->overflow_depth < THREAD_OVERFLOW_MAX);
    own->overflow[own->overflow_depth++] = (struct overflow_activation){.node = flat};
}

// Returns to the path: the sentinel's parent becomes current again.
static void leave_sentinel(struct ring_thread *thread)
{
    struct ring_node *sentinel = node_at(thread->current);
    CLEW_ASSERT(thread->current == thread_self_private->overflow_sentinel);
    sentinel->started = 0;
    thread->current = sentinel->parent;
    thread_self_private->overflow_depth = 0;
    thread_self_private->overflow_unrecorded = 0;
}

void overflow_end_from(struct ring_thread *thread, uint32_t position, enum activation_end end, bool stream,
                       uint64_t now)
{
    struct thread_private *own = thread_self_private;
    CLEW_ASSERT(position > 0 && own->overflow_depth <= THREAD_OVERFLOW_MAX);
    own->overflow_unrecorded = 0; // they are above
    while (own->overflow_depth >= position) {
        struct ring_node *flat = node_at(own->overflow[--own->overflow_depth].node);
        flat->exceptions += end == END_THROWN;
        if (stream) {
            (void)stream_leave(thread, flat->method, end, now); // the next exit asks for room
        }
    }
    if (own->overflow_depth == 0) {
        leave_sentinel(thread);
    }
}

bool overflow_leave(struct ring_thread *thread, uint32_t method, bool stream, uint64_t now)
{
    struct thread_private *own = thread_self_private;
    if (own->overflow_unrecorded) {
        own->overflow_unrecorded--;
        if (stream) {
            (void)stream_leave(thread, method, END_RETURNED, now); // its entry is in the stream as well
        }
        return true;
    }
    uint32_t position = overflow_runs(thread) ? overflow_newest(method) : 0;
    if (position) {
        overflow_end_from(thread, position, END_RETURNED, stream, now);
    }
    return position;
}
