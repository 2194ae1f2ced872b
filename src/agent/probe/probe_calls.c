// The probes at entry and exit. Everything here is on the hot path or one branch away from it. Woven code reaches these
// functions by an unmanaged call without GC transition, hooks through hooks.S of the architecture. They take no lock
// and never call the runtime. What they share with the probes of exceptions is inline, in probe_activations.h.
#include "agent/probe/probe.h"

#include "agent/probe/probe_activations.h"
#include "agent/probe/probe_chunks.h"
#include "agent/probe/probe_frames.h"
#include "agent/probe/probe_runs.h"
#include "agent/probe/probe_suspending.h"
#include "agent/probe/probe_unwind.h"

// How long a thread waits for room in the stream. Less in hooks, which wait in cooperative mode: the program's garbage
// collections wait with them.
#define WAIT_NS UINT64_C(5000000000)
#define WAIT_IN_HOOKS_NS UINT64_C(1000000000)

static_assert(RING_METHOD_NUMBER <= 0x3FFFFFFF, "a method's number fits an ENTER");

// -- Leaving out of order ---------------------------------------------------------------------------------------------

// The node of the newest running activation of `method`; 0: none. In this file, as the compiler must see which
// registers it leaves alone: depart() would save ten otherwise.
static uint32_t newest(struct ring_thread *thread, uint32_t method)
{
    uint32_t node = thread->current, left = path_longest();
    for (; left > 0 && node && node_at(node)->method != method; left--) {
        node = node_at(node)->parent;
    }
    return left > 0 ? node : path_leave_circle(thread);
}

// An exit whose method is not the current one: activations above it ended unseen, or it runs beyond the cap of nodes.
// Does not ask for room: the next exit does. Returns false, so that leave() can end in a jump here.
PROBE_COLD bool leave_slow(struct ring_thread *thread, uint32_t method, uintptr_t caller_stack, uint64_t now,
                           enum clock_kind clock, bool stream)
{
    if (overflow_leave(thread, method, stream, now)) {
        return false;
    }
    uint32_t node = caller_stack ? path_newest_at(thread, method, caller_stack) : newest(thread, method);
    if (node) {
        end_above(thread, node, END_RETURNED, now, clock, stream);
        end_current(thread, END_RETURNED, now, clock, stream);
        note_exit(thread, now, clock, stream);
    }
    return false;
}

// -- Entry and exit ---------------------------------------------------------------------------------------------------

// An entry that is a thread's first event, the first activation of a path, or beyond the cap of nodes.
PROBE_COLD uintptr_t enter_slow(uint32_t method, uint64_t now, struct frame from, struct probe_way way)
{
    struct ring_thread *thread = thread_self ? thread_self : thread_enlist(now);
    if (!thread) {
        return 0;
    }
    uint32_t child = awaits_callee(thread, method, from, now, way);
    if (child) {
        begin_activation(thread, child, now);
    } else {
        overflow_enter(thread, method);
    }
    if (way.stream) {
        (void)stream_enter(thread, method, now); // the exit asks for room again
    }
    return child;
}

// An entry below a node that has no children: that of an await, or a new one.
static __attribute__((noinline)) uintptr_t enter_elsewhere(uint32_t method, uint64_t now, struct frame from,
                                                           struct probe_way way)
{
    uint32_t child = awaited_child(thread_self, method, from);
    if (__builtin_expect(child == 0, 0)) {
        return enter_slow(method, now, from, way);
    }
    begin_activation(thread_self, child, now);
    if (way.stream) {
        (void)stream_enter(thread_self, method, now); // the exit asks for room again
    }
    return child;
}

// Begins an activation of `method`; returns its node, 0 if it has none. The rare cases are tail calls, so that the
// common path saves no registers.
PROBE_HOT uintptr_t enter(uint32_t method, struct probe_way way, bool *wait_soon)
{
    uint64_t now = probe_clock(way.clock);
    struct ring_thread *thread = thread_self;
    uint32_t child = __builtin_expect(thread != NULL, 1) ? likely_child(thread, method) : 0;
    if (__builtin_expect(child == 0, 0)) {
        return enter_elsewhere(method, now, PROBE_FROM, way);
    }
    begin_activation(thread, child, now);
    if (way.stream) {
        *wait_soon =
            stream_enter(thread, method, now); // must come last: a STACK event emitted here includes this activation
    }
    return child;
}

// Ends the newest activation of `method`. caller_stack: hooks only, else 0. Returns whether the thread should wait
// soon.
//
// The fast path compares the method alone, also for hooks. An exit hook of an activation whose end was already seen
// would therefore end an outer activation of a recursive method. The runtime is not known to call one: a frame that an
// exception unwinds gets no exit hook, and a frame that an entry hook finds replaced is gone. Comparing the stack here
// would cost every hooked exit four instructions. Where the methods differ, newest-first search by stack
// (path_newest_at()) ignores such exits.
PROBE_HOT bool leave(uint32_t method, uintptr_t caller_stack, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    if (__builtin_expect(thread == NULL, 0)) {
        thread_rewind_own();
        return false;
    }
    uint64_t now = probe_clock(clock);
    uint32_t number = thread->current;
    struct ring_node *node = node_at(number);
    if (__builtin_expect(node->method != method, 0)) {
        return leave_slow(thread, method, caller_stack, now, clock, stream);
    }
    CLEW_ASSERT(!stream || !stream_has(method) || (thread->depth > 0 && "a LEAVE ends an activation"));
    uint64_t ticks = end_activation(node, now, clock);
    thread->current = node->parent;
    count_root(thread, number, node->parent, ticks, clock);
    note_exit(thread, now, clock, stream);
    return stream && stream_leave(thread, method, END_RETURNED, now);
}

// The context through which woven code writes the events of the activation that has just begun: the thread's slot if the
// activation is in the stream, else the discard context.
PROBE_HOT uintptr_t context_of_newest(void)
{
    struct ring_thread *thread = thread_self;
    if (__builtin_expect(!thread || thread->depth > stream_depth_limit || !thread_self_private->chunk, 0)) {
        if (thread && !thread_self_private->chunk) {
            thread_self_private->discards = true;
        }
        return (uintptr_t)thread_discard();
    }
    stream_check(thread);
    return (uintptr_t)thread;
}

PROBE_HOT uintptr_t enter_context(uint32_t method, uintptr_t *node, enum clock_kind clock)
{
    bool wait_soon; // ignored: a probe at entry cannot wait
    uintptr_t activation = enter(method, (struct probe_way){clock, true}, &wait_soon);
    if (node) {
        *node = activation;
    }
    return context_of_newest();
}

static uintptr_t run_context(uint32_t method)
{
    (void)method; // the newest activation is that of run_begin
    return context_of_newest();
}

// "This activation runs again": called at the start of a handler. Ends the activations above, whose exits were not
// seen.
PROBE_HOT void restate(uintptr_t activation, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint32_t node = (uint32_t)activation; // the upper half of a run has more (probe_runs.c)
    if (thread && thread->current != node && node && is_running(thread, node) && !is_after(thread, node)) {
        end_above(thread, node, END_THROWN, probe_clock(clock), clock, stream);
    }
    if (stream && thread) {
        stream_check(thread);
    }
    if (stream) {
        thread_rewind_own();
    }
}

// -- Self-recursion in last position ----------------------------------------------------------------------------------
// A method whose last act is a call of itself does nothing after that call, and woven code may not either, or the JIT could not
// make a loop or a jump of it. So the activation is marked before the call (depart), and ends with the called one (finish). At
// the entry of that one (arrive) its stack says what the JIT has made: a call, and both have frames, as in unoptimised code; or
// a loop, and it goes on in the frame of its caller. A loop would make a path of any length, so all activations after the first
// are siblings, below a node METHOD_CONTINUES of that one.

// Of the woven code that calls the probe in which this is used. Calls from unoptimised code go through a stub, and the frame of
// another method may begin where that of a stub did, so the stack pointer alone does not tell.
#define PROBE_MARK frame_mark((struct frame){(uintptr_t)__builtin_frame_address(0), 0})

PROBE_HOT struct frame_mark frame_mark(struct frame probe)
{
    return (struct frame_mark){.stack = probe.at, .returns_to = frames_caller(frames_caller(probe)).code};
}

static bool is_continuation(uint32_t node)
{
    return (node_at(node)->method & RING_METHOD_NUMBER) == METHOD_CONTINUES;
}

// The first continuation of the current activation in its frame: all are below a node of their own. False: there is no room.
static bool begin_continuations(struct ring_thread *thread, uint32_t method, uint64_t now, bool stream)
{
    uint32_t number = METHOD_CONTINUES | (method & ~(uint32_t)RING_METHOD_NUMBER);
    uint32_t node = node_child(thread, thread->current, number);
    if (node) {
        begin_activation(thread, node, now);
        if (stream) {
            (void)stream_enter(thread, number, now); // the exit asks for room again
        }
    }
    return node;
}

// The frame of an activation that has departed is now another one's.
static __attribute__((noinline)) void continue_in_frame(uint32_t method, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint64_t now = probe_clock(clock);
    uint32_t node = thread->current, position = overflow_runs(thread) ? overflow_newest(method) : 0;
    if (thread_self_private->overflow_unrecorded) {
        return;
    }
    if (position) {
        overflow_end_from(thread, position, END_RETURNED, stream, now);
    } else if (node_at(node)->method == method && node_at(node)->continues &&
               (is_continuation(node_at(node)->parent) || !begin_continuations(thread, method, now, stream))) {
        end_current(thread, END_RETURNED, now, clock, stream);
        note_exit(thread, now, clock, stream);
    }
}

PROBE_HOT void arrive(uint32_t method, struct frame_mark at, enum clock_kind clock, bool stream)
{
    struct thread_private *own = thread_self_private;
    if (!own || own->departure.method != method) {
        return;
    }
    own->departure.method = 0;
    if (own->departure.from.stack == at.stack && own->departure.from.returns_to == at.returns_to) {
        continue_in_frame(method, clock, stream);
    }
}

PROBE_HOT bool depart(uint32_t method, struct frame_mark from, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    if (!own || own->overflow_unrecorded) {
        return leave(method, 0, clock, stream);
    }
    uint32_t position = overflow_runs(thread) ? overflow_newest(method) : 0,
             node = position ? 0 : newest(thread, method);
    if (position) {
        overflow_end_from(thread, position + 1, END_RETURNED, stream, probe_clock(clock));
        own->overflow[position - 1].continues = 1;
    } else if (node) {
        if (node != thread->current) {
            end_above(thread, node, END_RETURNED, probe_clock(clock), clock, stream);
        }
        node_at(node)->continues = 1;
    }
    own->departure = (struct departure){.method = method, .from = from};
    return stream && atomic_load_explicit(&thread->at, memory_order_relaxed) >= thread->limit;
}

// Whether what runs now has nothing left to do.
static bool only_continues(struct ring_thread *thread)
{
    const struct thread_private *own = thread_self_private;
    if (overflow_runs(thread)) {
        return !own->overflow_unrecorded && own->overflow_depth && own->overflow[own->overflow_depth - 1].continues;
    }
    return thread->current != thread->root && (node_at(thread->current)->continues || is_continuation(thread->current));
}

// Ends what has continued in the activation that has just ended.
static __attribute__((noinline)) void end_continued(struct ring_thread *thread, enum clock_kind clock, bool stream)
{
    uint64_t now = probe_clock(clock);
    for (uint64_t left = (uint64_t)path_longest() + THREAD_OVERFLOW_MAX; left > 0 && only_continues(thread); left--) {
        if (overflow_runs(thread)) {
            overflow_end_from(thread, thread_self_private->overflow_depth, END_RETURNED, stream, now);
        } else {
            end_current(thread, END_RETURNED, now, clock, stream);
        }
    }
    note_exit(thread, now, clock, stream);
}

PROBE_HOT bool finish(uint32_t method, enum clock_kind clock, bool stream)
{
    bool wait = leave(method, 0, clock, stream);
    struct ring_thread *thread = thread_self;
    if (thread && only_continues(thread)) {
        end_continued(thread, clock, stream);
        wait |= stream && atomic_load_explicit(&thread->at, memory_order_relaxed) >= thread->limit;
    }
    return wait;
}

// -- Counted calls ----------------------------------------------------------------------------------------------------

PROBE_COLD void count_slow(uint32_t method, enum clock_kind clock)
{
    struct ring_thread *thread = thread_self ? thread_self : thread_enlist(probe_clock(clock));
    uint32_t node = thread ? node_counted_method(thread, method) : 0;
    if (node) {
        node_at(node)->calls++;
    } else if (thread) {
        atomic_fetch_add_explicit(&thread->lost, 1, memory_order_relaxed);
    }
}

PROBE_HOT void count(uint32_t method, enum clock_kind clock)
{
    const struct thread_private *own = thread_self_private;
    uint32_t number = method & RING_METHOD_NUMBER;
    bool listed = own && own->counted.nodes && number < THREAD_METHODS_MAX && own->counted.nodes[number];
    if (__builtin_expect(!listed, 0)) {
        count_slow(method, clock);
        return;
    }
    node_at(own->counted.nodes[number])->calls++;
}

// -- Hooks ------------------------------------------------------------------------------------------------------------
// A hooked activation is identified by its caller's stack pointer. Stacks grow down, so when an activation begins,
// every activation whose stack lies at or below the new one's has ended, whether its exit was seen or not.

// Whether the current activation lies at or below `key` on the stack. The comparison works across the wrap of keys,
// since a stack is smaller than half of their range.
PROBE_HOT bool is_outdated(const struct ring_thread *thread, uint32_t key)
{
    return (int32_t)(node_at(thread->current)->stack - key) >= 0 && thread->current != thread->root;
}

// Ends the outdated activations: as thrown, but for those that the JIT suspends. These have left the thread at an await, since
// the exception callbacks announce every exception that leaves one. Stops at a filter, whose node has no stack address.
PROBE_COLD void heal_stack(struct ring_thread *thread, uint32_t key, uint64_t now, enum clock_kind clock, bool stream)
{
    uint32_t left = path_longest();
    for (; left > 0 && is_outdated(thread, key) && node_at(thread->current)->method >= METHOD_FIRST_STREAMED; left--) {
        bool suspended = probe_suspends(node_at(thread->current)->method);
        end_current(thread, suspended ? END_RETURNED : END_THROWN, now, clock, stream);
    }
    if (left == 0) {
        (void)path_leave_circle(thread);
    }
}

PROBE_HOT void hook_enter(uint32_t method, uintptr_t caller_stack, enum clock_kind clock, bool stream)
{
    struct ring_thread *thread = thread_self;
    uint32_t key = path_stack_key(caller_stack);
    if (__builtin_expect(thread != NULL && is_outdated(thread, key), 0)) {
        heal_stack(thread, key, probe_clock(clock), clock, stream);
    }
    bool wait_soon = false; // ignored: hooks cannot wait
    uintptr_t node = enter(method, (struct probe_way){clock, stream}, &wait_soon);
    if (node) {
        node_at((uint32_t)node)->stack = key;
    }
}

// -- The sets ---------------------------------------------------------------------------------------------------------

#define X(name, clock, stream)                                               \
    static bool enter_##name(uint32_t method)                                \
    {                                                                        \
        bool wait_soon = false;                                              \
        (void)enter(method, (struct probe_way){clock, stream}, &wait_soon);  \
        return wait_soon;                                                    \
    }                                                                        \
    static uintptr_t enter_keep_##name(uint32_t method)                      \
    {                                                                        \
        bool wait_soon = false; /* the exit asks again */                    \
        return enter(method, (struct probe_way){clock, stream}, &wait_soon); \
    }                                                                        \
    static uintptr_t enter_context_##name(uint32_t method, uintptr_t *node)  \
    {                                                                        \
        return enter_context(method, node, clock);                           \
    }                                                                        \
    static bool leave_##name(uint32_t method)                                \
    {                                                                        \
        return leave(method, 0, clock, stream);                              \
    }                                                                        \
    static void arrive_##name(uint32_t method)                               \
    {                                                                        \
        arrive(method, PROBE_MARK, clock, stream);                           \
    }                                                                        \
    static bool depart_##name(uint32_t method)                               \
    {                                                                        \
        return depart(method, PROBE_MARK, clock, stream);                    \
    }                                                                        \
    static bool finish_##name(uint32_t method)                               \
    {                                                                        \
        return finish(method, clock, stream);                                \
    }                                                                        \
    static void count_##name(uint32_t method)                                \
    {                                                                        \
        count(method, clock);                                                \
    }                                                                        \
    static void restate_##name(uintptr_t node)                               \
    {                                                                        \
        restate(node, clock, stream);                                        \
    }                                                                        \
    static void hook_enter_##name(uint32_t method, uintptr_t caller_stack)   \
    {                                                                        \
        hook_enter(method, caller_stack, clock, stream);                     \
    }                                                                        \
    static void hook_leave_##name(uint32_t method, uintptr_t caller_stack)   \
    {                                                                        \
        (void)leave(method, caller_stack, clock, stream);                    \
    }                                                                        \
    static void catcher_##name(uint32_t node)                                \
    {                                                                        \
        restate(node, clock, stream);                                        \
    }                                                                        \
    static const struct probe_set set_##name = {                             \
        .enter = enter_##name,                                               \
        .leave = leave_##name,                                               \
        .wait = (stream) ? stream_wait : NULL,                               \
        .enter_keep = enter_keep_##name,                                     \
        .restate = restate_##name,                                           \
        .arrive = arrive_##name,                                             \
        .depart = depart_##name,                                             \
        .finish = finish_##name,                                             \
        .count = count_##name,                                               \
        .enter_context = (stream) ? enter_context_##name : NULL,             \
        .run_begin = run_begin_##name,                                       \
        .run_context = (stream) ? run_context : NULL,                        \
        .run_end = run_end_##name,                                           \
        .run_wait = run_wait_##name,                                         \
        .run_complete = run_complete_##name,                                 \
        .await_enter = await_enter_##name,                                   \
        .await_begin = await_begin_##name,                                   \
        .await_end = await_end_##name,                                       \
        .await_handler = await_handler_##name,                               \
        .await_leave = await_leave_##name,                                   \
        .settle = settle_##name,                                             \
        .hook_enter = hook_enter_##name,                                     \
        .hook_leave = hook_leave_##name,                                     \
        .unwind = unwind_##name,                                             \
        .unwind_overflow = unwind_overflow_##name,                           \
        .catcher = catcher_##name,                                           \
        .filter = filter_##name,                                             \
        .filter_end = filter_end_##name,                                     \
        .compiles = compiles_##name,                                         \
        .compiled = compiled_##name,                                         \
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

void probe_setup(uint32_t depth_max, bool lossy, bool hooks)
{
    stream_depth_limit = depth_max ? depth_max : UINT32_MAX;
    stream_lossy = lossy;
    chunks_wait_ns = hooks ? WAIT_IN_HOOKS_NS : WAIT_NS;
}
