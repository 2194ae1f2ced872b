// See probe_runs.h. Everything that a body does that completes at once is inline here; what takes a record is in
// probe_links.c.
#include "agent/probe/probe_runs.h"

#include "agent/probe/probe_run_parts.h"

// -- Begin ------------------------------------------------------------------------------------------------------------

// A run that continues an activation, or an enumeration.
static __attribute__((noinline)) uintptr_t run_begin_later(uint32_t method, int32_t state, uint32_t shape,
                                                           struct frame from, struct probe_way way)
{
    uint64_t now = probe_clock(way.clock);
    struct links_wait wait = {.slot = state >= 0 ? (uint32_t)state >> (shape & RUN_SHAPE_BITS) : 0};
    uint32_t number = state >= 0 ? links_resume(method, now, &wait) : method | METHOD_CONTINUED;
    uint32_t node = begin(method, number, wait.slot, now, &from, way);
    if (node) {
        count_wait(node, &wait);
    }
    if (way.stream && node) {
        write_run_event(node, RING_EXTENDED_RESUME, links_serial_of_wait(wait.slot),
                        state >= 0 ? wait.ticks : RESUME_CONTINUES, now);
    }
    return run_of(node, method);
}

static inline bool is_later(int32_t state, uint32_t shape)
{
    return state >= (shape & RUN_SHAPE_NEW_AT_0 ? 1 : 0) ||
           (shape & RUN_SHAPE_ITERATOR && state != RUN_STATE_NEW_ITERATOR);
}

PROBE_HOT uintptr_t run_begin(uint32_t method, int32_t state, uint32_t shape, struct probe_way way)
{
    if (__builtin_expect(is_later(state, shape), 0)) {
        return run_begin_later(method, state, shape, PROBE_FROM, way);
    }
    uint64_t now = probe_clock(way.clock);
    return run_of(begin(method, method, 0, now, NULL, way), method);
}

// -- Wait and completion ----------------------------------------------------------------------------------------------

// Whether the run goes on, and is the current activation of its thread.
PROBE_HOT bool is_current(uintptr_t run)
{
    return thread_self && node_of(run) && thread_self->current == node_of(run);
}

// The same, once what awaits above the run is known to be suspended.
PROBE_COLD bool becomes_current(uintptr_t run, uint64_t now, struct probe_way way)
{
    while (thread_self && awaits_is_current(thread_self)) {
        awaits_suspended(thread_self, now, way);
    }
    return is_current(run);
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
    uint64_t now = probe_clock(clock);
    if (state < 0 || (!is_current(run) && !becomes_current(run, now, (struct probe_way){clock, stream}))) {
        return state;
    }
    uint32_t slot = links_wait(node_of(run), (uint32_t)state, now, slots_of(shape));
    if (stream) {
        write_run_event(node_of(run), RING_EXTENDED_SUSPEND, links_serial_of_wait(slot), (uint32_t)state, now);
    }
    begin_after(METHOD_AFTER_WAIT, now);
    return state | (int32_t)(slot << (shape & RUN_SHAPE_BITS));
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
    if (__builtin_expect(!is_current(run), 0) && !becomes_current(run, now, (struct probe_way){clock, stream}) &&
        !takes_back_wait(run, now, clock)) {
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
    end_run(node);
    struct ring_node *ended = node_at(node);
    end_activation(ended, now, clock);
    thread->current = ended->parent;
    note_exit(thread, now, clock, stream);
    return stream && stream_leave(thread, ended->method, END_RETURNED, now);
}

// -- The sets ---------------------------------------------------------------------------------------------------------

#define X(name, clock, stream)                                                     \
    uintptr_t run_begin_##name(uint32_t method, int32_t state, uint32_t shape)     \
    {                                                                              \
        return run_begin(method, state, shape, (struct probe_way){clock, stream}); \
    }                                                                              \
    bool run_end_##name(uintptr_t run)                                             \
    {                                                                              \
        return run_end(run, clock, stream);                                        \
    }                                                                              \
    int32_t run_wait_##name(int32_t state, uintptr_t run, uint32_t shape)          \
    {                                                                              \
        return run_wait(state, run, shape, clock, stream);                         \
    }                                                                              \
    void run_complete_##name(uint32_t shape, uintptr_t run)                        \
    {                                                                              \
        run_complete(shape, run, clock, stream);                                   \
    }
PROBE_SETS(X)
#undef X
