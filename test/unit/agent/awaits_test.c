// Methods of runtime async: a thread learns by its next event that one was suspended, and another thread goes on with it.
#include "async_runs.h"

#include "agent/probe/probe_awaits.h"
#include "agent/probe/probe_frames.h"

#define WITH_FRAME \
    __attribute__((noinline, aligned(512), optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

enum { AWAIT = 0, CODE_MAX = 512 }; // bytes of the code of each function with a frame

static uintptr_t run_of_a; // as woven code keeps it

static void on_segment(void (*body)(void))
{
    assert_true(links_setup() && frames_setup());
    assert_true(links_define_suspended(A) && links_define_suspended(B));
    run(&tree, body);
}

WITH_FRAME static void calls_plain(void)
{
    probes->enter(PLAIN);
    probes->leave(PLAIN);
}

// -- Suspended --------------------------------------------------------------------------------------------------------

static void is_suspended(void)
{
    at(100);
    run_of_a = probes->await_enter(A);
    at(110);
    assert_int_not_equal(probes->await_begin(AWAIT, run_of_a), 0);
    at(150);
    calls_plain(); // by other code, since no frame of A is there
}

static void goes_on(void)
{
    at(200);
    uintptr_t again = probes->await_end(A, run_of_a, 0);
    at(207);
    (void)probes->await_leave(again);
}

static void the_next_event_of_its_thread_ends_the_run(void **state)
{
    (void)state;
    on_segment(is_suspended);
    assert_int_equal(node_at(node_of(A))->calls, 1);
    assert_int_equal(node_at(node_of(A))->total, 10); // it was suspended in its await, not where that is found
    assert_int_equal(node_at(node_of(A))->started, 0);
    assert_int_equal(node_at(node_of(PLAIN))->parent, ring_threads(probe_ring)[0].root);
}

static void another_thread_goes_on_with_it(void **state)
{
    (void)state;
    on_segment(is_suspended);
    on_other_thread(goes_on);
    const struct ring_run *second = figures(resumed(path(PATH_ROOT, number(A)), AWAIT));
    assert_int_equal(second->awaiting, 90);
    assert_int_equal(second->own_awaiting, 90);
    assert_int_equal(second->completed, 1);
    assert_int_equal(second->latency, 107);
    assert_int_equal(probe_ring->unlinked, 0);
}

static void is_suspended_and_idle(void)
{
    at(100);
    run_of_a = probes->await_enter(A);
    calls_plain();
    at(110);
    (void)probes->await_begin(AWAIT, run_of_a);
}

// What the thread that it has left does not say, the other one takes from there.
static void a_thread_without_events_is_asked(void **state)
{
    (void)state;
    on_segment(is_suspended_and_idle);
    on_other_thread(goes_on);
    assert_int_equal(figures(resumed(path(PATH_ROOT, number(A)), AWAIT))->awaiting, 90);
    assert_int_not_equal(node_at(node_of(A))->started, 0); // until the collector ends it
}

// -- Not suspended ----------------------------------------------------------------------------------------------------

static void (*called)(void); // in an await

WITH_FRAME static void calls_from_an_await(void)
{
    at(100);
    run_of_a = probes->await_enter(A);
    uintptr_t mark = probes->await_begin(AWAIT, run_of_a);
    called();
    run_of_a = probes->await_end(A, run_of_a, mark);
    calls_plain();
    at(130);
    (void)probes->await_leave(run_of_a);
}

static void has_a_frame(void)
{
    frames_add_code(number(A), (uintptr_t)calls_from_an_await, CODE_MAX);
    calls_from_an_await();
}

static void expect_one_call_in_the_await(void)
{
    on_segment(has_a_frame);
    uint32_t a = node_of(A), place = node_of(METHOD_AWAITING), below = 0, beside = 0;
    for (uint32_t i = RING_NODE_BLOCK; i < probe_ring->nodes_used; i++) {
        below += node_at(i)->method == PLAIN && node_at(i)->parent == place;
        beside += node_at(i)->method == PLAIN && node_at(i)->parent == a;
    }
    assert_int_equal(node_at(place)->parent, a);
    assert_int_equal(node_at(place)->calls, 0);
    assert_int_equal(below, 1);
    assert_int_equal(beside, 1);
    assert_int_equal(node_at(a)->total, 30);
    assert_int_equal(figures(A)->completed, 1);
    assert_int_equal(figures(A)->latency, 30);
}

static void what_its_await_calls_is_its_callee(void **state)
{
    (void)state;
    called = calls_plain;
    expect_one_call_in_the_await();
}

// The runtime stops the thread when the method returns, for a collection.
WITH_FRAME static void is_to_be_stopped(void)
{
    static const uint8_t runtime[16];
    uintptr_t *volatile frame = __builtin_frame_address(0), to = frame[1];
    frames_set_runtime((struct frame_code){(uintptr_t)runtime, sizeof runtime});
    frame[1] = (uintptr_t)runtime;
    calls_plain();
    frame[1] = to;
}

static void a_callee_is_known_while_the_runtime_is_to_stop_its_thread(void **state)
{
    (void)state;
    called = is_to_be_stopped;
    expect_one_call_in_the_await();
}

WITH_FRAME static void comes_to_an_await(void)
{
    run_of_a = probes->await_enter(A);
    (void)probes->await_begin(AWAIT, run_of_a);
    __asm__ volatile("");
}

WITH_FRAME static void is_called_in_its_place(void)
{
    is_to_be_stopped();
    __asm__ volatile("");
}

// Both have their frames at the same address.
static void calls_both(void)
{
    frames_add_code(number(A), (uintptr_t)comes_to_an_await, CODE_MAX);
    at(100);
    comes_to_an_await();
    is_called_in_its_place();
    __asm__ volatile("");
}

static void what_is_called_elsewhere_is_no_callee_of_a_suspended_method(void **state)
{
    (void)state;
    on_segment(calls_both);
    assert_int_equal(node_at(node_of(PLAIN))->parent, ring_threads(probe_ring)[0].root);
}

// Unoptimised code calls the probes through a stub.
WITH_FRAME static uintptr_t enters_by_a_stub(void)
{
    uintptr_t entered = probes->await_enter(A);
    __asm__ volatile(""); // no tail call: its frame stays
    return entered;
}

WITH_FRAME static void calls_another_a(void)
{
    run_of_a = enters_by_a_stub();
    (void)probes->await_begin(AWAIT, run_of_a);
    __asm__ volatile("");
}

// Both have their frames at the same address.
static void calls_a_twice(void)
{
    frames_add_code(number(A), (uintptr_t)calls_another_a, CODE_MAX);
    at(100);
    calls_another_a();
    calls_another_a();
    __asm__ volatile("");
}

static void a_suspended_method_does_not_call_the_next_one_in_its_place(void **state)
{
    (void)state;
    on_segment(calls_a_twice);
    assert_int_equal(node_at(node_of(A))->calls, 2);
    assert_int_equal(node_at(node_of(A))->parent, ring_threads(probe_ring)[0].root);
}

// -- Callers that run on ----------------------------------------------------------------------------------------------

static uintptr_t run_of_b;

// A awaits what PLAIN returns, which calls B and runs on when that is suspended.
WITH_FRAME static void awaits_what_runs_on(void)
{
    at(100);
    run_of_a = probes->await_enter(A);
    (void)probes->await_begin(AWAIT, run_of_a);
    probes->enter(PLAIN);
    run_of_b = probes->await_enter(B);
    at(110);
    (void)probes->await_begin(AWAIT, run_of_b);
    at(150);
    probes->leave(PLAIN);
}

static void runs_on(void)
{
    frames_add_code(number(A), (uintptr_t)awaits_what_runs_on, CODE_MAX);
    awaits_what_runs_on();
}

static void b_goes_on(void)
{
    at(200);
    (void)probes->await_leave(probes->await_end(B, run_of_b, 0));
}

// While its caller ran, B did not await by itself. Nothing says when A was suspended but the last exit on its thread.
static void what_awaits_alone_begins_when_its_caller_is_suspended(void **state)
{
    (void)state;
    on_segment(runs_on);
    on_other_thread(b_goes_on);
    uint32_t of_b = PATH_FIRST;
    while (of_b < probe_ring->paths_used && ring_paths(probe_ring)[of_b].method != number(B)) {
        of_b++;
    }
    assert_int_equal(figures(resumed(of_b, AWAIT))->awaiting, 90);
    assert_int_equal(figures(resumed(of_b, AWAIT))->own_awaiting, 50);
}

// -- Failed -----------------------------------------------------------------------------------------------------------

// A awaits B, which is suspended.
WITH_FRAME static void awaits_b(void)
{
    at(100);
    run_of_a = probes->await_enter(A);
    (void)probes->await_begin(AWAIT, run_of_a);
}

WITH_FRAME static void calls_b(void)
{
    run_of_b = probes->await_enter(B);
    at(110);
    (void)probes->await_begin(AWAIT, run_of_b);
}

static void both_are_suspended(void)
{
    awaits_b();
    calls_b();
}

static void b_fails(void)
{
    at(200);
    uintptr_t again = probes->await_end(B, run_of_b, 0);
    probes->unwind((uint32_t)again);
}

// By another call than its own it may be awaited or not.
static void one_that_may_not_be_awaited_fails_alone(void **state)
{
    (void)state;
    on_segment(both_are_suspended);
    on_other_thread(b_fails);
    uint32_t of_b = path(PATH_ROOT, number(B));
    assert_int_equal(figures(resumed(of_b, AWAIT))->faulted, 1);
    assert_int_equal(path(path(PATH_ROOT, number(A)), PATH_AWAIT | AWAIT), PATH_NONE); // A did not go on
}

// -- Enclosed ---------------------------------------------------------------------------------------------------------
// With --exact-ends each method has a handler, which runs before the runtime says that the frame is left.

static void a_fails(void)
{
    uint32_t begun = awaits_resume_failed(A);
    at(220);
    uintptr_t again = probes->await_handler(A, run_of_a, 0);
    assert_true(!begun || begun == (uint32_t)again);
    at(230);
    probes->unwind((uint32_t)again);
}

static void expect_failed_once(void)
{
    uint32_t of_a = resumed(path(PATH_ROOT, number(A)), AWAIT);
    assert_int_equal(figures(of_a)->faulted, 1);
    assert_int_equal(figures(of_a)->completed, 0);
    assert_int_equal(figures(of_a)->latency, 130);
    assert_int_equal(node_at(node_of(of_a))->calls, 1);
    assert_int_equal(node_at(node_of(of_a))->exceptions, 1);
    assert_int_equal(node_at(node_of(of_a))->started, 0);
}

static void a_method_fails_after_a_task_that_failed(void **state)
{
    (void)state;
    on_segment(is_suspended);
    on_other_thread(a_fails);
    expect_failed_once();
}

WITH_FRAME static void awaits_b_itself(void)
{
    at(100);
    run_of_a = probes->await_enter(A);
    (void)probes->await_begin(AWAIT | RUN_AWAIT_TRIED, run_of_a);
    calls_b();
}

static void both_have_frames(void)
{
    frames_add_code(number(A), (uintptr_t)awaits_b_itself, CODE_MAX);
    frames_add_code(number(B), (uintptr_t)calls_b, CODE_MAX);
    awaits_b_itself();
}

static void b_fails_and_then_a(void)
{
    b_fails();
    a_fails();
}

static void a_method_fails_after_its_callee(void **state)
{
    (void)state;
    on_segment(both_have_frames);
    on_other_thread(b_fails_and_then_a);
    uint32_t of_b = path(path(PATH_ROOT, number(A)), number(B));
    assert_int_equal(figures(resumed(of_b, AWAIT))->faulted, 1);
    expect_failed_once();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_event_of_its_thread_ends_the_run),
        cmocka_unit_test(another_thread_goes_on_with_it),
        cmocka_unit_test(a_thread_without_events_is_asked),
        cmocka_unit_test(what_its_await_calls_is_its_callee),
        cmocka_unit_test(a_callee_is_known_while_the_runtime_is_to_stop_its_thread),
        cmocka_unit_test(what_is_called_elsewhere_is_no_callee_of_a_suspended_method),
        cmocka_unit_test(a_suspended_method_does_not_call_the_next_one_in_its_place),
        cmocka_unit_test(what_awaits_alone_begins_when_its_caller_is_suspended),
        cmocka_unit_test(one_that_may_not_be_awaited_fails_alone),
        cmocka_unit_test(a_method_fails_after_a_task_that_failed),
        cmocka_unit_test(a_method_fails_after_its_callee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
