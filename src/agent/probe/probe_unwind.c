// Exits by exception, and exception filters. Called from the runtime's exception callbacks (unwind/exceptions.c), on
// the thread that unwinds. The thread runs no other probe meanwhile.
#include "agent/probe/probe_unwind.h"

#include "agent/probe/probe_activations.h"

// An exception has ended this activation, and every activation above it.
PROBE_HOT void unwind(uint32_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint64_t now = probe_clock(clock);
    end_above(thread, node, END_THROWN, now, clock, stream);
    end_current(thread, END_THROWN, now, clock, stream);
    while ((node_at(thread->current)->method & RING_METHOD_NUMBER) ==
           METHOD_CONTINUES) { // in the frame of the one above it
        end_current(thread, END_THROWN, now, clock, stream);
        end_current(thread, END_THROWN, now, clock, stream);
    }
}

PROBE_HOT void unwind_overflow(uint32_t position, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    CLEW_ASSERT(position > 0);
    if (overflow_runs(thread) && thread_self_private->overflow_depth >= position) {
        overflow_end_from(thread, position, END_THROWN, stream, probe_clock(clock));
    }
}

// How many activations of the stream the path down to `node` has.
static uint64_t depth_of(const struct ring_thread *thread, uint32_t node)
{
    uint64_t depth = 0;
    for (uint32_t left = path_longest(); left > 0 && node && node != thread->root; left--) {
        depth += stream_has(node_at(node)->method);
        node = node_at(node)->parent;
    }
    return depth;
}

// Begins a filter of the activation of `node` (0: not known). The frames above that activation are still alive while
// the filter runs, so the calls of the filter go below a node of their own, and filter_end() makes the interrupted node
// current again.
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
        uint64_t owner = depth_of(thread, node);
        stream_extended(thread, RING_EXTENDED_FILTER, &owner, 1, now);
    }
    node_at(inside)->calls++;
    node_at(inside)->started = now;
    node_at(inside)->stack = 0;
    thread->current = inside;
}

// The time of a filter belongs to its owner, not to the frames that waited above it. Their starts are moved forward by
// that time, so that the callees of the owner never add up to more time than the owner.
static void pass_over(const struct ring_thread *thread, uint32_t from, uint32_t owner, uint64_t ticks)
{
    uint32_t node = from;
    for (uint32_t left = path_longest(); left > 0 && node && node != owner && node != thread->root; left--) {
        if (node_at(node)->method == METHOD_FILTER) {
            return; // an outer filter moves the starts of the frames below it
        }
        if (node_at(node)->started) {
            node_at(node)->started += ticks;
        }
        node = node_at(node)->parent;
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
    // Frames that are pending now and were not at the filter's begin are those of a filter that threw.
    own->pending_count = own->pending_count < filter->pending_count ? own->pending_count : filter->pending_count;
    if (!filter->before) {
        return;
    }
    uint64_t now = probe_clock(clock);
    uint32_t left = path_longest();
    for (; left > 0 && thread->current != thread->root && node_at(thread->current)->method != METHOD_FILTER; left--) {
        end_current(thread, END_THROWN, now, clock, stream);
    }
    if (left == 0) {
        (void)path_leave_circle(thread);
    }
    if (thread->current == thread->root) {
        return; // the owner has ended, and the interrupted activations with it
    }
    struct ring_node *inside = node_at(thread->current);
    if (clock != CLOCK_KIND_NONE && (int64_t)(now - inside->started) > 0) {
        pass_over(thread, filter->before, inside->parent, now - inside->started);
    }
    end_activation(inside, now, clock);
    thread->current = filter->before;
    if (stream) {
        stream_extended(thread, RING_EXTENDED_FILTER_END, NULL, 0, now);
    }
}

// -- Compilations -----------------------------------------------------------------------------------------------------

// Not beyond the cap of nodes, in a filter, nor in the runtime's part of an await or of a completion: there it stays in the time of
// what runs, which the rows of async activations leave out where that waits. A run that completes at once ends with its completion
// (run_end()): what is compiled between the two is no part of it.
PROBE_HOT uint32_t compiles(uint32_t what, enum clock_kind clock)
{
    struct ring_thread *thread = thread_self;
    if (!thread || thread->current == thread->root || overflow_runs(thread) ||
        !(ring_instruments(probe_ring) & INSTRUMENT_TREE)) {
        return 0;
    }
    const struct ring_node *caller = node_at(thread->current);
    if ((caller->method & RING_METHOD_NUMBER) < METHOD_FIRST_STREAMED ||
        thread_self_private->completed == thread->current) {
        return 0;
    }
    uint32_t node = node_child(thread, thread->current,
                               what | RING_METHOD_NOT_IN_CALLS | (caller->method & RING_METHOD_NOT_IN_TREE));
    if (node) {
        begin_activation(thread, node, probe_clock(clock));
        if (atomic_load_explicit(&probe_ring->hooks, memory_order_relaxed)) {
            node_at(node)->stack = caller->stack;
        }
    }
    return node;
}

PROBE_HOT void compiled(uint32_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    if (thread && node && is_running(thread, node)) {
        uint64_t now = probe_clock(clock);
        end_above(thread, node, END_RETURNED, now, clock, stream);
        end_current(thread, END_RETURNED, now, clock, stream);
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
    }                                              \
    uint32_t compiles_##name(uint32_t what)        \
    {                                              \
        return compiles(what, clock);              \
    }                                              \
    void compiled_##name(uint32_t node)            \
    {                                              \
        compiled(node, clock, stream);             \
    }
PROBE_SETS(X)
#undef X
