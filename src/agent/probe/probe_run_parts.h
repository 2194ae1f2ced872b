// What the probes of all async bodies share: beginning a run, and counting the end of an activation. Inline, as in
// probe_activations.h.
#ifndef CLEW_AGENT_PROBE_RUN_PARTS_H
#define CLEW_AGENT_PROBE_RUN_PARTS_H

#include "agent/probe/probe_activations.h"
#include "agent/probe/probe_links.h"
#include "weave/operations/run_shape.h"

#pragma GCC visibility push(hidden)

// Writes an event of an async activation, if its run in `node`, the newest one of the thread, is in the stream.
void write_run_event(uint32_t node, enum ring_extended kind, uint64_t serial, uint64_t number, uint64_t now);

// A run as woven code holds it: its node, or without a node the number of its method in the upper half.
static inline uint32_t node_of(uintptr_t run)
{
    return (uint32_t)run;
}

static inline uintptr_t run_of(uint32_t node, uint32_t method)
{
    return node ? node : (uint64_t)method << 32;
}

static inline void begin_first_run(uint32_t node)
{
    if (node_at(node)->calls == 0) {
        run_at(node)->latency_shortest = UINT64_MAX;
    }
}

// The node of an activation that is a thread's first event, the first of its kind at its place, or beyond the cap of nodes.
PROBE_COLD uint32_t begin_slow(uint32_t method, uint32_t number, uint64_t now, struct frame from, struct probe_way way)
{
    struct ring_thread *thread = thread_self ? thread_self : thread_enlist(now);
    if (!thread) {
        return 0;
    }
    uint32_t child = awaits_callee(thread, number, from, now, way);
    if (!child) {
        overflow_enter(thread, method);
        return 0;
    }
    begin_first_run(child);
    begin_activation(thread, child, now);
    return child;
}

static inline void begin_run(uint32_t node, uint32_t slot)
{
    struct thread_private *own = thread_self_private;
    struct ring_run *run = run_at(node);
    run->outer = own->run != node ? own->run : run->outer; // else the last run of this node was never seen to end
    run->activation = slot;
    own->run = node;
}

// The run of `node` is over; the one around it goes on.
static inline void end_run(uint32_t node)
{
    thread_self_private->run = run_at(node)->outer;
    run_at(node)->activation = 0;
}

// Adds the wait that a run has ended to the figures of its node.
static inline void count_wait(uint32_t node, const struct links_wait *wait)
{
    run_at(node)->awaiting += wait->ticks;
    run_at(node)->own_awaiting += wait->own_ticks;
}

// Begins an activation of `method` in a node of this number, and in it a run of the activation in `slot`. `node` 0: it has to be
// looked for. `from`: what goes on in the frame that has called the probe.
PROBE_HOT uint32_t begin_in(uint32_t node, uint32_t method, uint32_t number, uint32_t slot, uint64_t now,
                            struct frame from, struct probe_way way)
{
    if (__builtin_expect(node != 0, 1)) {
        begin_activation(thread_self, node, now);
    } else {
        node = begin_slow(method, number, now, from, way);
    }
    if (__builtin_expect(node != 0, 1)) {
        begin_run(node, slot);
    }
    if (way.stream && thread_self) { // after the run has begun: a STACK written here is followed by RUN for it
        (void)stream_enter(thread_self, method, now); // the exit asks for room again
    }
    return node;
}

// The same. `from` NULL: in the probe itself.
PROBE_HOT uint32_t begin(uint32_t method, uint32_t number, uint32_t slot, uint64_t now, const struct frame *from,
                         struct probe_way way)
{
    uint32_t node = __builtin_expect(thread_self != NULL, 1) ? likely_child(thread_self, number) : 0;
    if (__builtin_expect(node == 0, 0)) {
        node = awaited_child(thread_self, number, from ? *from : PROBE_FROM);
    }
    return begin_in(node, method, number, slot, now, from ? *from : PROBE_FROM, way);
}

static inline void count_end(uint32_t node, enum run_end how, uint64_t ticks, enum clock_kind clock)
{
    struct ring_run *figures = run_at(node);
    figures->completed += how == RUN_COMPLETED;
    figures->faulted += how == RUN_FAULTED;
    figures->cancelled += how == RUN_CANCELLED;
    if (clock != CLOCK_KIND_NONE && ticks != UINT64_MAX) {
        figures->latency += ticks;
        figures->latency_shortest = ticks < figures->latency_shortest ? ticks : figures->latency_shortest;
        figures->latency_longest = ticks > figures->latency_longest ? ticks : figures->latency_longest;
        histogram_count(node, ticks);
    }
}

static inline uint64_t ticks_since(uint64_t started, uint64_t now)
{
    return (int64_t)(now - started) > 0 ? now - started : 0;
}

// The run's exit, where another activation is the current one: what came after the wait or the completion, or activations
// whose ends were not seen. False: the run itself has ended before.
PROBE_COLD __attribute__((unused)) bool end_above_run(struct ring_thread *thread, uint32_t node, uint64_t now,
                                                      enum clock_kind clock, bool stream)
{
    if (!is_running(thread, node)) {
        return false;
    }
    end_above(thread, node, END_RETURNED, now, clock, stream);
    return thread->current == node;
}

// A run beyond the cap of nodes, or on a thread that is not recorded.
PROBE_COLD __attribute__((unused)) bool end_without_node(uintptr_t run, enum clock_kind clock, bool stream)
{
    if (thread_self) {
        (void)overflow_leave(thread_self, (uint32_t)((uint64_t)run >> 32), stream, probe_clock(clock));
    } else {
        thread_rewind_own();
    }
    return false;
}

#pragma GCC visibility pop

#endif
