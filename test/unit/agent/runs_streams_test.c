// What the agent writes of runs of async bodies: how long activations took, and events in streams.
#include "async_runs.h"

// -- Latencies --------------------------------------------------------------------------------------------------------

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_those_of_runs_and_of_what_nothing_has_called),
        cmocka_unit_test(a_run_that_an_exception_ends_has_no_latency),
        cmocka_unit_test(without_room_for_latencies_all_else_is_counted),
        cmocka_unit_test(a_stream_tells_of_waits_and_runs),
        cmocka_unit_test(a_run_that_is_not_in_the_stream_has_no_events_there),
        cmocka_unit_test(a_stream_numbers_the_waits_of_an_activation),
        cmocka_unit_test(a_stream_says_how_activations_end_that_give_no_result),
        cmocka_unit_test(a_stream_says_which_runs_continue_an_enumeration),
        cmocka_unit_test(a_stream_says_which_links_are_not_known),
        cmocka_unit_test(each_run_gets_the_context_of_its_thread),
        cmocka_unit_test(after_losses_a_stream_tells_which_runs_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
