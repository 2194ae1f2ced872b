// Runs of async bodies: paths, waits and figures, by a clock that the tests set.
#include "probing.h"

#include "agent/probe/probe_links.h"
#include "weave/operations/run_shape.h"

enum {
    A = (METHOD_FIRST_REAL + 1) | (int)RING_METHOD_RUNS,
    B = (METHOD_FIRST_REAL + 2) | (int)RING_METHOD_RUNS,
    C = (METHOD_FIRST_REAL + 3) | (int)RING_METHOD_RUNS, // its kick-off K has probes
    ITERATOR = (METHOD_FIRST_REAL + 4) | (int)RING_METHOD_RUNS,
    K = METHOD_FIRST_REAL + 5,
    PLAIN = METHOD_FIRST_REAL + 6,
    BITS = 2,
    SHAPE = BITS | RUN_SHAPE_PLAIN | RUN_SHAPE_STARTS,
    FAULTED = SHAPE | RUN_FAULTED << RUN_SHAPE_END_SHIFT,
    CANCELLED = SHAPE | RUN_CANCELLED << RUN_SHAPE_END_SHIFT,
    NEW = -1, // the state of a body that has not run
};

static const struct ring_options tree = {
    .process = 1, .clock = CLOCK_KIND_TICK, .instruments = INSTRUMENT_TREE, .nodes_max = 1 << 16};

static uint32_t number(uint32_t method)
{
    return method & RING_METHOD_NUMBER;
}

static void at(uint64_t tick)
{
    atomic_store(&probe_ring->tick_ns, tick);
}

static void define(void)
{
    assert_true(links_define(number(A), 0) && links_define(number(B), 0));
    assert_true(links_define(number(C), K) && links_define(number(ITERATOR), 0));
}

static void on_new_segment(void (*body)(void))
{
    assert_true(links_setup());
    define();
    run(&tree, body);
}

static void on_other_thread(void (*body)(void))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)body), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

// -- What a test finds ------------------------------------------------------------------------------------------------

static uint32_t path(uint32_t parent, uint32_t method)
{
    for (uint32_t i = PATH_FIRST; i < probe_ring->paths_used; i++) {
        if (ring_paths(probe_ring)[i].parent == parent && ring_paths(probe_ring)[i].method == method) {
            return i;
        }
    }
    return PATH_NONE;
}

// The only node with this number.
static uint32_t node_of(uint32_t method)
{
    uint32_t found = 0;
    for (uint32_t i = RING_NODE_BLOCK; i < probe_ring->nodes_used; i++) {
        if (node_at(i)->method == method && node_at(i)->parent) {
            assert_int_equal(found, 0);
            found = i;
        }
    }
    assert_int_not_equal(found, 0);
    return found;
}

static uint32_t resumed(uint32_t parent, uint32_t state)
{
    uint32_t found = path(parent, PATH_AWAIT | state);
    assert_int_not_equal(found, PATH_NONE);
    return RING_METHOD_RUNS | METHOD_RESUMED | found;
}

static struct ring_run *figures(uint32_t method)
{
    return run_at(node_of(method));
}

// -- A body in short --------------------------------------------------------------------------------------------------

static int32_t state_of_a, state_of_b;
static uint32_t first_free; // the first free record of the thread that ran last

static uintptr_t begin(uint32_t method, int32_t state)
{
    return probes->run_begin(method, state, SHAPE);
}

static int32_t wait_in(uint32_t state, uintptr_t activation)
{
    int32_t stored = probes->run_wait((int32_t)state, activation, SHAPE);
    assert_int_equal(stored & ((1 << BITS) - 1), state);
    assert_true(stored >= 0);
    return stored;
}

static void complete(uintptr_t activation)
{
    probes->run_complete(SHAPE, activation);
    (void)probes->run_end(activation);
}

// -- Tests ------------------------------------------------------------------------------------------------------------

static void completes_at_once(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    at(130);
    probes->run_complete(SHAPE, a);
    at(140); // between completion and end nothing runs, so that one reading of the clock serves both
    (void)probes->run_end(a);
    a = begin(A, NEW);
    at(145);
    probes->run_complete(FAULTED, a);
    (void)probes->run_end(a);
    a = begin(A, NEW);
    probes->run_complete(CANCELLED, a);
    (void)probes->run_end(a);
}

static void an_activation_that_completes_at_once_takes_no_record(void **state)
{
    (void)state;
    on_new_segment(completes_at_once);
    const struct ring_run *of = figures(A);
    assert_int_equal(node_at(node_of(A))->calls, 3);
    assert_int_equal(node_at(node_of(A))->total, 30 + 5);
    assert_int_equal(of->completed, 1);
    assert_int_equal(of->faulted, 1);
    assert_int_equal(of->cancelled, 1);
    assert_int_equal(of->latency, 30 + 5);
    assert_int_equal(of->latency_shortest, 0);
    assert_int_equal(of->latency_longest, 30);
    assert_int_equal(probe_ring->paths_used, PATH_FIRST);
    assert_int_equal(probe_ring->activations_used, RING_ACTIVATION_BLOCK);
}

// How many of the activations that ended in the node took that long.
static uint32_t latencies(uint32_t node, uint64_t ticks)
{
    uint32_t number = ring_node_histograms(probe_ring)[node];
    return ring_histograms(probe_ring)[number].counts[histogram_bucket(ticks)];
}

static void plain_methods_and_runs(void)
{
    for (uint64_t i = 0; i < 3; i++) {
        at(1000 * i + 100);
        (void)probes->enter(PLAIN);
        (void)probes->enter(K);
        uintptr_t a = begin(A, NEW);
        at(1000 * i + 106);
        complete(a);
        (void)probes->leave(K);
        at(1000 * i + 109 + i / 2);
        if (i < 2) {
            (void)probes->leave(PLAIN);
        } else {
            probes->unwind(thread_self->current);
        }
    }
    completes_at_once();
}

static void latencies_are_those_of_runs_and_of_what_nothing_has_called(void **state)
{
    (void)state;
    on_new_segment(plain_methods_and_runs);
    uint32_t plain = node_of(PLAIN), called = node_of(K);
    assert_int_equal(latencies(plain, 9), 2);
    assert_int_equal(latencies(plain, 10), 1); // an exception ended it
    assert_int_equal(ring_node_histograms(probe_ring)[called], 0);
    uint32_t below = node_at(called)->first_child, alone = node_at(plain)->next_sibling;
    alone = alone ? alone : node_at(node_at(plain)->parent)->first_child;
    assert_int_equal(latencies(below, 6), 3);
    assert_int_equal(latencies(alone, 30), 1);
    assert_int_equal(latencies(alone, 5), 1);
    assert_int_equal(latencies(alone, 0), 1);
    assert_int_equal(probe_ring->histograms_used, 1 + 3);
}

static void unwinds_a_root(void)
{
    at(5);
    (void)probes->run_begin(ITERATOR, RUN_STATE_NEW_ITERATOR, BITS | RUN_SHAPE_ITERATOR);
    probes->unwind(thread_self->current);
}

static void a_run_that_an_exception_ends_has_no_latency(void **state)
{
    (void)state;
    on_new_segment(unwinds_a_root);
    assert_int_equal(node_at(node_of(ITERATOR))->exceptions, 1);
    assert_int_equal(ring_node_histograms(probe_ring)[node_of(ITERATOR)], 0);
}

static void use_up_histograms(void)
{
    probe_ring->histograms_used = RING_HISTOGRAMS_MAX;
    completes_at_once();
}

static void without_room_for_latencies_all_else_is_counted(void **state)
{
    (void)state;
    on_new_segment(use_up_histograms);
    assert_int_equal(ring_node_histograms(probe_ring)[node_of(A)], 0);
    assert_int_equal(figures(A)->latency, 30 + 5);
}

static void waits_once(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    at(110);
    state_of_a = wait_in(3, a);
    at(115);
    (void)probes->run_end(a);
}

static void ends_a(void)
{
    at(200);
    uintptr_t a = begin(A, state_of_a);
    at(207);
    complete(a);
}

static void an_activation_continues_on_another_thread(void **state)
{
    (void)state;
    on_new_segment(waits_once);
    on_other_thread(ends_a);
    uint32_t of_a = path(PATH_ROOT, number(A));
    const struct ring_run *first = figures(A), *second = figures(resumed(of_a, 3));
    assert_int_equal(first->completed, 0);
    assert_int_equal(first->awaiting, 0);
    assert_int_equal(node_at(node_of(resumed(of_a, 3)))->calls, 1);
    assert_int_equal(second->completed, 1);
    assert_int_equal(second->latency, 107);
    assert_int_equal(second->awaiting, 90);
    assert_int_equal(second->own_awaiting, 90);
    assert_int_equal(node_at(node_of(METHOD_AFTER_WAIT))->total, 5);
    assert_int_equal(probe_ring->unlinked, 0);
}

static void waits_for_a_callee(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    probes->enter(PLAIN);
    at(110);
    uintptr_t b = begin(B, NEW);
    at(120);
    state_of_b = wait_in(0, b);
    (void)probes->run_end(b);
    at(125);
    (void)probes->leave(PLAIN);
    at(130);
    state_of_a = wait_in(1, a);
    (void)probes->run_end(a);
}

// The completion of the callee runs the caller at once, inside of the callee's run.
static void the_callee_runs_its_caller(void)
{
    at(200);
    uintptr_t b = begin(B, state_of_b);
    at(210);
    probes->run_complete(SHAPE, b);
    at(215);
    uintptr_t a = begin(A, state_of_a);
    at(220);
    complete(a);
    at(230);
    (void)probes->run_end(b);
}

static void a_caller_waits_for_what_its_callee_leaves(void **state)
{
    (void)state;
    on_new_segment(waits_for_a_callee);
    on_other_thread(the_callee_runs_its_caller);
    uint32_t of_a = path(PATH_ROOT, number(A)), of_b = path(path(of_a, PLAIN), number(B));
    const struct ring_run *a = figures(resumed(of_a, 1)), *b = figures(resumed(of_b, 0));
    assert_int_equal(b->awaiting, 80);
    assert_int_equal(b->own_awaiting, 70); // until 130 its caller ran
    assert_int_equal(a->awaiting, 85);
    assert_int_equal(a->own_awaiting, 5);
    assert_int_equal(b->latency, 100);
    assert_int_equal(a->latency, 120);
    // What A and B ran before they completed, and what each awaited by itself: A's latency.
    uint64_t ran = 30 + 10 + 5;
    assert_int_equal(ran + a->own_awaiting + b->own_awaiting, a->latency);
    uint32_t below = node_at(node_of(resumed(of_a, 1)))->parent;
    assert_int_equal(node_at(below)->method, METHOD_AFTER_END);
    assert_int_equal(node_at(below)->parent, node_of(resumed(of_b, 0)));
}

// All callees begin to wait at one tick of a coarse clock, and the outermost activation later.
static void waits_at_one_tick(void)
{
    at(100);
    uintptr_t a = begin(A, NEW), b = begin(B, NEW), inner = begin(B, NEW);
    at(120);
    state_of_a = wait_in(0, inner);
    (void)probes->run_end(inner);
    (void)wait_in(0, b);
    (void)probes->run_end(b);
    at(130);
    (void)wait_in(0, a);
    (void)probes->run_end(a);
    at(200);
    complete(begin(B, state_of_a));
}

static void a_wait_counts_from_the_newest_of_all_callers(void **state)
{
    (void)state;
    on_new_segment(waits_at_one_tick);
    uint32_t inner = path(path(path(PATH_ROOT, number(A)), number(B)), number(B));
    assert_int_equal(figures(resumed(inner, 0))->own_awaiting, 70);
}

// The record of A is used for another activation before B is complete.
static void is_left_by_its_caller(void)
{
    at(100);
    uintptr_t a = begin(A, NEW), b = begin(B, NEW);
    state_of_b = wait_in(0, b);
    (void)probes->run_end(b);
    complete(a);
    a = begin(A, NEW);
    state_of_a = wait_in(0, a);
    (void)probes->run_end(a);
    at(300);
    b = begin(B, state_of_b);
    complete(b);
    at(400);
    a = begin(A, state_of_a);
    complete(a);
}

static void a_callee_that_outlives_its_caller_changes_no_other_activation(void **state)
{
    (void)state;
    on_new_segment(is_left_by_its_caller);
    uint32_t of_a = path(PATH_ROOT, number(A));
    assert_int_equal(figures(resumed(of_a, 0))->own_awaiting, 300);
    assert_int_equal(figures(resumed(path(of_a, number(B)), 0))->own_awaiting, 200);
    assert_int_equal(probe_ring->activations_used, 2 * RING_ACTIVATION_BLOCK);
}

static void starts_by_a_woven_kickoff(void)
{
    at(100);
    uint32_t shape = BITS;
    probes->enter(K);
    at(110);
    uintptr_t c = probes->run_begin(C, NEW, shape);
    state_of_a = probes->run_wait(0, c, shape);
    (void)probes->run_end(c);
    (void)probes->leave(K);
    c = probes->run_begin(C, NEW, shape); // nothing that is known to start it
    state_of_b = probes->run_wait(0, c, shape);
    (void)probes->run_end(c);
    at(150);
    c = probes->run_begin(C, state_of_a, shape);
    probes->run_complete(shape, c);
    (void)probes->run_end(c);
}

static void an_activation_begins_at_its_kickoff_or_has_no_known_caller(void **state)
{
    (void)state;
    on_new_segment(starts_by_a_woven_kickoff);
    assert_int_equal(figures(resumed(path(PATH_ROOT, number(C)), 0))->latency, 50);
    assert_int_not_equal(path(PATH_UNKNOWN, number(C)), PATH_NONE);
    assert_int_equal(path(PATH_ROOT, K), PATH_NONE);
    assert_int_equal(probe_ring->unlinked, 1);
}

static void starts_where_another_is_completed(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    state_of_a = wait_in(0, a);
    (void)probes->run_end(a);
    a = begin(A, state_of_a);
    probes->run_complete(SHAPE, a);
    uintptr_t b = begin(B, NEW); // by what waits for A, which is not recorded
    state_of_b = wait_in(0, b);
    (void)probes->run_end(b);
    (void)probes->run_end(a);
    first_free = thread_self_private->free_activations;
}

static void what_a_completion_starts_has_no_known_caller(void **state)
{
    (void)state;
    on_new_segment(starts_where_another_is_completed);
    assert_int_not_equal(path(PATH_UNKNOWN, number(B)), PATH_NONE);
    assert_int_equal(path(path(PATH_ROOT, number(A)), number(B)), PATH_NONE);
    assert_int_equal(probe_ring->unlinked, 1);
    // Only B waits: the completed A got no second record.
    uint32_t held = RING_ACTIVATION_BLOCK;
    for (uint32_t i = 1, free = first_free; free && i <= RING_ACTIVATION_BLOCK; i++) {
        free = ring_activations(probe_ring)[free].next;
        held--;
    }
    assert_int_equal(held, 1);
}

static void handles_an_exception_of_its_wait(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    (void)wait_in(0, a);
    probes->restate(a); // the body's catch
    at(120);
    probes->run_complete(FAULTED, a);
    (void)probes->run_end(a);
}

static void an_exception_takes_the_wait_back(void **state)
{
    (void)state;
    on_new_segment(handles_an_exception_of_its_wait);
    assert_int_equal(figures(A)->faulted, 1);
    assert_int_equal(figures(A)->latency, 20);
    assert_int_equal(node_at(node_of(A))->started, 0);
}

static void runs_its_handlers_on_the_way_out(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    (void)wait_in(0, a);
    at(110);
    probes->restate(a); // a finally, which does nothing while the body waits
    at(117);
    (void)probes->run_end(a);
}

static void handlers_that_run_while_the_body_waits_end_nothing(void **state)
{
    (void)state;
    on_new_segment(runs_its_handlers_on_the_way_out);
    assert_int_equal(node_at(node_of(METHOD_AFTER_WAIT))->total, 17);
    assert_int_equal(node_at(node_of(METHOD_AFTER_WAIT))->exceptions, 0);
}

static void enumerates(void)
{
    uint32_t shape = BITS | RUN_SHAPE_PLAIN | RUN_SHAPE_ITERATOR;
    at(100);
    uintptr_t run = probes->run_begin(ITERATOR, RUN_STATE_NEW_ITERATOR, shape);
    state_of_a = probes->run_wait(1, run, shape);
    (void)probes->run_end(run);
    run = probes->run_begin(ITERATOR, state_of_a, shape);
    probes->run_complete(shape, run); // an item
    (void)probes->run_end(run);
    run = probes->run_begin(ITERATOR, RUN_STATE_NEW_ITERATOR - 1, shape); // the next one
    probes->run_complete(shape, run);
    (void)probes->run_end(run);
}

static void later_runs_of_an_iterator_are_no_enumerations(void **state)
{
    (void)state;
    on_new_segment(enumerates);
    assert_int_equal(node_at(node_of(ITERATOR))->calls, 1);
    assert_int_equal(node_at(node_of(ITERATOR | METHOD_CONTINUED))->calls, 1);
    assert_int_equal(node_at(node_of(resumed(path(PATH_ROOT, number(ITERATOR)), 1)))->calls, 1);
    assert_int_equal(probe_ring->unlinked, 0);
}

static void waits_without_room(void)
{
    atomic_store(&probe_ring->activations_used, RING_ACTIVATIONS_MAX);
    at(100);
    uintptr_t a = begin(A, NEW);
    state_of_a = wait_in(2, a);
    assert_int_equal(state_of_a, 2);
    (void)probes->run_end(a);
    atomic_store(&probe_ring->activations_used, RING_ACTIVATION_BLOCK);
    at(200);
    complete(begin(A, state_of_a));
    complete(begin(A, INT32_MAX));      // a state that no body has stored
    uintptr_t b = begin(A, state_of_a); // one more that was not linked, which waits again
    state_of_b = wait_in(1, b);
    (void)probes->run_end(b);
    complete(begin(A, state_of_b));
}

static void without_room_a_run_has_no_known_caller(void **state)
{
    (void)state;
    on_new_segment(waits_without_room);
    uint32_t unknown = path(PATH_UNKNOWN, number(A));
    assert_int_equal(node_at(node_of(resumed(unknown, 0)))->calls, 3);
    assert_int_equal(figures(resumed(unknown, 0))->completed, 2);
    assert_int_equal(figures(resumed(unknown, 0))->latency, 0); // nobody knows when they began
    assert_int_equal(figures(resumed(unknown, 1))->completed, 1);
    assert_int_equal(probe_ring->unlinked, 4);
}

static void recurses(void)
{
    enum { DEEP = 500 };
    uintptr_t runs[DEEP];
    int32_t states[DEEP];
    at(100);
    for (int i = 0; i < DEEP; i++) {
        runs[i] = begin(A, NEW);
    }
    for (int i = DEEP; i-- > 0;) {
        states[i] = wait_in(0, runs[i]);
        (void)probes->run_end(runs[i]);
    }
    at(200);
    for (int i = DEEP; i-- > 0;) {
        complete(begin(A, states[i]));
    }
}

static void each_level_of_a_recursion_has_its_own_path(void **state)
{
    (void)state;
    on_new_segment(recurses);
    uint32_t at_level = PATH_ROOT;
    for (int i = 0; i < 500; i++) {
        at_level = path(at_level, number(A));
        assert_int_not_equal(at_level, PATH_NONE);
    }
    assert_int_equal(path(at_level, number(A)), PATH_NONE);
    assert_int_equal(probe_ring->unlinked, 0);
    assert_true(probe_ring->activations_used <= RING_ACTIVATION_BLOCK + 8 * RING_ACTIVATION_BLOCK);
}

// -- Streams ----------------------------------------------------------------------------------------------------------

enum { EVENTS_MAX = 64 };

static struct {
    enum ring_event_kind kind;
    uint32_t payload; // of EXTENDED: its kind
    uint64_t words[8];
} written[EVENTS_MAX];
static uint32_t written_count;
static bool only_extended; // notes

static void note_event(const uint32_t *cells, size_t size, void *context)
{
    (void)context;
    bool extended = RING_EVENT_KIND(cells[0]) == RING_EVENT_EXTENDED;
    if (only_extended && !extended) {
        return;
    }
    assert_true(written_count < EVENTS_MAX);
    written[written_count].kind = RING_EVENT_KIND(cells[0]);
    written[written_count].payload = RING_EVENT_PAYLOAD(cells[0]) & (extended ? 0xFFu : UINT32_MAX);
    for (size_t i = 0; i < 8 && 2 * i + 2 < size; i++) {
        written[written_count].words[i] = ring_word_at(cells + 2 * i + 2);
    }
    written_count++;
}

// Runs `body` in a session with streams, and reads what its thread has written.
static void run_with_stream(void (*body)(void), uint32_t depth_max)
{
    struct ring_options streams = tree;
    streams.instruments = INSTRUMENT_CALLS;
    streams.depth_max = depth_max;
    streams.flags = SESSION_LOSSY;
    streams.chunk_quota = 100;
    assert_true(links_setup());
    define();
    run(&streams, body);
    probe_setup(0, false, false);
    written_count = 0;
    walk_stream(note_event, NULL);
}

static void expect_call(uint32_t event, enum ring_event_kind kind, uint32_t payload)
{
    assert_true(event < written_count);
    assert_int_equal(written[event].kind, kind);
    assert_int_equal(written[event].payload, payload);
}

static void expect_async(uint32_t event, enum ring_extended kind, uint64_t serial, uint64_t value)
{
    expect_call(event, RING_EVENT_EXTENDED, kind);
    assert_int_equal(written[event].words[0], serial);
    assert_int_equal(written[event].words[1], value);
}

// The beginning or the end of wait number `wait`.
static void expect_wait(uint32_t event, enum ring_extended kind, uint64_t serial, uint32_t wait, uint64_t value)
{
    expect_async(event, kind, RING_SERIAL_OF_WAIT(serial, wait), value);
}

static uint64_t serial_of(uint32_t event)
{
    return written[event].words[0] & ((UINT64_C(1) << RING_SERIAL_BITS) - 1);
}

static void waits_and_ends_twice(void)
{
    waits_once();
    ends_a();
    waits_once(); // in the slot of the one before
    ends_a();
    completes_at_once();
}

static void a_stream_tells_of_waits_and_runs(void **state)
{
    (void)state;
    enum { EACH = 7 };
    run_with_stream(waits_and_ends_twice, 0);
    for (uint32_t i = 0; i < 2 * EACH; i += EACH) {
        uint64_t serial = serial_of(i + 1);
        assert_int_not_equal(serial, 0);
        expect_call(i, RING_EVENT_ENTER, number(A));
        expect_wait(i + 1, RING_EXTENDED_SUSPEND, serial, 1, 3);
        expect_call(i + 2, RING_EVENT_LEAVE, 0);
        expect_call(i + 3, RING_EVENT_ENTER, number(A));
        expect_wait(i + 4, RING_EXTENDED_RESUME, serial, 1, 90);
        expect_async(i + 5, RING_EXTENDED_COMPLETE, serial, RUN_COMPLETED);
        expect_call(i + 6, RING_EVENT_LEAVE, 0);
    }
    assert_int_not_equal(serial_of(1), serial_of(EACH + 1));
    assert_int_equal(written_count, 2 * EACH + 2 + 3 + 3); // nothing of the one that completes at once with a result
    expect_call(2 * EACH, RING_EVENT_ENTER, number(A));
    expect_call(2 * EACH + 1, RING_EVENT_LEAVE, 0);
}

static void waits_three_times(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    for (uint32_t i = 0; i < 3; i++) {
        state_of_a = wait_in(2, a);
        (void)probes->run_end(a);
        a = begin(A, state_of_a);
    }
    complete(a);
}

static void a_stream_numbers_the_waits_of_an_activation(void **state)
{
    (void)state;
    only_extended = true;
    run_with_stream(waits_three_times, 0);
    only_extended = false;
    assert_int_equal(written_count, 7);
    for (uint32_t i = 0; i < 3; i++) {
        expect_wait(2 * i, RING_EXTENDED_SUSPEND, serial_of(0), 1 + i, 2);
        expect_wait(2 * i + 1, RING_EXTENDED_RESUME, serial_of(0), 1 + i, 0);
    }
}

static void ends_at_once(void)
{
    const uint32_t shapes[] = {FAULTED, SHAPE, CANCELLED};
    at(100);
    for (uint32_t i = 0; i < 3; i++) {
        uintptr_t a = begin(A, NEW);
        probes->run_complete(shapes[i], a);
        (void)probes->run_end(a);
    }
}

static void a_stream_says_how_activations_end_that_give_no_result(void **state)
{
    (void)state;
    run_with_stream(ends_at_once, 0);
    assert_int_equal(written_count, 3 * 2 + 2);
    expect_async(1, RING_EXTENDED_COMPLETE, 0, RUN_FAULTED);
    expect_async(6, RING_EXTENDED_COMPLETE, 0, RUN_CANCELLED);
    expect_call(7, RING_EVENT_LEAVE, 0);
}

static void a_stream_says_which_runs_continue_an_enumeration(void **state)
{
    (void)state;
    only_extended = true;
    run_with_stream(enumerates, 0);
    only_extended = false;
    assert_int_equal(written_count, 4);
    expect_wait(1, RING_EXTENDED_RESUME, serial_of(0), 1, 0);
    expect_async(2, RING_EXTENDED_COMPLETE, serial_of(0), RUN_COMPLETED);
    expect_async(3, RING_EXTENDED_RESUME, 0, RESUME_CONTINUES);
}

static void waits_below_the_depth_limit(void)
{
    at(100);
    probes->enter(PLAIN);
    waits_once();
    ends_a();
    (void)probes->leave(PLAIN);
    waits_once();
}

static void a_run_that_is_not_in_the_stream_has_no_events_there(void **state)
{
    (void)state;
    run_with_stream(waits_below_the_depth_limit, 1);
    assert_int_equal(written_count, 5);
    expect_call(1, RING_EVENT_LEAVE, 0);
    expect_call(2, RING_EVENT_ENTER, number(A));
    expect_call(3, RING_EVENT_EXTENDED, RING_EXTENDED_SUSPEND);
}

static void a_stream_says_which_links_are_not_known(void **state)
{
    (void)state;
    run_with_stream(waits_without_room, 0);
    expect_async(1, RING_EXTENDED_SUSPEND, 0, 2);
    expect_async(4, RING_EXTENDED_RESUME, 0, 0);
}

// The context for the events of each run: the slot of its own thread, unless the run is not in the stream.
static void gets_contexts(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    assert_int_equal(probes->run_context(A), (uintptr_t)thread_self);
    uintptr_t b = begin(B, NEW);
    assert_true(thread_is_discard((struct ring_thread *)probes->run_context(B)));
    state_of_b = wait_in(0, b);
    (void)probes->run_end(b);
    state_of_a = wait_in(0, a);
    (void)probes->run_end(a);
    a = begin(A, state_of_a);
    assert_int_equal(probes->run_context(A), (uintptr_t)thread_self);
    complete(a);
}

static void gets_another_context(void)
{
    uintptr_t b = begin(B, state_of_b);
    assert_int_equal(probes->run_context(B), (uintptr_t)thread_self);
    complete(b);
}

static void each_run_gets_the_context_of_its_thread(void **state)
{
    (void)state;
    run_with_stream(gets_contexts, 1);
    probe_setup(1, true, false);
    on_other_thread(gets_another_context);
    probe_setup(0, false, false);
}

// Calls a method until events are lost, then makes room.
static void lose_events(void)
{
    uint64_t lost = atomic_load(&thread_self->lost);
    probe_ring->chunk_quota = 0;
    while (atomic_load(&thread_self->lost) == lost) {
        (void)probes->enter(PLAIN);
        (void)probes->leave(PLAIN);
    }
    probe_ring->chunk_quota = 100;
    (void)probes->enter(PLAIN); // reports the loss
    (void)probes->leave(PLAIN);
}

static void loses_events_in_runs(void)
{
    at(100);
    uintptr_t b = begin(B, NEW), a = begin(A, NEW);
    state_of_a = wait_in(1, a);
    (void)probes->run_end(a);
    a = begin(A, state_of_a);
    lose_events();
    complete(a);
    (void)wait_in(2, b);
    lose_events();
    (void)probes->run_end(b);
}

static void after_losses_a_stream_tells_which_runs_go_on(void **state)
{
    (void)state;
    only_extended = true;
    run_with_stream(loses_events_in_runs, 0);
    only_extended = false;
    uint64_t serial = serial_of(0), outer = serial_of(7);
    assert_int_equal(written_count, 10);
    expect_wait(0, RING_EXTENDED_SUSPEND, serial, 1, 1);
    expect_wait(1, RING_EXTENDED_RESUME, serial, 1, 0);
    expect_call(2, RING_EVENT_EXTENDED, RING_EXTENDED_LOST);
    expect_async(3, RING_EXTENDED_STACK, 3, number(B));
    expect_async(4, RING_EXTENDED_RUN, serial, 2);
    expect_async(5, RING_EXTENDED_RUN, outer, 1);
    expect_async(6, RING_EXTENDED_COMPLETE, serial, RUN_COMPLETED);
    expect_wait(7, RING_EXTENDED_SUSPEND, outer, 1, 2);
    expect_call(8, RING_EVENT_EXTENDED, RING_EXTENDED_LOST);
    expect_async(9, RING_EXTENDED_STACK, 2, number(B)); // its run goes on, but it waits
}

// -- Many threads -----------------------------------------------------------------------------------------------------

enum { THREADS = 4, ROUNDS = 20000, BATCH = 50 };

// Activations wait on one thread and end on the next.
static _Atomic int32_t mailbox[THREADS][BATCH];
static pthread_barrier_t barrier;

static void *passes_on(void *number_of_thread)
{
    size_t own = (size_t)(uintptr_t)number_of_thread, next = (own + 1) % THREADS;
    for (int round = 0; round < ROUNDS / BATCH; round++) {
        for (int i = 0; i < BATCH; i++) {
            uintptr_t a = begin(A, NEW), b = begin(B, NEW);
            atomic_store(&mailbox[next][i], wait_in(0, b));
            (void)probes->run_end(b);
            complete(a);
        }
        (void)pthread_barrier_wait(&barrier);
        for (int i = 0; i < BATCH; i++) {
            complete(begin(B, atomic_load(&mailbox[own][i])));
        }
        (void)pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void threads_share_paths_and_records(void **state)
{
    (void)state;
    assert_true(links_setup());
    define();
    open_segment(&tree);
    at(100);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, passes_on, (void *)(uintptr_t)i), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    uint64_t ended = 0;
    for (uint32_t i = RING_NODE_BLOCK; i < probe_ring->nodes_used; i++) {
        bool second = node_at(i)->method & METHOD_RESUMED && node_at(i)->method < RING_METHOD_NOT_IN_TREE;
        ended += second ? run_at(i)->completed : 0;
    }
    assert_int_equal(ended, THREADS * ROUNDS);
    assert_int_equal(probe_ring->unlinked, 0);
    // Two records each for at most a batch on each thread, and what threads keep.
    assert_true(probe_ring->activations_used <= THREADS * (2 * BATCH + 4 * RING_ACTIVATION_BLOCK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_activation_that_completes_at_once_takes_no_record),
        cmocka_unit_test(latencies_are_those_of_runs_and_of_what_nothing_has_called),
        cmocka_unit_test(a_run_that_an_exception_ends_has_no_latency),
        cmocka_unit_test(without_room_for_latencies_all_else_is_counted),
        cmocka_unit_test(an_activation_continues_on_another_thread),
        cmocka_unit_test(a_caller_waits_for_what_its_callee_leaves),
        cmocka_unit_test(a_wait_counts_from_the_newest_of_all_callers),
        cmocka_unit_test(a_callee_that_outlives_its_caller_changes_no_other_activation),
        cmocka_unit_test(an_activation_begins_at_its_kickoff_or_has_no_known_caller),
        cmocka_unit_test(what_a_completion_starts_has_no_known_caller),
        cmocka_unit_test(an_exception_takes_the_wait_back),
        cmocka_unit_test(handlers_that_run_while_the_body_waits_end_nothing),
        cmocka_unit_test(later_runs_of_an_iterator_are_no_enumerations),
        cmocka_unit_test(without_room_a_run_has_no_known_caller),
        cmocka_unit_test(each_level_of_a_recursion_has_its_own_path),
        cmocka_unit_test(a_stream_tells_of_waits_and_runs),
        cmocka_unit_test(a_run_that_is_not_in_the_stream_has_no_events_there),
        cmocka_unit_test(a_stream_numbers_the_waits_of_an_activation),
        cmocka_unit_test(a_stream_says_how_activations_end_that_give_no_result),
        cmocka_unit_test(a_stream_says_which_runs_continue_an_enumeration),
        cmocka_unit_test(a_stream_says_which_links_are_not_known),
        cmocka_unit_test(each_run_gets_the_context_of_its_thread),
        cmocka_unit_test(after_losses_a_stream_tells_which_runs_go_on),
        cmocka_unit_test(threads_share_paths_and_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
