// Beginning and ending activations in a thread's call tree and stream: the inline part of the probes, shared by
// probe_calls.c (entry and exit) and probe_unwind.c (exceptions). Clock and instrument are constants wherever these
// functions are inlined, so each probe contains only the code that its session needs.
//
// A node is a whole path of calls, so a thread has at most one running activation of it: the node stores when that
// activation started, and leaving a method means moving to the node's parent.
#ifndef CLEW_AGENT_PROBE_ACTIVATIONS_H
#define CLEW_AGENT_PROBE_ACTIVATIONS_H

#include "agent/probe/probe_awaits.h"
#include "agent/probe/probe_clock.h"
#include "agent/probe/probe_histograms.h"
#include "agent/probe/probe_links.h"
#include "agent/probe/probe_overflow.h"
#include "agent/probe/probe_paths.h"
#include "agent/probe/probe_stream.h"
#include "agent/probe/probe_thread.h"

// -- Nodes ------------------------------------------------------------------------------------------------------------

static_assert(THREAD_CHILD_CACHE == 1 << (32 - 22), "cached_child() takes the uppermost bits of a hash");

// The entry of the thread's cache for a child of `parent`. The cache is direct-mapped and may hold another pair's
// child.
PROBE_HOT uint32_t *cached_child(uint32_t parent, uint32_t method)
{
    uint32_t hash = (parent * 0x9E3779B1u) ^ (method * 0x85EBCA77u);
    return &thread_self_private->children[hash >> 22 & (THREAD_CHILD_CACHE - 1)];
}

PROBE_HOT bool is_child(uint32_t child, uint32_t parent, uint32_t method)
{
    return child != 0 && node_at(child)->parent == parent && node_at(child)->method == method;
}

// The current node's child for `method`, if it is the newest child or the one in the cache; else 0. A node without
// children, such as the overflow sentinel, has no cache entry: skip the lookup and its cache miss.
PROBE_HOT uint32_t likely_child(const struct ring_thread *thread, uint32_t method)
{
    uint32_t parent = thread->current;
    uint32_t child = node_at(parent)->first_child;
    if (child == 0 || __builtin_expect(node_at(child)->method == method, 1)) {
        return child;
    }
    child = *cached_child(parent, method);
    return is_child(child, parent, method) ? child : 0;
}

// Where the current node is an await's: its child of this number, if the awaiting method has called what goes on in a frame. 0: it
// has to be looked for.
PROBE_HOT uint32_t awaited_child(const struct ring_thread *thread, uint32_t number, struct frame from)
{
    if (!thread || !awaits_is_current(thread) || number & METHOD_RESUMED) {
        return 0;
    }
    uint32_t place = thread->current, child = *cached_child(place, number);
    return is_child(child, place, number) && awaits_called(place, number & RING_METHOD_NUMBER, from) ? child : 0;
}

// Ends the running activation of `node`. `started` is cleared first: if the program is killed, or the collector looks,
// in between, one duration is missing; in the other order it would count twice. Returns the duration, 0 without a clock.
PROBE_HOT uint64_t end_activation(struct ring_node *node, uint64_t clock, enum clock_kind kind)
{
    uint64_t started = node->started;
    node->started = 0;
    // Release: the sums below become visible after the cleared start. A fence instead of a release store, because the
    // sums are updated in place with one instruction each.
    atomic_thread_fence(memory_order_release);
    if (kind == CLOCK_KIND_NONE) {
        return 0;
    }
    uint64_t ticks = (int64_t)(clock - started) > 0 ? clock - started : 0;
    node->total += ticks;
    if (ticks < node->shortest) {
        node->shortest = ticks;
    }
    if (ticks > node->longest) {
        node->longest = ticks;
    }
    CLEW_ASSERT(node->shortest <= node->longest && node->longest <= node->total);
    return ticks;
}

// Counts an activation that has ended in `node`, if no recorded method has called it.
PROBE_HOT void count_root(const struct ring_thread *thread, uint32_t node, uint32_t parent, uint64_t ticks,
                          enum clock_kind clock)
{
    if (clock != CLOCK_KIND_NONE && __builtin_expect(parent == thread->root, 0)) {
        histogram_count_root(node, ticks);
    }
}

PROBE_HOT void begin_activation(struct ring_thread *thread, uint32_t node, uint64_t now)
{
    CLEW_ASSERT(node < probe_ring->nodes_max && node != thread->root && now != 0);
    node_at(node)->calls++;
    node_at(node)->started = now;
    thread->current = node;
}

// -- Leaving ----------------------------------------------------------------------------------------------------------

// Notes the clock of an exit, by which a method is known to have been suspended later (awaits_suspended()). A stream has the
// clock of its newest event there anyway.
PROBE_HOT void note_exit(struct ring_thread *thread, uint64_t now, enum clock_kind clock, bool stream)
{
    if (!stream && clock != CLOCK_KIND_NONE) {
        thread->last_clock = now;
    }
}

// Ends the current activation; in an await, the one that was suspended there. Does not ask for room in the stream: the next exit
// does.
PROBE_HOT void end_current(struct ring_thread *thread, enum activation_end end, uint64_t now, enum clock_kind clock,
                           bool stream)
{
    uint32_t number = thread->current;
    struct ring_node *node = node_at(number);
    if (__builtin_expect(node->method == METHOD_AWAITING, 0)) {
        awaits_suspended(thread, now, (struct probe_way){clock, stream});
        return;
    }
    bool suspends = __builtin_expect(node->method & RING_METHOD_RUNS, 0) && links_suspends(links_method(node->method));
    if (suspends) {
        awaits_run_ended(number, end == END_THROWN, now, (struct probe_way){clock, stream});
    }
    node->exceptions += end == END_THROWN;
    node->continues = 0;
    uint64_t ticks = end_activation(node, now, clock);
    thread->current = node->parent;
    count_root(thread, number, node->parent, ticks, clock);
    if (stream) {
        (void)stream_leave(thread, node->method, end, now);
    }
    if (suspends) {
        awaits_fail_awaiters(thread, now, (struct probe_way){clock, stream});
    }
}

PROBE_HOT bool is_running(const struct ring_thread *thread, uint32_t node)
{
    return node != thread->root && node_at(node)->started != 0;
}

// Whether the run of `node` is over for its activation, and nothing that was called since goes on. The runtime then runs
// handlers of the body on its way out.
PROBE_HOT bool is_after(const struct ring_thread *thread, uint32_t node)
{
    const struct ring_node *current = node_at(thread->current);
    return current->parent == node && (current->method == METHOD_AFTER_WAIT || current->method == METHOD_AFTER_END);
}

// Ends every activation above `node` on this thread, and the await that the activation of `node` itself is in.
PROBE_HOT void end_above(struct ring_thread *thread, uint32_t node, enum activation_end end, uint64_t now,
                         enum clock_kind clock, bool stream)
{
    if (thread->current != node && overflow_runs(thread)) {
        overflow_end_from(thread, 1, end, stream, now);
    }
    uint32_t left = path_longest();
    for (; left > 0 && thread->current != node && thread->current != thread->root; left--) {
        const struct ring_node *current = node_at(thread->current);
        if (current->method == METHOD_AWAITING && current->parent == node) {
            thread->current = node;
        } else {
            end_current(thread, end, now, clock, stream);
        }
    }
    if (left == 0) {
        (void)path_leave_circle(thread);
    }
}

#endif
