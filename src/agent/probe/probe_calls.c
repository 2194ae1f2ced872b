// The probes. Everything here is on the hot path or one branch away from it; woven code reaches these functions by an
// unmanaged call without GC transition, hooks from arch/x86_64/hooks.S. They take no locks, and never call the runtime.
//
// A node is a path, so a thread has at most one running activation of it: the start of the activation stands in the
// node, and leaving is moving to the parent.
#include <time.h>

#include "agent/probe/probe.h"
#include "agent/probe/probe_chunks.h"
#include "agent/probe/probe_stream.h"
#include "agent/session/pages.h"

#define WAIT_NS UINT64_C(5000000000)
#define WAIT_IN_HOOKS_NS UINT64_C(1000000000) // collections of the program wait too

static uint32_t depth_limit = UINT32_MAX; // streams: activations deeper than this are not written

#define HOT static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))

static_assert(THREAD_CHILD_CACHE == 1 << (32 - 22), "cached_child() takes the uppermost bits of a hash");
static_assert(RING_METHOD_NUMBER <= 0x3FFFFFFF, "a method's number fits an ENTER");

// How an activation ends; as the payload of a LEAVE says it.
enum end { END_RETURNED = 0, END_THROWN = 1 };

// -- The clock --------------------------------------------------------------------------------------------------------

HOT uint64_t read_clock(enum clock_kind clock)
{
    switch (clock) {
    case CLOCK_KIND_TSC:
        return clock_tsc();
    case CLOCK_KIND_TICK:
        return atomic_load_explicit(&probe_ring->tick_ns, memory_order_relaxed);
    case CLOCK_KIND_MONOTONIC: {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    default:
        return 1; // activations still need a start that is not 0
    }
}

// -- Nodes ------------------------------------------------------------------------------------------------------------

HOT uint32_t *cached_child(uint32_t parent, uint32_t method)
{
    uint32_t hash = (parent * 0x9E3779B1u) ^ (method * 0x85EBCA77u);
    return &thread_self_private->children[hash >> 22 & (THREAD_CHILD_CACHE - 1)];
}

HOT bool is_child(uint32_t child, uint32_t parent, uint32_t method)
{
    return child != 0 && probe_nodes[child].parent == parent && probe_nodes[child].method == method;
}

// The child if it can be told at once, else 0: the newest one, or the one in the cache. What the cache holds for a node
// without children is another's, and looking at it would be a cache miss for nothing: the gate is such a node.
HOT uint32_t likely_child(const struct ring_thread *thread, uint32_t method)
{
    uint32_t parent = thread->current;
    uint32_t child = probe_nodes[parent].first_child;
    if (child == 0 || __builtin_expect(probe_nodes[child].method == method, 1)) {
        return child;
    }
    child = *cached_child(parent, method);
    return is_child(child, parent, method) ? child : 0;
}

// Ends the running activation of `node`. started goes first: a program killed in between has lost one duration, not
// counted one twice.
HOT void end_activation(struct ring_node *node, uint64_t clock, enum clock_kind kind)
{
    uint64_t started = node->started;
    node->started = 0;
    atomic_signal_fence(memory_order_seq_cst);
    if (kind == CLOCK_KIND_NONE) {
        return;
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
}

// -- Streams ----------------------------------------------------------------------------------------------------------

// Both return whether the thread should wait for room soon.
HOT bool say_enter(struct ring_thread *thread, uint32_t method, uint64_t clock)
{
    return stream_has(method) && ++thread->depth <= depth_limit &&
           stream_write(thread, RING_EVENT(RING_EVENT_ENTER, method & RING_METHOD_NUMBER, 0), clock);
}

HOT bool say_end(struct ring_thread *thread, uint32_t method, enum end end, uint64_t clock)
{
    if (!stream_has(method)) {
        return false;
    }
    if (__builtin_expect(thread->depth-- > depth_limit, 0)) {
        thread_rewind_own(); // the caller may write there, too
        return false;
    }
    return stream_write(thread, RING_EVENT(RING_EVENT_LEAVE, end, 0), clock);
}

// -- Over the cap -----------------------------------------------------------------------------------------------------
// Where no node can be made any more, the gate becomes the current node in place of a child, and what runs above is kept
// in a stack of its own: calls a method stay exact; their time is the own time of the last method with a node. The gate
// has no children, unlike `(over the cap)`: an entry must not find one there and take it for an ordinary path.

COLD void over_enter(struct ring_thread *thread, uint32_t method)
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

HOT bool over_runs(const struct ring_thread *thread)
{
    return probe_nodes[thread->current].method == RING_METHOD_OVER_CAP;
}

// Back below the cap.
static void over_end(struct ring_thread *thread)
{
    struct ring_node *gate = &probe_nodes[thread->current];
    CLEW_ASSERT(thread->current == thread_self_private->over_gate);
    gate->started = 0;
    thread->current = gate->parent;
    thread_self_private->over_count = 0;
    thread_self_private->over_untold = 0;
}

// Position + 1 in the stack of the newest activation of `method` over the cap; 0: none.
static uint32_t over_newest(uint32_t method)
{
    const struct thread_private *own = thread_self_private;
    uint32_t i = own->over_count;
    while (i > 0 && probe_nodes[own->over[i - 1].node].method != method) {
        i--;
    }
    return i;
}

// Ends all over the cap from position `from` (+ 1) on.
static void over_cut(struct ring_thread *thread, uint32_t from, enum end end, bool stream, uint64_t now)
{
    struct thread_private *own = thread_self_private;
    CLEW_ASSERT(from > 0 && own->over_count <= THREAD_OVER_MAX);
    while (own->over_count >= from) {
        struct ring_node *flat = &probe_nodes[own->over[--own->over_count].node];
        flat->exceptions += end == END_THROWN;
        if (stream) {
            (void)say_end(thread, flat->method, end, now); // the next exit asks again
        }
    }
    if (own->over_count == 0) {
        over_end(thread);
    }
}

// -- Leaving out of order ---------------------------------------------------------------------------------------------
// A path has at most as many nodes as there are. A program that wrote over them may have made a circle of one: then the thread
// goes on as if none of its activations ran. The collector sees the damage when it copies the tree.

static uint32_t longest_path(void)
{
    return probe_ring->nodes_max;
}

COLD uint32_t leave_circle(struct ring_thread *thread)
{
    thread->current = thread->root;
    return 0;
}

HOT void end_current(struct ring_thread *thread, enum end end, uint64_t now, enum clock_kind clock, bool stream)
{
    struct ring_node *node = &probe_nodes[thread->current];
    node->exceptions += end == END_THROWN;
    end_activation(node, now, clock);
    thread->current = node->parent;
    if (stream) {
        (void)say_end(thread, node->method, end, now); // the next exit asks again
    }
}

HOT bool runs(const struct ring_thread *thread, uint32_t node)
{
    return node != thread->root && probe_nodes[node].started != 0;
}

// Ends everything above `node` on this thread.
HOT void cut_above(struct ring_thread *thread, uint32_t node, enum end end, uint64_t now, enum clock_kind clock,
                   bool stream)
{
    if (thread->current != node && over_runs(thread)) {
        over_cut(thread, 1, end, stream, now);
    }
    uint32_t left = longest_path();
    for (; left > 0 && thread->current != node && thread->current != thread->root; left--) {
        end_current(thread, end, now, clock, stream);
    }
    if (left == 0) {
        (void)leave_circle(thread);
    }
}

static uint32_t newest(struct ring_thread *thread, uint32_t method)
{
    uint32_t node = thread->current, left = longest_path();
    for (; left > 0 && node && probe_nodes[node].method != method; left--) {
        node = probe_nodes[node].parent;
    }
    return left > 0 ? node : leave_circle(thread);
}

static uint32_t stack_key(uintptr_t caller_stack)
{
    return (uint32_t)(-caller_stack >> 3); // grows with depth, and wraps somewhere
}

// The same for hooks: the activation whose caller has this stack pointer. 0 where its end has been seen already; those
// that began higher in the stack are not searched, of which deep recursion has many.
static uint32_t newest_at(struct ring_thread *thread, uint32_t method, uintptr_t caller_stack)
{
    uint32_t node = thread->current, left = longest_path(), key = stack_key(caller_stack);
    for (; left > 0 && node && node != thread->root; left--) {
        const struct ring_node *running = &probe_nodes[node];
        if (running->method != RING_METHOD_FILTER && (int32_t)(running->stack - key) < 0) {
            return 0;
        }
        if (running->method == method && running->stack == key) {
            return node;
        }
        node = running->parent;
    }
    return left > 0 ? 0 : leave_circle(thread);
}

uint32_t probe_newest(uint32_t method)
{
    struct ring_thread *thread = thread_self;
    if (!thread || method < RING_METHOD_FIRST_REAL) {
        return 0;
    }
    uint32_t node = thread->current, left = longest_path();
    for (; left > 0 && node && probe_nodes[node].method != method && probe_nodes[node].method != RING_METHOD_FILTER;
         left--) {
        node = probe_nodes[node].parent;
    }
    if (left == 0) {
        return leave_circle(thread);
    }
    return node && probe_nodes[node].method == method ? node : 0;
}

uint32_t probe_newest_over(uint32_t method)
{
    const struct ring_thread *thread = thread_self;
    return thread && method >= RING_METHOD_FIRST_REAL && over_runs(thread) ? over_newest(method) : 0;
}

// An exit whose method is not the current one: something above it ended unseen, or runs over the cap.
// Asks for no room: the next exit does. Returns false, for its caller to end with.
COLD bool leave_slow(struct ring_thread *thread, uint32_t method, uintptr_t caller_stack, uint64_t now,
                     enum clock_kind clock, bool stream)
{
    struct thread_private *own = thread_self_private;
    if (own->over_untold) {
        own->over_untold--;
        if (stream) {
            (void)say_end(thread, method, END_RETURNED, now); // its entry is in the stream, too
        }
        return false;
    }
    if (over_runs(thread)) {
        uint32_t position = over_newest(method);
        if (position) {
            over_cut(thread, position, END_RETURNED, stream, now);
            return false;
        }
    }
    uint32_t node = caller_stack ? newest_at(thread, method, caller_stack) : newest(thread, method);
    if (node) {
        cut_above(thread, node, END_RETURNED, now, clock, stream);
        end_current(thread, END_RETURNED, now, clock, stream);
    }
    return false;
}

// -- Entry and exit ---------------------------------------------------------------------------------------------------

HOT void begin_activation(struct ring_thread *thread, uint32_t node, uint64_t now)
{
    CLEW_ASSERT(node < probe_ring->nodes_max && node != thread->root && now != 0);
    probe_nodes[node].calls++;
    probe_nodes[node].started = now;
    thread->current = node;
}

// A thread's first event, a path's first activation, or one over the cap.
COLD uintptr_t enter_slow(uint32_t method, uint64_t now, bool stream)
{
    struct ring_thread *thread = thread_self ? thread_self : thread_enlist(now);
    if (!thread) {
        return 0;
    }
    uint32_t child = over_runs(thread) ? 0 : node_child(thread, thread->current, method);
    if (child) {
        *cached_child(thread->current, method) = child;
        begin_activation(thread, child, now);
    } else {
        over_enter(thread, method);
    }
    if (stream) {
        (void)say_enter(thread, method, now); // the exit asks for room again
    }
    return child;
}

// Everything out of the ordinary is a jump away, so that the usual way saves no registers.
HOT uintptr_t enter(uint32_t method, enum clock_kind clock, bool stream, bool *wait_soon)
{
    uint64_t now = read_clock(clock);
    struct ring_thread *thread = thread_self;
    uint32_t child = __builtin_expect(thread != NULL, 1) ? likely_child(thread, method) : 0;
    if (__builtin_expect(child == 0, 0)) {
        return enter_slow(method, now, stream);
    }
    begin_activation(thread, child, now);
    if (stream) {
        *wait_soon = say_enter(thread, method, now); // last: a stack that is told on the way has this activation
    }
    return child;
}

// caller_stack: 0 but for hooks.
HOT bool leave(uint32_t method, uintptr_t caller_stack, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    if (__builtin_expect(thread == NULL, 0)) {
        thread_rewind_own();
        return false;
    }
    uint64_t now = read_clock(clock);
    struct ring_node *node = &probe_nodes[thread->current];
    if (__builtin_expect(node->method != method, 0)) {
        return leave_slow(thread, method, caller_stack, now, clock, stream);
    }
    CLEW_ASSERT(!stream || !stream_has(method) || (thread->depth > 0 && "a LEAVE ends an activation"));
    end_activation(node, now, clock);
    thread->current = node->parent;
    return stream && say_end(thread, method, END_RETURNED, now);
}

// The thread itself is what its events are written through, where this activation is in the stream.
HOT uintptr_t enter_context(uint32_t method, uintptr_t *node, enum clock_kind clock)
{
    bool wait_soon; // a probe at entry cannot
    uintptr_t activation = enter(method, clock, true, &wait_soon);
    struct ring_thread *thread = thread_self;
    if (node) {
        *node = activation;
    }
    if (__builtin_expect(!thread || thread->depth > depth_limit || thread_is_discard(thread), 0)) {
        if (thread && thread_is_discard(thread)) {
            thread_self_private->discards = true;
        }
        return (uintptr_t)thread_discard();
    }
    stream_check(thread);
    return (uintptr_t)thread;
}

HOT void restate(uintptr_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    if (thread && thread->current != node && node && runs(thread, (uint32_t)node)) {
        cut_above(thread, (uint32_t)node, END_THROWN, read_clock(clock), clock, stream);
    }
    if (stream && thread) {
        stream_check(thread);
    }
    if (stream) {
        thread_rewind_own();
    }
}

// -- Calls of itself --------------------------------------------------------------------------------------------------
// Where a method calls itself last, its activation ends before the call. The frame stays, unless the JIT has made a loop
// or a jump of the call: then the next activation's probes run as high in the stack. An exception passes the frames that
// have stayed like any other, so they are counted.

#define PROBE_STACK ((uintptr_t)__builtin_frame_address(0)) // right below the woven frame that calls the probe

// The count of the newest activation of `method`; NULL when it is not kept.
static uint32_t *bare_frames(struct ring_thread *thread, uint32_t method)
{
    struct thread_private *own = thread_self_private;
    if (own->over_untold) {
        return NULL;
    }
    uint32_t place = over_runs(thread) ? over_newest(method) : 0;
    if (place) {
        return &own->over[place - 1].bare;
    }
    uint32_t node = newest(thread, method);
    return node ? &probe_nodes[node].bare : NULL;
}

static void arrive(uint32_t method)
{
    uintptr_t stack = PROBE_STACK;
    struct thread_private *own = thread_self_private;
    if (!own) {
        return;
    }
    struct departure from = own->departure;
    own->departure.method = 0;
    uint32_t *bare = bare_frames(thread_self, method);
    if (bare) {
        *bare = from.method == method ? from.bare + (stack < from.stack) : 0;
    }
}

HOT bool depart(uint32_t method, uintptr_t stack, enum clock_kind clock, bool stream)
{
    struct thread_private *own = thread_self_private;
    uint32_t *bare = own ? bare_frames(thread_self, method) : NULL;
    if (bare) {
        own->departure = (struct departure){.method = method, .bare = *bare, .stack = stack};
    }
    return leave(method, 0, clock, stream);
}

// -- Hooks ------------------------------------------------------------------------------------------------------------
// Keyed by the caller's stack pointer, which falls with every call: an activation whose stack lies at or below that of
// the one that begins has ended, seen or not.

// Whether the current activation's stack lies at or below `key`. Stacks are smaller than half of what keys can tell apart.
HOT bool is_stale(const struct ring_thread *thread, uint32_t key)
{
    return (int32_t)(probe_nodes[thread->current].stack - key) >= 0 && thread->current != thread->root;
}

COLD void heal_stack(struct ring_thread *thread, uint32_t key, uint64_t now, enum clock_kind clock, bool stream)
{
    uint32_t left = longest_path();
    for (; left > 0 && is_stale(thread, key) && probe_nodes[thread->current].method >= RING_METHOD_FIRST_REAL; left--) {
        end_current(thread, END_THROWN, now, clock, stream);
    }
    if (left == 0) {
        (void)leave_circle(thread);
    }
}

HOT void hook_enter(uint32_t method, uintptr_t caller_stack, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint32_t key = stack_key(caller_stack);
    if (__builtin_expect(thread != NULL && is_stale(thread, key), 0)) {
        heal_stack(thread, key, read_clock(clock), clock, stream);
    }
    bool wait_soon = false; // hooks cannot
    uintptr_t node = enter(method, clock, stream, &wait_soon);
    if (node) {
        probe_nodes[node].stack = key;
    }
}

// -- Exceptions -------------------------------------------------------------------------------------------------------

HOT void unwind(uint32_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint64_t now = read_clock(clock);
    cut_above(thread, node, END_THROWN, now, clock, stream);
    end_current(thread, END_THROWN, now, clock, stream);
}

HOT void unwind_over(uint32_t place, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    CLEW_ASSERT(place > 0);
    if (over_runs(thread) && thread_self_private->over_count >= place) {
        over_cut(thread, place, END_THROWN, stream, read_clock(clock));
    }
}

static uint64_t depth_of(const struct ring_thread *thread, uint32_t node)
{
    uint64_t depth = 0;
    for (uint32_t left = longest_path(); left > 0 && node && node != thread->root; left--) {
        depth += stream_has(probe_nodes[node].method);
        node = probe_nodes[node].parent;
    }
    return depth;
}

// The frames above the filter's owner are alive while it runs: its calls go below a node of their own, and the current
// activation is put back after.
HOT void filter(uint32_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    if (own->filter_count++ >= THREAD_FILTERS_MAX) {
        return;
    }
    CLEW_ASSERT(own->filter_count <= THREAD_FILTERS_MAX);
    uint32_t inside = node ? node_child(thread, node, RING_METHOD_FILTER) : 0;
    uint64_t now = read_clock(clock);
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
    for (uint32_t left = longest_path(); left > 0 && node && node != owner && node != thread->root; left--) {
        if (probe_nodes[node].method == RING_METHOD_FILTER) {
            return; // below it wait those that an outer filter passes over
        }
        if (probe_nodes[node].started) {
            probe_nodes[node].started += ticks;
        }
        node = probe_nodes[node].parent;
    }
}

HOT void filter_end(enum clock_kind clock, bool stream)
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
    uint64_t now = read_clock(clock);
    uint32_t left = longest_path();
    for (; left > 0 && thread->current != thread->root && probe_nodes[thread->current].method != RING_METHOD_FILTER;
         left--) {
        end_current(thread, END_THROWN, now, clock, stream);
    }
    if (left == 0) {
        (void)leave_circle(thread);
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

#define PROBE_SET(name, clock, stream)                                      \
    static bool enter_##name(uint32_t method)                               \
    {                                                                       \
        bool wait_soon = false;                                             \
        (void)enter(method, clock, stream, &wait_soon);                     \
        return wait_soon;                                                   \
    }                                                                       \
    static uintptr_t enter_keep_##name(uint32_t method)                     \
    {                                                                       \
        bool wait_soon = false; /* the exit asks again */                   \
        return enter(method, clock, stream, &wait_soon);                    \
    }                                                                       \
    static uintptr_t enter_context_##name(uint32_t method, uintptr_t *node) \
    {                                                                       \
        return enter_context(method, node, clock);                          \
    }                                                                       \
    static bool leave_##name(uint32_t method)                               \
    {                                                                       \
        return leave(method, 0, clock, stream);                             \
    }                                                                       \
    static bool depart_##name(uint32_t method)                              \
    {                                                                       \
        return depart(method, PROBE_STACK, clock, stream);                  \
    }                                                                       \
    static void restate_##name(uintptr_t node)                              \
    {                                                                       \
        restate(node, clock, stream);                                       \
    }                                                                       \
    static void hook_enter_##name(uint32_t method, uintptr_t caller_stack)  \
    {                                                                       \
        hook_enter(method, caller_stack, clock, stream);                    \
    }                                                                       \
    static void hook_leave_##name(uint32_t method, uintptr_t caller_stack)  \
    {                                                                       \
        (void)leave(method, caller_stack, clock, stream);                   \
    }                                                                       \
    static void unwind_##name(uint32_t node)                                \
    {                                                                       \
        unwind(node, clock, stream);                                        \
    }                                                                       \
    static void unwind_over_##name(uint32_t place)                          \
    {                                                                       \
        unwind_over(place, clock, stream);                                  \
    }                                                                       \
    static void catcher_##name(uint32_t node)                               \
    {                                                                       \
        restate(node, clock, stream);                                       \
    }                                                                       \
    static void filter_##name(uint32_t node)                                \
    {                                                                       \
        filter(node, clock, stream);                                        \
    }                                                                       \
    static void filter_end_##name(void)                                     \
    {                                                                       \
        filter_end(clock, stream);                                          \
    }                                                                       \
    static const struct probe_set set_##name = {                            \
        .enter = enter_##name,                                              \
        .leave = leave_##name,                                              \
        .wait = (stream) ? stream_wait : NULL,                              \
        .enter_keep = enter_keep_##name,                                    \
        .restate = restate_##name,                                          \
        .arrive = arrive,                                                   \
        .depart = depart_##name,                                            \
        .enter_context = (stream) ? enter_context_##name : NULL,            \
        .hook_enter = hook_enter_##name,                                    \
        .hook_leave = hook_leave_##name,                                    \
        .unwind = unwind_##name,                                            \
        .unwind_over = unwind_over_##name,                                  \
        .catcher = catcher_##name,                                          \
        .filter = filter_##name,                                            \
        .filter_end = filter_end_##name,                                    \
    };

PROBE_SET(tree_tsc, CLOCK_KIND_TSC, false)
PROBE_SET(tree_monotonic, CLOCK_KIND_MONOTONIC, false)
PROBE_SET(tree_tick, CLOCK_KIND_TICK, false)
PROBE_SET(tree_none, CLOCK_KIND_NONE, false)
PROBE_SET(stream_tsc, CLOCK_KIND_TSC, true)
PROBE_SET(stream_monotonic, CLOCK_KIND_MONOTONIC, true)
PROBE_SET(stream_tick, CLOCK_KIND_TICK, true)
PROBE_SET(stream_none, CLOCK_KIND_NONE, true)

const struct probe_set *probe_set_for(enum clock_kind clock, bool stream)
{
    static const struct probe_set *const sets[2][4] = {
        {&set_tree_tsc, &set_tree_monotonic, &set_tree_tick, &set_tree_none},
        {&set_stream_tsc, &set_stream_monotonic, &set_stream_tick, &set_stream_none},
    };
    static_assert(CLOCK_KIND_TSC == 0 && CLOCK_KIND_MONOTONIC == 1 && CLOCK_KIND_TICK == 2 && CLOCK_KIND_NONE == 3,
                  "the sets are by enum clock_kind");
    CLEW_ASSERT((unsigned)clock < sizeof *sets / sizeof **sets);
    return sets[stream][clock];
}

void probe_setup(uint32_t depth_max, uint32_t flags)
{
    depth_limit = depth_max ? depth_max : UINT32_MAX;
    stream_lossy = flags & RING_LOSSY;
    chunks_wait_ns = flags & RING_ALL_CODE ? WAIT_IN_HOOKS_NS : WAIT_NS;
}
