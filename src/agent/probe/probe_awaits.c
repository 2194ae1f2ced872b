#include "agent/probe/probe_awaits.h"

#include "agent/probe/probe_activations.h"
#include "agent/probe/probe_link_parts.h"
#include "agent/probe/probe_run_parts.h"

// A run as woven code holds it: its node, and the slot of its activation in the upper half. Without a node: see run_of().
static inline uint32_t slot_of(uintptr_t run)
{
    return node_of(run) ? (uint32_t)((uint64_t)run >> 32) : 0;
}

static inline uintptr_t run_with_slot(uint32_t node, uint32_t slot, uint32_t method)
{
    return node ? node | (uint64_t)slot << 32 : run_of(0, method);
}

static inline bool is_of_run(uint32_t node, uintptr_t run)
{
    return node && node == node_of(run) && node_at(node)->started && run_at(node)->activation == slot_of(run);
}

static struct probe_way session_way;

void awaits_setup(struct probe_way way)
{
    session_way = way;
}

// -- The node of an await ---------------------------------------------------------------------------------------------

static uint32_t new_place(struct ring_thread *thread, uint32_t node)
{
    uint32_t place = node_child(thread, node, METHOD_AWAITING);
    if (place) {
        *cached_child(node, METHOD_AWAITING) = place;
    }
    return place;
}

// The node of the awaits of a run; 0: the cap is reached.
static inline uint32_t place_of(struct ring_thread *thread, uint32_t node)
{
    uint32_t place = *cached_child(node, METHOD_AWAITING);
    return __builtin_expect(is_child(place, node, METHOD_AWAITING), 1) ? place : new_place(thread, node);
}

// Notes the frame of the method that comes to an await, and its code: a probe has been called by the code that goes on in `from`,
// or by a stub that this has called.
static __attribute__((noinline)) void find_frame(struct ring_await *await, uint32_t node, struct frame from)
{
    uint32_t method = links_method(node_at(node)->method);
    struct frame frame = frames_of(method, from);
    struct frame_code code = frames_code_of(method, frame.code);
    await->frame = frame.at;
    await->code = code.start;
    await->code_size = (uint32_t)code.size;
    await->method = method;
}

PROBE_HOT void note_frame(struct ring_await *await, uint32_t node, struct frame from)
{
    if (__builtin_expect(frames_is_in(awaits_code(await), from.code), 1)) {
        await->frame = from.at;
    } else {
        find_frame(await, node, from);
    }
    await->returns_to = await->frame ? (uint32_t)frames_return_of(await->frame) : 0;
}

// -- Suspended --------------------------------------------------------------------------------------------------------

void awaits_suspended(struct ring_thread *thread, uint64_t now, struct probe_way way)
{
    uint32_t place = thread->current, node = node_at(place)->parent;
    const struct ring_await *await = await_at(place);
    uint64_t at = links_left_at(thread, await);
    at = (int64_t)(now - at) > 0 ? at : now;
    CLEW_ASSERT(node_at(place)->method == METHOD_AWAITING && node_at(node)->method & RING_METHOD_RUNS);
    links_suspended(await->serial, at);
    if (way.stream) {
        write_run_event(node, RING_EXTENDED_SUSPEND, await->serial, await->await, at);
    }
    end_run(node);
    end_activation(node_at(node), at, way.clock);
    thread->current = node_at(node)->parent;
    note_exit(thread, at, way.clock, way.stream);
    if (way.stream) {
        (void)stream_leave(thread, node_at(node)->method, END_RETURNED, at);
    }
}

// Before an entry of `method` by the code that goes on in a frame: ends the runs whose awaits are on top and whose frames are
// gone.
static void end_gone(struct ring_thread *thread, uint32_t method, struct frame from, uint64_t now, struct probe_way way)
{
    while (awaits_is_current(thread) && !awaits_called(thread->current, links_method(method), from)) {
        uint32_t place = thread->current;
        uint32_t awaiting = links_method(node_at(node_at(place)->parent)->method);
        // A frame of its own method is not that of the awaiting one: that would be a call of itself which was inlined.
        bool own = awaiting == links_method(method);
        struct frame caller = own ? frames_caller(frames_of(awaiting, from)) : from;
        if (frames_has(awaiting, await_at(place), caller)) {
            return;
        }
        awaits_suspended(thread, now, way);
    }
}

uint32_t awaits_callee(struct ring_thread *thread, uint32_t method, struct frame from, uint64_t now,
                       struct probe_way way)
{
    end_gone(thread, method, from, now, way);
    uint32_t caller = thread->current, child = *cached_child(caller, method);
    if (!is_child(child, caller, method)) {
        child = overflow_runs(thread) ? 0 : node_child(thread, caller, method);
        *cached_child(caller, method) = child;
    }
    return child;
}

// Counts the end of the activation whose run is in `node`, and frees its record.
static void end_failed(uint32_t node, uint64_t now, struct probe_way way)
{
    uint32_t slot = run_at(node)->activation;
    bool known = links_known(slot);
    enum run_end how = thread_self_private->cancelled ? RUN_CANCELLED : RUN_FAULTED;
    if (way.stream) {
        write_run_event(node, RING_EXTENDED_COMPLETE, known ? links_serial(slot) : 0, how, now);
    }
    bool resumed = node_at(node)->method & METHOD_RESUMED; // one whose beginning is not known, if it has no record
    uint64_t started = known ? links_complete(slot, now) : resumed ? 0 : node_at(node)->started;
    count_end(node, how, started ? ticks_since(started, now) : UINT64_MAX, way.clock);
}

void awaits_run_ended(uint32_t node, bool thrown, uint64_t now, struct probe_way way)
{
    struct thread_private *own = thread_self_private;
    uint32_t slot = run_at(node)->activation;
    bool known = links_known(slot), resumed = node_at(node)->method & METHOD_RESUMED;
    struct links_activation awaiter = thrown && known && resumed ? links_awaiter(slot) : (struct links_activation){0};
    own->failing.slot = awaiter.slot;
    own->failing.generation = awaiter.generation;
    if (thrown) {
        end_failed(node, now, way);
    } else if (known) {
        (void)links_complete(slot, now);
    }
    if (!known) {
        links_give(slot);
    }
    end_run(node);
}

// Begins a run of an activation that goes on behind its await because that has failed, before any code of its method runs. 0: the
// cap is reached.
static uint32_t begin_failed(struct ring_thread *thread, struct links_activation activation, uint64_t now,
                             struct probe_way way)
{
    struct links_wait wait = {.slot = activation.slot};
    uint32_t method = links_marked(activation), number = links_go_on(method, now, &wait);
    uint32_t node = overflow_runs(thread) ? 0 : node_child(thread, thread->current, number);
    if (!node) {
        return 0;
    }
    begin_first_run(node);
    begin_activation(thread, node, now);
    begin_run(node, wait.slot);
    count_wait(node, &wait);
    if (way.stream) {
        (void)stream_enter(thread, method, now);
        write_run_event(node, RING_EXTENDED_RESUME, links_serial_of_wait(wait.slot), wait.ticks, now);
    }
    return node;
}

// A run of the activation in which it only fails, as the runtime fails it without running its method.
static void fail(struct ring_thread *thread, struct links_activation activation, uint64_t now, struct probe_way way)
{
    uint32_t caller = thread->current, node = begin_failed(thread, activation, now, way);
    if (!node) {
        return;
    }
    end_failed(node, now, way);
    end_run(node);
    node_at(node)->exceptions++;
    end_activation(node_at(node), now, way.clock);
    thread->current = caller;
    if (way.stream) {
        (void)stream_leave(thread, node_at(node)->method, END_THROWN, now);
    }
}

// What the activation awaits has failed without an event of its own, as a task does: and so have those in between, whose methods
// do not run again.
static void fail_awaited(struct ring_thread *thread, uint32_t slot, uint64_t now, struct probe_way way)
{
    uint32_t *chain = thread_self_private->chain, count = 0;
    while (count < THREAD_CHAIN_MAX && (slot = links_awaited_by(slot))) {
        chain[count++] = slot;
    }
    while (count > 0) {
        fail(thread, links_activation(chain[--count]), now, way);
    }
}

uint32_t awaits_resume_failed(uint32_t method)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    struct links_activation failing = {own ? own->failing.slot : 0, own ? own->failing.generation : 0};
    bool tried;
    if (!links_still_awaits(failing, &tried) || (links_marked(failing) ^ method) & RING_METHOD_NUMBER) {
        return 0;
    }
    own->failing.slot = 0;
    return begin_failed(thread, failing, probe_clock(session_way.clock), session_way);
}

void awaits_fail_awaiters(struct ring_thread *thread, uint64_t now, struct probe_way way)
{
    struct thread_private *own = thread_self_private;
    struct links_activation next = {own->failing.slot, own->failing.generation};
    bool tried = false;
    while (links_still_awaits(next, &tried) && !tried) {
        struct links_activation awaiter = links_awaiter(next.slot);
        fail(thread, next, now, way);
        next = awaiter;
    }
    own->failing.slot = tried ? next.slot : 0; // it goes on by itself, in a handler
    own->failing.generation = next.generation;
}

// -- Entry and exit ---------------------------------------------------------------------------------------------------

// The activation of `node` has begun in an await: whether the awaiting method has called the method itself, if not seen in
// is_callee(). A stub may have called the probe.
static __attribute__((noinline)) void find_direct(uint32_t node, struct frame from)
{
    uint32_t place = node_at(node)->parent, method = links_method(node_at(node)->method);
    struct ring_await *await = await_at(place);
    struct frame frame = frames_of(method, from);
    uintptr_t caller = frames_caller(frame).at;
    if (caller && caller == await->frame) {
        struct frame_code code = frames_code_of(method, frame.code);
        await->callee_code = code.start;
        await->callee_size = (uint32_t)code.size;
        links_called_directly(run_at(node)->activation, node_at(place)->parent);
    }
}

// Whether the code that goes on in the frame is the method's that was called last in the await.
PROBE_HOT bool is_callee(const struct ring_await *await, struct frame from)
{
    return frames_is_in((struct frame_code){await->callee_code, await->callee_size}, from.code);
}

PROBE_HOT uintptr_t await_enter(uint32_t method, struct probe_way way)
{
    uint64_t now = probe_clock(way.clock);
    struct ring_thread *thread = thread_self;
    struct frame from = PROBE_FROM;
    uint32_t outer = thread ? thread->current : 0;
    bool awaited = node_at(outer)->method == METHOD_AWAITING,
         called = awaited && awaits_called(outer, method & RING_METHOD_NUMBER, from);
    uint32_t node = called ? *cached_child(outer, method) : awaited || !thread ? 0 : likely_child(thread, method);
    node = begin_in(is_child(node, outer, method) ? node : 0, method, method, 0, now, from, way);
    uint32_t slot = node ? links_take() : 0;
    if (__builtin_expect(node != 0, 1)) {
        run_at(node)->activation = slot;
    }
    if (called && is_callee(await_at(outer), from)) {
        links_called_directly(slot, node_at(outer)->parent);
    } else if (awaited && node_at(node)->parent == outer) {
        find_direct(node, from);
    }
    return run_with_slot(node, slot, method);
}

PROBE_HOT bool await_leave(uintptr_t run, struct probe_way way)
{
    struct ring_thread *thread = thread_self;
    uint32_t node = node_of(run);
    if (__builtin_expect(thread == NULL || node == 0, 0)) {
        return end_without_node(run, way.clock, way.stream);
    }
    uint64_t now = probe_clock(way.clock);
    if (__builtin_expect(thread->current != node, 0) && !end_above_run(thread, node, now, way.clock, way.stream)) {
        return false;
    }
    uint32_t slot = run_at(node)->activation;
    struct ring_node *ended = node_at(node);
    uint64_t started = ended->started;
    if (links_known(slot)) {
        if (way.stream && ended->method & METHOD_RESUMED) {
            write_run_event(node, RING_EXTENDED_COMPLETE, links_serial(slot), RUN_COMPLETED, now);
        }
        started = links_end(slot, now);
    } else {
        links_give(slot);
        started = ended->method & METHOD_RESUMED ? 0 : started;
    }
    count_end(node, RUN_COMPLETED, started ? ticks_since(started, now) : UINT64_MAX, way.clock);
    end_run(node);
    end_activation(ended, now, way.clock);
    thread->current = ended->parent;
    note_exit(thread, now, way.clock, way.stream);
    return way.stream && stream_leave(thread, ended->method, END_RETURNED, now);
}

// -- Awaits -----------------------------------------------------------------------------------------------------------

// Ends what is above the run. False: the run itself is not on the thread.
PROBE_COLD bool return_to(struct ring_thread *thread, uintptr_t run, uint64_t now, struct probe_way way)
{
    if (!is_of_run(node_of(run), run)) {
        return false;
    }
    end_above(thread, node_of(run), END_THROWN, now, way.clock, way.stream);
    return thread->current == node_of(run);
}

PROBE_COLD void note_unlinked(uint32_t place, uint32_t number, uint64_t now)
{
    struct ring_await *await = await_at(place);
    if (place) {
        await->since = now;
        await->serial = 0;
        await->await = number & ~(uint32_t)RUN_AWAIT_TRIED;
    }
}

PROBE_HOT uintptr_t await_begin(uint32_t number, uintptr_t run, struct frame from, struct probe_way way)
{
    struct ring_thread *thread = thread_self;
    uint32_t node = node_of(run);
    const uintptr_t mark = (uintptr_t)probe_ring; // any address that is not null, and no object's
    if (__builtin_expect(!thread || !node, 0)) {
        return mark;
    }
    uint64_t now = probe_clock(way.clock);
    if (__builtin_expect(thread->current != node, 0) && !return_to(thread, run, now, way)) {
        return mark;
    }
    uint32_t place = place_of(thread, node);
    if (__builtin_expect(!links_await(node, place, number, now), 0)) {
        note_unlinked(place, number, now);
    }
    if (__builtin_expect(place != 0, 1)) {
        note_frame(await_at(place), node, from);
        thread->current = place;
    }
    return mark;
}

// The method goes on after it was suspended, or an event of the thread has ended its run although it was there.
static __attribute__((noinline)) uintptr_t go_on(uintptr_t run, uint32_t method, struct frame from, uint64_t now,
                                                 struct probe_way way)
{
    struct links_wait wait = {.slot = slot_of(run)};
    uint32_t number = links_go_on(method, now, &wait);
    uint32_t node = begin(method, number, wait.slot, now, &from, way);
    if (thread_self) {
        thread_self_private->failing.slot = 0; // what was to go on here has done so, or will not
    }
    if (node) {
        count_wait(node, &wait);
    }
    if (way.stream && node) {
        write_run_event(node, RING_EXTENDED_RESUME, links_serial_of_wait(wait.slot), wait.ticks, now);
    }
    return run_with_slot(node, wait.slot, method);
}

PROBE_HOT uintptr_t await_end(uint32_t method, uintptr_t run, uintptr_t mark, struct frame from, struct probe_way way)
{
    struct ring_thread *thread = thread_self;
    uint32_t node = node_of(run), current = thread ? thread->current : 0;
    if (__builtin_expect(mark && node_at(current)->parent == node && node_at(current)->method == METHOD_AWAITING, 1)) {
        links_awaited(slot_of(run));
        thread->current = node;
        return run;
    }
    uint64_t now = probe_clock(way.clock);
    if (mark && (!thread || !node || return_to(thread, run, now, way))) {
        links_awaited(slot_of(run));
        return run;
    }
    return go_on(run, method, from, now, way);
}

// An await has ended by an exception.
static __attribute__((noinline)) uintptr_t end_failing(uint32_t method, uintptr_t run, uintptr_t mark,
                                                       struct frame from, struct probe_way way)
{
    if (!mark && thread_self) {
        fail_awaited(thread_self, slot_of(run), probe_clock(way.clock), way);
    }
    return await_end(method, run, mark, from, way);
}

// The run as it is now: an exception may have begun a new one before any code of the method ran. Only this thread's are looked at,
// since the one before may still be current on a thread that does not know yet that it was suspended. 0: there is none.
static uintptr_t find_run(uintptr_t run)
{
    uint32_t node = thread_self_private->run, slot = slot_of(run);
    if (!slot) {
        return run;
    }
    for (uint32_t left = path_longest(); left > 0 && node && run_at(node)->activation != slot; left--) {
        node = run_at(node)->outer;
    }
    return node ? node | (uint64_t)slot << 32 : 0;
}

PROBE_HOT uintptr_t await_handler(uint32_t method, uintptr_t run, uintptr_t mark, struct frame from,
                                  struct probe_way way)
{
    if (links_awaits(slot_of(run))) {
        run = end_failing(method, run, mark, from, way);
    } else if (thread_self && thread_self->current != node_of(run) && node_of(run)) {
        uintptr_t found = find_run(run);
        run = found ? found : run;
        (void)(found && return_to(thread_self, found, probe_clock(way.clock), way));
    }
    if (way.stream && thread_self) {
        stream_check(thread_self);
    }
    if (way.stream) {
        thread_rewind_own();
    }
    return run;
}

void awaits_settle_slow(struct ring_thread *thread)
{
    while (awaits_is_current(thread)) {
        awaits_suspended(thread, probe_clock(session_way.clock), session_way);
    }
}

static void settle_before(uintptr_t context, struct probe_way way)
{
    (void)context; // of this thread, or to be discarded
    struct ring_thread *thread = thread_self;
    if (thread) {
        awaits_settle(thread);
    }
    if (way.stream && thread) {
        stream_check(thread);
    }
    if (way.stream) {
        thread_rewind_own();
    }
}

// -- The sets ---------------------------------------------------------------------------------------------------------

#define X(name, clock, stream)                                                                  \
    uintptr_t await_enter_##name(uint32_t method)                                               \
    {                                                                                           \
        return await_enter(method, (struct probe_way){clock, stream});                          \
    }                                                                                           \
    uintptr_t await_begin_##name(uint32_t await, uintptr_t run)                                 \
    {                                                                                           \
        return await_begin(await, run, PROBE_FROM, (struct probe_way){clock, stream});          \
    }                                                                                           \
    uintptr_t await_end_##name(uint32_t method, uintptr_t run, uintptr_t mark)                  \
    {                                                                                           \
        return await_end(method, run, mark, PROBE_FROM, (struct probe_way){clock, stream});     \
    }                                                                                           \
    uintptr_t await_handler_##name(uint32_t method, uintptr_t run, uintptr_t mark)              \
    {                                                                                           \
        return await_handler(method, run, mark, PROBE_FROM, (struct probe_way){clock, stream}); \
    }                                                                                           \
    bool await_leave_##name(uintptr_t run)                                                      \
    {                                                                                           \
        return await_leave(run, (struct probe_way){clock, stream});                             \
    }                                                                                           \
    void settle_##name(uintptr_t context)                                                       \
    {                                                                                           \
        settle_before(context, (struct probe_way){clock, stream});                              \
    }
PROBE_SETS(X)
#undef X
