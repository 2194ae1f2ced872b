// Links between runs of async bodies and their callers: paths, records of activations that wait, and figures.
#include "async_runs.h"

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

// The runtime compiles what stores the result or the exception.
static void completes_with_new_code(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    uint32_t jit = probes->compiles(METHOD_JIT);
    at(130);
    probes->compiled(jit);
    probes->run_complete(FAULTED, a);
    assert_int_equal(probes->compiles(METHOD_JIT), 0);
    at(150);
    (void)probes->run_end(a);
}

static void what_is_compiled_after_the_completion_is_not_below_the_run(void **state)
{
    (void)state;
    on_new_segment(completes_with_new_code);
    assert_int_equal(node_at(node_of(A))->total, 30);
    assert_int_equal(node_at(node_of(METHOD_JIT | RING_METHOD_NOT_IN_CALLS))->total, 30);
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

static uint32_t first_free; // the first free record of the thread that ran last

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

static void later_runs_of_an_iterator_are_no_enumerations(void **state)
{
    (void)state;
    on_new_segment(enumerates);
    assert_int_equal(node_at(node_of(ITERATOR))->calls, 1);
    assert_int_equal(node_at(node_of(ITERATOR | METHOD_CONTINUED))->calls, 1);
    assert_int_equal(node_at(node_of(resumed(path(PATH_ROOT, number(ITERATOR)), 1)))->calls, 1);
    assert_int_equal(probe_ring->unlinked, 0);
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
        cmocka_unit_test(what_is_compiled_after_the_completion_is_not_below_the_run),
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
        cmocka_unit_test(threads_share_paths_and_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
