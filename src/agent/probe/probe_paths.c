// Walks over a thread's path: the slow part of leaving a method out of order. Runs in the middle of managed code, like
// the probes that call it.
#include "agent/probe/probe_paths.h"

#include "agent/probe/probe.h"
#include "agent/probe/probe_links.h"
#include "agent/probe/probe_overflow.h"

uint32_t path_newest_at(struct ring_thread *thread, uint32_t method, uintptr_t caller_stack)
{
    uint32_t node = thread->current, left = path_longest(), key = path_stack_key(caller_stack);
    for (; left > 0 && node && node != thread->root; left--) {
        const struct ring_node *running = node_at(node);
        if (running->method != METHOD_FILTER && (int32_t)(running->stack - key) < 0) {
            return 0;
        }
        if (running->method == method && running->stack == key) {
            return node;
        }
        node = running->parent;
    }
    return left > 0 ? 0 : path_leave_circle(thread);
}

// Whether the node is one of the method, whatever runs of it the node has.
static bool is_of(uint32_t node, uint32_t method)
{
    uint32_t of = node_at(node)->method;
    return of == method || (of & method & RING_METHOD_RUNS && links_method(of) == (method & RING_METHOD_NUMBER));
}

uint32_t probe_newest(uint32_t method)
{
    struct ring_thread *thread = thread_self;
    if (!thread || method < METHOD_FIRST_REAL) {
        return 0;
    }
    uint32_t node = thread->current, left = path_longest();
    for (; left > 0 && node && !is_of(node, method) && node_at(node)->method != METHOD_FILTER; left--) {
        node = node_at(node)->parent;
    }
    if (left == 0) {
        return path_leave_circle(thread);
    }
    return node && is_of(node, method) ? node : 0;
}

uint32_t probe_newest_overflow(uint32_t method)
{
    const struct ring_thread *thread = thread_self;
    return thread && method >= METHOD_FIRST_REAL && overflow_runs(thread) ? overflow_newest(method) : 0;
}
