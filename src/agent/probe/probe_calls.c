// The probes at entry and exit. Everything here is on the hot path or one branch away from it. Woven code reaches these
// functions by an unmanaged call without GC transition, hooks through hooks.S of the architecture. They take no lock and
// never call the runtime. What they share with the probes of exceptions is inline, in probe_activations.h.
#include "agent/probe/probe.h"

#include "agent/probe/probe_activations.h"
#include "agent/probe/probe_chunks.h"
#include "agent/probe/probe_unwind.h"

// How long a thread waits for room in the stream. Less in hooks, which wait in cooperative mode: the program's garbage
// collections wait with them.
#define WAIT_NS UINT64_C(5000000000)
#define WAIT_IN_HOOKS_NS UINT64_C(1000000000)

static_assert(THREAD_CHILD_CACHE == 1 << (32 - 22), "cached_child() takes the uppermost bits of a hash");
static_assert(RING_METHOD_NUMBER <= 0x3FFFFFFF, "a method's number fits an ENTER");

// -- Nodes ------------------------------------------------------------------------------------------------------------

PROBE_HOT uint32_t *cached_child(uint32_t parent, uint32_t method)
{
    uint32_t hash = (parent * 0x9E3779B1u) ^ (method * 0x85EBCA77u);
    return &thread_self_private->children[hash >> 22 & (THREAD_CHILD_CACHE - 1)];
}

PROBE_HOT bool is_child(uint32_t child, uint32_t parent, uint32_t method)
{
    return child != 0 && probe_nodes[child].parent == parent && probe_nodes[child].method == method;
}

// The child if it can be told at once, else 0: the newest one, or the one in the cache. What the cache holds for a node
// without children is another's, and looking at it would be a cache miss for nothing: the gate is such a node.
PROBE_HOT uint32_t likely_child(const struct ring_thread *thread, uint32_t method)
{
    uint32_t parent = thread->current;
    uint32_t child = probe_nodes[parent].first_child;
    if (child == 0 || __builtin_expect(probe_nodes[child].method == method, 1)) {
        return child;
    }
    child = *cached_child(parent, method);
    return is_child(child, parent, method) ? child : 0;
}

// -- Leaving out of order ---------------------------------------------------------------------------------------------

// The node of the newest running activation of `method`; 0: none. In this file, as the compiler must see which registers it
// leaves alone: depart() would save ten otherwise.
static uint32_t newest(struct ring_thread *thread, uint32_t method)
{
    uint32_t node = thread->current, left = path_longest();
    for (; left > 0 && node && probe_nodes[node].method != method; left--) {
        node = probe_nodes[node].parent;
    }
    return left > 0 ? node : path_leave_circle(thread);
}

// An exit whose method is not the current one: something above it ended unseen, or runs over the cap.
// Asks for no room: the next exit does. Returns false, for its caller to end with.
PROBE_COLD bool leave_slow(struct ring_thread *thread, uint32_t method, uintptr_t caller_stack, uint64_t now,
                           enum clock_kind clock, bool stream)
{
    struct thread_private *own = thread_self_private;
    if (own->overflow_unrecorded) {
        own->overflow_unrecorded--;
        if (stream) {
            (void)stream_leave(thread, method, END_RETURNED, now); // its entry is in the stream, too
        }
        return false;
    }
    if (overflow_runs(thread)) {
        uint32_t position = overflow_newest(method);
        if (position) {
            overflow_end_from(thread, position, END_RETURNED, stream, now);
            return false;
        }
    }
    uint32_t node = caller_stack ? path_newest_at(thread, method, caller_stack) : newest(thread, method);
    if (node) {
        end_above(thread, node, END_RETURNED, now, clock, stream);
        end_current(thread, END_RETURNED, now, clock, stream);
    }
    return false;
}

// -- Entry and exit ---------------------------------------------------------------------------------------------------

// A thread's first event, a path's first activation, or one over the cap.
PROBE_COLD uintptr_t enter_slow(uint32_t method, uint64_t now, bool stream)
{
    struct ring_thread *thread = thread_self ? thread_self : thread_enlist(now);
    if (!thread) {
        return 0;
    }
    uint32_t child = overflow_runs(thread) ? 0 : node_child(thread, thread->current, method);
    if (child) {
        *cached_child(thread->current, method) = child;
        begin_activation(thread, child, now);
    } else {
        overflow_enter(thread, method);
    }
    if (stream) {
        (void)stream_enter(thread, method, now); // the exit asks for room again
    }
    return child;
}

// Everything out of the ordinary is a jump away, so that the usual way saves no registers.
PROBE_HOT uintptr_t enter(uint32_t method, enum clock_kind clock, bool stream, bool *wait_soon)
{
    uint64_t now = probe_clock(clock);
    struct ring_thread *thread = thread_self;
    uint32_t child = __builtin_expect(thread != NULL, 1) ? likely_child(thread, method) : 0;
    if (__builtin_expect(child == 0, 0)) {
        return enter_slow(method, now, stream);
    }
    begin_activation(thread, child, now);
    if (stream) {
        *wait_soon = stream_enter(thread, method, now); // last: a stack that is told on the way has this activation
    }
    return child;
}

// caller_stack: 0 but for hooks.
PROBE_HOT bool leave(uint32_t method, uintptr_t caller_stack, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    if (__builtin_expect(thread == NULL, 0)) {
        thread_rewind_own();
        return false;
    }
    uint64_t now = probe_clock(clock);
    struct ring_node *node = &probe_nodes[thread->current];
    if (__builtin_expect(node->method != method, 0)) {
        return leave_slow(thread, method, caller_stack, now, clock, stream);
    }
    CLEW_ASSERT(!stream || !stream_has(method) || (thread->depth > 0 && "a LEAVE ends an activation"));
    end_activation(node, now, clock);
    thread->current = node->parent;
    return stream && stream_leave(thread, method, END_RETURNED, now);
}

// The thread itself is what its events are written through, where this activation is in the stream.
PROBE_HOT uintptr_t enter_context(uint32_t method, uintptr_t *node, enum clock_kind clock)
{
    bool wait_soon; // a probe at entry cannot
    uintptr_t activation = enter(method, clock, true, &wait_soon);
    struct ring_thread *thread = thread_self;
    if (node) {
        *node = activation;
    }
    if (__builtin_expect(!thread || thread->depth > stream_depth_limit || thread_is_discard(thread), 0)) {
        if (thread && thread_is_discard(thread)) {
            thread_self_private->discards = true;
        }
        return (uintptr_t)thread_discard();
    }
    stream_check(thread);
    return (uintptr_t)thread;
}

PROBE_HOT void restate(uintptr_t node, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    if (thread && thread->current != node && node && is_running(thread, (uint32_t)node)) {
        end_above(thread, (uint32_t)node, END_THROWN, probe_clock(clock), clock, stream);
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
static uint32_t *ended_frames(struct ring_thread *thread, uint32_t method)
{
    struct thread_private *own = thread_self_private;
    if (own->overflow_unrecorded) {
        return NULL;
    }
    uint32_t place = overflow_runs(thread) ? overflow_newest(method) : 0;
    if (place) {
        return &own->overflow[place - 1].ended_frames;
    }
    uint32_t node = newest(thread, method);
    return node ? &probe_nodes[node].ended_frames : NULL;
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
    uint32_t *bare = ended_frames(thread_self, method);
    if (bare) {
        *bare = from.method == method ? from.ended_frames + (stack < from.stack) : 0;
    }
}

PROBE_HOT bool depart(uint32_t method, uintptr_t stack, enum clock_kind clock, bool stream)
{
    struct thread_private *own = thread_self_private;
    uint32_t *bare = own ? ended_frames(thread_self, method) : NULL;
    if (bare) {
        own->departure = (struct departure){.method = method, .ended_frames = *bare, .stack = stack};
    }
    return leave(method, 0, clock, stream);
}

// -- Hooks ------------------------------------------------------------------------------------------------------------
// Keyed by the caller's stack pointer, which falls with every call: an activation whose stack lies at or below that of
// the one that begins has ended, seen or not.

// Whether the current activation's stack lies at or below `key`. Stacks are smaller than half of what keys can tell apart.
PROBE_HOT bool is_stale(const struct ring_thread *thread, uint32_t key)
{
    return (int32_t)(probe_nodes[thread->current].stack - key) >= 0 && thread->current != thread->root;
}

PROBE_COLD void heal_stack(struct ring_thread *thread, uint32_t key, uint64_t now, enum clock_kind clock, bool stream)
{
    uint32_t left = path_longest();
    for (; left > 0 && is_stale(thread, key) && probe_nodes[thread->current].method >= METHOD_FIRST_REAL; left--) {
        end_current(thread, END_THROWN, now, clock, stream);
    }
    if (left == 0) {
        (void)path_leave_circle(thread);
    }
}

PROBE_HOT void hook_enter(uint32_t method, uintptr_t caller_stack, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint32_t key = path_stack_key(caller_stack);
    if (__builtin_expect(thread != NULL && is_stale(thread, key), 0)) {
        heal_stack(thread, key, probe_clock(clock), clock, stream);
    }
    bool wait_soon = false; // hooks cannot
    uintptr_t node = enter(method, clock, stream, &wait_soon);
    if (node) {
        probe_nodes[node].stack = key;
    }
}

// -- The sets ---------------------------------------------------------------------------------------------------------

#define X(name, clock, stream)                                              \
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
    static void catcher_##name(uint32_t node)                               \
    {                                                                       \
        restate(node, clock, stream);                                       \
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
        .unwind_overflow = unwind_overflow_##name,                          \
        .catcher = catcher_##name,                                          \
        .filter = filter_##name,                                            \
        .filter_end = filter_end_##name,                                    \
    };
PROBE_SETS(X)
#undef X

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
    stream_depth_limit = depth_max ? depth_max : UINT32_MAX;
    stream_lossy = flags & SESSION_LOSSY;
    chunks_wait_ns = flags & SESSION_ALL_CODE ? WAIT_IN_HOOKS_NS : WAIT_NS;
}
