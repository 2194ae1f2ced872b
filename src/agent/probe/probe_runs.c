// See probe_runs.h. Everything that a body does that completes at once is inline here; what takes a record is in
// probe_links.c.
#include "agent/probe/probe_runs.h"

#include "agent/probe/probe_activations.h"
#include "agent/probe/probe_links.h"

// A run as woven code holds it: its node, or without a node the number of its method in the upper half.
static inline uint32_t node_of(uintptr_t run)
{
    return (uint32_t)run;
}

static inline uintptr_t run_of(uint32_t node, uint32_t method)
{
    return node ? node : (uint64_t)method << 32;
}

// -- Begin ------------------------------------------------------------------------------------------------------------

// The node of an activation that is a thread's first event, the first of its kind at its place, or beyond the cap of nodes.
PROBE_COLD uint32_t begin_slow(uint32_t method, uint32_t number, uint64_t now)
{
    struct ring_thread *thread = thread_self ? thread_self : thread_enlist(now);
    if (!thread) {
        return 0;
    }
    uint32_t child = overflow_runs(thread) ? 0 : node_child(thread, thread->current, number);
    if (!child) {
        overflow_enter(thread, method);
        return 0;
    }
    *cached_child(thread->current, number) = child;
    if (number & RING_METHOD_RUNS && node_at(child)->calls == 0) {
        run_at(child)->latency_shortest = UINT64_MAX;
    }
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

// Begins an activation of `method` in a node of this number, and in it a run of the activation in `slot`.
PROBE_HOT uint32_t begin(uint32_t method, uint32_t number, uint32_t slot, uint64_t now, bool stream)
{
    uint32_t node = __builtin_expect(thread_self != NULL, 1) ? likely_child(thread_self, number) : 0;
    if (__builtin_expect(node != 0, 1)) {
        begin_activation(thread_self, node, now);
    } else {
        node = begin_slow(method, number, now);
    }
    if (__builtin_expect(node != 0, 1)) {
        begin_run(node, slot);
    }
    if (stream && thread_self) { // after the run has begun: a STACK written here is followed by RUN for it
        (void)stream_enter(thread_self, method, now); // the exit asks for room again
    }
    return node;
}

// Writes an event of an async activation, if its run in `node`, the newest one of the thread, is in the stream.
static __attribute__((noinline)) void write_run_event(uint32_t node, enum ring_extended kind, uint64_t serial,
                                                      uint64_t number, uint64_t now)
{
    struct ring_thread *thread = thread_self;
    if (stream_has(node_at(node)->method) && thread->depth <= stream_depth_limit) {
        stream_extended(thread, kind, (const uint64_t[]){serial, number}, 2, now);
    }
}

// A run that continues an activation, or an enumeration.
static __attribute__((noinline)) uintptr_t run_begin_later(uint32_t method, int32_t state, uint32_t shape, uint64_t now,
                                                           bool stream)
{
    uint32_t slot = (uint32_t)state >> (shape & RUN_SHAPE_BITS), number = method | METHOD_CONTINUED;
    uint64_t waited = 0, own_waited = 0;
    if (state >= 0) {
        number = links_resume(method, &slot, now, &waited, &own_waited);
    } else {
        slot = 0;
    }
    uint32_t node = begin(method, number, slot, now, stream);
    if (node) {
        run_at(node)->awaiting += waited;
        run_at(node)->own_awaiting += own_waited;
    }
    if (stream && node) {
        write_run_event(node, RING_EXTENDED_RESUME, links_serial_of_wait(slot), state >= 0 ? waited : RESUME_CONTINUES,
                        now);
    }
    return run_of(node, method);
}

static inline bool is_later(int32_t state, uint32_t shape)
{
    return state >= (shape & RUN_SHAPE_NEW_AT_0 ? 1 : 0) ||
           (shape & RUN_SHAPE_ITERATOR && state != RUN_STATE_NEW_ITERATOR);
}

PROBE_HOT uintptr_t run_begin(uint32_t method, int32_t state, uint32_t shape, enum clock_kind clock, bool stream)
{
    uint64_t now = probe_clock(clock);
    if (__builtin_expect(is_later(state, shape), 0)) {
        return run_begin_later(method, state, shape, now, stream);
    }
    return run_of(begin(method, method, 0, now, stream), method);
}

// -- Wait and completion ----------------------------------------------------------------------------------------------

// Whether the run goes on, and is the current activation of its thread.
PROBE_HOT bool is_current(uintptr_t run)
{
    return thread_self && node_of(run) && thread_self->current == node_of(run);
}

// What the run does from here on is not the activation's: it waits, or is complete.
PROBE_HOT void begin_after(uint32_t method, uint64_t now)
{
    struct ring_thread *thread = thread_self;
    uint32_t node = likely_child(thread, method);
    node = node ? node : node_child(thread, thread->current, method);
    if (node) {
        *cached_child(thread->current, method) = node;
        begin_activation(thread, node, now);
    }
}

// How many numbers fit above the states of a body. The sign has to stay 0.
static inline uint32_t slots_of(uint32_t shape)
{
    return UINT32_C(1) << (31 - (shape & RUN_SHAPE_BITS));
}

PROBE_HOT int32_t run_wait(int32_t state, uintptr_t run, uint32_t shape, enum clock_kind clock, bool stream)
{
    if (!is_current(run) || state < 0) {
        return state;
    }
    uint64_t now = probe_clock(clock);
    uint32_t slot = links_wait(node_of(run), (uint32_t)state, now, slots_of(shape));
    if (stream) {
        write_run_event(node_of(run), RING_EXTENDED_SUSPEND, links_serial_of_wait(slot), (uint32_t)state, now);
    }
    begin_after(METHOD_AFTER_WAIT, now);
    return state | (int32_t)(slot << (shape & RUN_SHAPE_BITS));
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

// An exception came out of the wait that the run has begun: the activation goes on.
PROBE_COLD bool takes_back_wait(uintptr_t run, uint64_t now, enum clock_kind clock)
{
    struct ring_thread *thread = thread_self;
    if (!thread || !node_of(run) || !is_after(thread, node_of(run)) ||
        run_at(node_of(run))->activation == RING_ACTIVATION_COMPLETE) {
        return false;
    }
    end_activation(node_at(thread->current), now, clock);
    thread->current = node_of(run);
    return true;
}

PROBE_HOT void run_complete(uint32_t shape, uintptr_t run, enum clock_kind clock, bool stream)
{
    uint64_t now = probe_clock(clock);
    if (__builtin_expect(!is_current(run), 0) && !takes_back_wait(run, now, clock)) {
        return;
    }
    uint32_t node = node_of(run);
    struct ring_run *figures = run_at(node);
    enum run_end how = (enum run_end)(shape >> RUN_SHAPE_END_SHIFT);
    uint32_t slot = figures->activation;
    figures->activation = RING_ACTIVATION_COMPLETE;
    if (__builtin_expect(slot != 0, 0)) {
        if (stream) {
            write_run_event(node, RING_EXTENDED_COMPLETE, links_serial(slot), how, now);
        }
        uint64_t started = links_complete(slot, now);
        count_end(node, how, started ? ticks_since(started, now) : UINT64_MAX, clock);
        begin_after(METHOD_AFTER_END, now);
        return;
    }
    if (stream && how != RUN_COMPLETED) {
        write_run_event(node, RING_EXTENDED_COMPLETE, 0, how, now);
    }
    uint64_t started = shape & RUN_SHAPE_STARTS ? node_at(node)->started : links_started(node);
    count_end(node, how, ticks_since(started, now), clock);
    if (shape & RUN_SHAPE_PLAIN) {
        thread_self_private->completed = node;
        thread_self_private->completed_at = now;
    }
}

// -- End --------------------------------------------------------------------------------------------------------------

// The run's exit, where another activation is the current one: what came after the wait or the completion, or activations
// whose ends were not seen. False: the run itself has ended before.
PROBE_COLD bool end_above_run(struct ring_thread *thread, uint32_t node, uint64_t now, enum clock_kind clock,
                              bool stream)
{
    if (!is_running(thread, node)) {
        return false;
    }
    end_above(thread, node, END_RETURNED, now, clock, stream);
    return thread->current == node;
}

// A run beyond the cap of nodes, or on a thread that is not recorded.
PROBE_COLD bool end_without_node(uintptr_t run, enum clock_kind clock, bool stream)
{
    if (thread_self) {
        (void)overflow_leave(thread_self, (uint32_t)((uint64_t)run >> 32), stream, probe_clock(clock));
    } else {
        thread_rewind_own();
    }
    return false;
}

PROBE_HOT bool run_end(uintptr_t run, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint32_t node = node_of(run);
    if (__builtin_expect(thread == NULL || node == 0, 0)) {
        return end_without_node(run, clock, stream);
    }
    struct thread_private *own = thread_self_private;
    bool at_once = own->completed == node;
    uint64_t now = at_once ? own->completed_at : probe_clock(clock);
    own->completed = 0;
    if (__builtin_expect(thread->current != node, 0)) {
        if (is_after(thread, node)) {
            end_activation(node_at(thread->current), now, clock);
        } else if (!end_above_run(thread, node, now, clock, stream)) {
            return false;
        }
    }
    own->run = run_at(node)->outer;
    run_at(node)->activation = 0;
    struct ring_node *ended = node_at(node);
    end_activation(ended, now, clock);
    thread->current = ended->parent;
    return stream && stream_leave(thread, ended->method, END_RETURNED, now);
}

// -- The sets ---------------------------------------------------------------------------------------------------------

#define X(name, clock, stream)                                                 \
    uintptr_t run_begin_##name(uint32_t method, int32_t state, uint32_t shape) \
    {                                                                          \
        return run_begin(method, state, shape, clock, stream);                 \
    }                                                                          \
    bool run_end_##name(uintptr_t run)                                         \
    {                                                                          \
        return run_end(run, clock, stream);                                    \
    }                                                                          \
    int32_t run_wait_##name(int32_t state, uintptr_t run, uint32_t shape)      \
    {                                                                          \
        return run_wait(state, run, shape, clock, stream);                     \
    }                                                                          \
    void run_complete_##name(uint32_t shape, uintptr_t run)                    \
    {                                                                          \
        run_complete(shape, run, clock, stream);                               \
    }
PROBE_SETS(X)
#undef X
