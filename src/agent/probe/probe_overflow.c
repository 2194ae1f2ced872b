// The overflow stack: activations for which a thread has no call tree node. Runs in the middle of managed code.
#include "agent/probe/probe_overflow.h"

#include "agent/session/pages.h"

void overflow_enter(struct ring_thread *thread, uint32_t method)
{
    struct thread_private *own = thread_self_private;
    uint32_t container = node_over_cap(thread);
    uint32_t flat = container ? node_over_cap_method(thread, method) : 0;
    if (!own->over) {
        own->over = pages_new(THREAD_OVER_MAX * sizeof *own->over);
    }
    if (!flat || !own->over || own->over_count == THREAD_OVER_MAX) {
        own->over_untold++;
        return;
    }
    if (own->over_count == 0) {
        probe_nodes[own->over_gate].parent = thread->current;
        probe_nodes[own->over_gate].started = 1;
        thread->current = own->over_gate;
        atomic_store_explicit(&probe_ring->over_cap, 1, memory_order_relaxed);
    }
    CLEW_ASSERT(thread->current == own->over_gate && own->over_count < THREAD_OVER_MAX);
    probe_nodes[container].calls++;
    probe_nodes[flat].calls++;
    own->over[own->over_count++] = (struct over_activation){.node = flat};
}

// Returns to the path: the sentinel's parent becomes current again.
static void leave_sentinel(struct ring_thread *thread)
{
    struct ring_node *sentinel = &probe_nodes[thread->current];
    CLEW_ASSERT(thread->current == thread_self_private->over_gate);
    sentinel->started = 0;
    thread->current = sentinel->parent;
    thread_self_private->over_count = 0;
    thread_self_private->over_untold = 0;
}

void overflow_end_from(struct ring_thread *thread, uint32_t position, enum activation_end end, bool stream,
                       uint64_t now)
{
    struct thread_private *own = thread_self_private;
    CLEW_ASSERT(position > 0 && own->over_count <= THREAD_OVER_MAX);
    while (own->over_count >= position) {
        struct ring_node *flat = &probe_nodes[own->over[--own->over_count].node];
        flat->exceptions += end == END_THROWN;
        if (stream) {
            (void)stream_leave(thread, flat->method, end, now); // the next exit asks for room
        }
    }
    if (own->over_count == 0) {
        leave_sentinel(thread);
    }
}
