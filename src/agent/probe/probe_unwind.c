// Exits by exception, and exception filters. Runs in callbacks of the runtime, between the frames that it unwinds.
#include "agent/probe/probe_unwind.h"

#include "agent/probe/probe_activations.h"

PROBE_HOT void unwind(uint32_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint64_t now = probe_clock(clock);
    end_above(thread, node, END_THROWN, now, clock, stream);
    end_current(thread, END_THROWN, now, clock, stream);
}

PROBE_HOT void unwind_overflow(uint32_t position, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    CLEW_ASSERT(position > 0);
    if (overflow_runs(thread) && thread_self_private->overflow_depth >= position) {
        overflow_end_from(thread, position, END_THROWN, stream, probe_clock(clock));
    }
}

static uint64_t depth_of(const struct ring_thread *thread, uint32_t node)
{
    uint64_t depth = 0;
    for (uint32_t left = path_longest(); left > 0 && node && node != thread->root; left--) {
        depth += stream_has(probe_nodes[node].method);
        node = probe_nodes[node].parent;
    }
    return depth;
}

// The frames above the filter's owner are alive while it runs: its calls go below a node of their own, and the current
// activation is put back after.
PROBE_HOT void filter(uint32_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    if (own->filter_count++ >= THREAD_FILTERS_MAX) {
        return;
    }
    CLEW_ASSERT(own->filter_count <= THREAD_FILTERS_MAX);
    uint32_t inside = node ? node_child(thread, node, METHOD_FILTER) : 0;
    uint64_t now = probe_clock(clock);
    own->filters[own->filter_count - 1] =
        (struct running_filter){.before = inside ? thread->current : 0, .pending_count = own->pending_count};
    if (!inside) {
        return;
    }
    if (stream) {
        stream_extended(thread, RING_EXTENDED_FILTER, true, depth_of(thread, node), now);
    }
    probe_nodes[inside].calls++;
    probe_nodes[inside].started = now;
    probe_nodes[inside].stack = 0;
    thread->current = inside;
}

// What a filter took is its owner's, not that of the frames that waited above it: their beginnings move on by as much, so
// that the owner's callees never add up to more than its own time.
static void pass_over(const struct ring_thread *thread, uint32_t from, uint32_t owner, uint64_t ticks)
{
    uint32_t node = from;
    for (uint32_t left = path_longest(); left > 0 && node && node != owner && node != thread->root; left--) {
        if (probe_nodes[node].method == METHOD_FILTER) {
            return; // below it wait those that an outer filter passes over
        }
        if (probe_nodes[node].started) {
            probe_nodes[node].started += ticks;
        }
        node = probe_nodes[node].parent;
    }
}

PROBE_HOT void filter_end(enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    if (!own || own->filter_count == 0 || --own->filter_count >= THREAD_FILTERS_MAX) {
        return;
    }
    CLEW_ASSERT(own->pending_count <= THREAD_PENDING_MAX);
    const struct running_filter *filter = &own->filters[own->filter_count];
    // A filter that throws leaves frames pending: they are its own.
    own->pending_count = own->pending_count < filter->pending_count ? own->pending_count : filter->pending_count;
    if (!filter->before) {
        return;
    }
    uint64_t now = probe_clock(clock);
    uint32_t left = path_longest();
    for (; left > 0 && thread->current != thread->root && probe_nodes[thread->current].method != METHOD_FILTER;
         left--) {
        end_current(thread, END_THROWN, now, clock, stream);
    }
    if (left == 0) {
        (void)path_leave_circle(thread);
    }
    if (thread->current == thread->root) {
        return; // its owner has ended, and what it interrupted with it
    }
    struct ring_node *inside = &probe_nodes[thread->current];
    if (clock != CLOCK_KIND_NONE && (int64_t)(now - inside->started) > 0) {
        pass_over(thread, filter->before, inside->parent, now - inside->started);
    }
    end_activation(inside, now, clock);
    thread->current = filter->before;
    if (stream) {
        stream_extended(thread, RING_EXTENDED_FILTER_END, false, 0, now);
    }
}

// -- The sets ---------------------------------------------------------------------------------------------------------

#define X(name, clock, stream)                     \
    void unwind_##name(uint32_t node)              \
    {                                              \
        unwind(node, clock, stream);               \
    }                                              \
    void unwind_overflow_##name(uint32_t position) \
    {                                              \
        unwind_overflow(position, clock, stream);  \
    }                                              \
    void filter_##name(uint32_t node)              \
    {                                              \
        filter(node, clock, stream);               \
    }                                              \
    void filter_end_##name(void)                   \
    {                                              \
        filter_end(clock, stream);                 \
    }
PROBE_SETS(X)
#undef X
