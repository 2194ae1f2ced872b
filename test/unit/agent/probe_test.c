// The probes on a segment of their own, without a runtime: trees, streams, exceptions, filters, the cap of nodes,
// losses. Each test runs in a thread of its own, so that it begins with a fresh slot.
#include "agent/probe/probe_suspending.h"
#include "trace/instrument.h"
#include "unit/agent/probing.h"

enum { MAIN = 16, A = 17, B = 18, C = 19, D = 20 };

static const struct ring_node *root(void)
{
    return node_at(ring_threads(probe_ring)[0].root);
}

static const struct ring_node *child(const struct ring_node *parent, uint32_t method)
{
    uint32_t at = parent->first_child;
    while (at && node_at(at)->method != method) {
        at = node_at(at)->next_sibling;
    }
    assert_int_not_equal(at, 0);
    return node_at(at);
}

static const struct ring_options tree = {.clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_TREE};
static const struct ring_options untimed = {.clock = CLOCK_KIND_NONE, .instruments = INSTRUMENT_TREE};
static const struct ring_options calls = {.clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_CALLS};

// -- Trees ------------------------------------------------------------------------------------------------------------

static void nested_calls(void)
{
    probes->enter(MAIN);
    for (int i = 0; i < 3; i++) {
        probes->enter(A);
        probes->enter(B);
        probes->leave(B);
        probes->leave(A);
        probes->enter(B);
        probes->leave(B);
    }
    probes->leave(MAIN);
}

static void test_paths_are_counted_apart(void **state)
{
    (void)state;
    run(&tree, nested_calls);
    const struct ring_node *main_node = child(root(), MAIN);
    assert_int_equal(main_node->calls, 1);
    assert_int_equal(main_node->started, 0);
    assert_int_equal(child(main_node, A)->calls, 3);
    assert_int_equal(child(child(main_node, A), B)->calls, 3);
    assert_int_equal(child(main_node, B)->calls, 3);
    assert_int_equal(ring_threads(probe_ring)[0].current, ring_threads(probe_ring)[0].root);
}

static void test_times_nest(void **state)
{
    (void)state;
    run(&tree, nested_calls);
    const struct ring_node *main_node = child(root(), MAIN), *a = child(main_node, A);
    assert_true(main_node->total >= a->total + child(main_node, B)->total);
    assert_true(a->total >= child(a, B)->total);
    assert_true(a->shortest <= a->longest && a->longest <= a->total);
    assert_int_equal(main_node->shortest, main_node->total);
}

static void recursion(void)
{
    for (int i = 0; i < 100000; i++) {
        probes->enter(A);
    }
    for (int i = 0; i < 100000; i++) {
        probes->leave(A);
    }
}

static void test_recursion_goes_as_deep_as_it_must(void **state)
{
    (void)state;
    run(&untimed, recursion);
    const struct ring_node *node = root();
    for (int i = 0; i < 100000; i++) {
        node = child(node, A);
        assert_int_equal(node->calls, 1);
    }
    assert_int_equal(node->first_child, 0);
}

static void many_children(void)
{
    probes->enter(MAIN);
    for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t method = 100; method < 3100; method++) {
            probes->enter(method);
            probes->leave(method);
        }
    }
    probes->leave(MAIN);
}

static void test_many_children_are_kept_apart(void **state)
{
    (void)state;
    run(&untimed, many_children);
    const struct ring_node *main_node = child(root(), MAIN);
    for (uint32_t method = 100; method < 3100; method++) {
        assert_int_equal(child(main_node, method)->calls, 5);
    }
}

static void open_at_the_end(void)
{
    probes->enter(MAIN);
    probes->enter(A);
}

static void test_running_activations_are_marked(void **state)
{
    (void)state;
    run(&tree, open_at_the_end);
    assert_int_not_equal(child(root(), MAIN)->started, 0);
    assert_int_not_equal(child(child(root(), MAIN), A)->started, 0);
    assert_int_equal(child(child(root(), MAIN), A)->total, 0);
}

// -- Compilations -----------------------------------------------------------------------------------------------------

static void compilations(void)
{
    assert_int_equal(probes->compiles(METHOD_JIT), 0); // no recorded method runs
    probes->enter(MAIN);
    uint32_t jit = probes->compiles(METHOD_JIT);
    assert_int_not_equal(jit, 0);
    probes->enter(A); // code that runs during the compilation
    uint32_t nested = probes->compiles(METHOD_JIT_PRECOMPILED);
    probes->compiled(nested);
    probes->leave(A);
    probes->compiled(jit);
    probes->compiled(jit);               // has ended
    (void)probes->compiles(METHOD_CLEW); // abandoned by the runtime
    probes->leave(MAIN);
}

static void test_compilations_are_below_the_method_that_runs(void **state)
{
    (void)state;
    run(&tree, compilations);
    const struct ring_node *main_node = child(root(), MAIN);
    const struct ring_node *jit = child(main_node, METHOD_JIT | RING_METHOD_NOT_IN_CALLS);
    assert_int_equal(jit->calls, 1);
    assert_int_equal(child(jit, A)->calls, 1);
    assert_int_equal(child(child(jit, A), METHOD_JIT_PRECOMPILED | RING_METHOD_NOT_IN_CALLS)->calls, 1);
    assert_true(main_node->total >= jit->total && jit->total >= child(jit, A)->total);
    assert_int_equal(child(main_node, METHOD_CLEW | RING_METHOD_NOT_IN_CALLS)->started, 0);
    assert_int_equal(ring_threads(probe_ring)[0].current, ring_threads(probe_ring)[0].root);
}

// -- Exceptions -------------------------------------------------------------------------------------------------------

static void thrown_through(void)
{
    probes->enter(MAIN);
    uintptr_t catcher = probes->enter_keep(A);
    probes->enter(B);
    probes->enter(C); // inlined into B: no callback of its own
    probes->unwind(probe_newest(B));
    probes->restate(catcher);
    probes->enter(D);
    probes->leave(D);
    probes->leave(A);
    probes->leave(MAIN);
}

static void test_unwinding_ends_what_lies_above(void **state)
{
    (void)state;
    run(&tree, thrown_through);
    const struct ring_node *a = child(child(root(), MAIN), A);
    assert_int_equal(a->exceptions, 0);
    assert_int_equal(child(a, B)->exceptions, 1);
    assert_int_equal(child(child(a, B), C)->exceptions, 1);
    assert_int_equal(child(a, D)->calls, 1);
    assert_int_equal(child(root(), MAIN)->started, 0);
}

static void lost_exit(void)
{
    probes->enter(MAIN);
    probes->enter(A);
    probes->enter(B);
    probes->leave(A); // B's exit was not seen
    probes->leave(C); // an exit without an entry
    probes->leave(MAIN);
}

static void test_an_unmatched_exit_is_corrected(void **state)
{
    (void)state;
    run(&tree, lost_exit);
    const struct ring_node *main_node = child(root(), MAIN);
    assert_int_equal(main_node->started, 0);
    assert_int_equal(child(main_node, A)->started, 0);
    assert_int_equal(child(child(main_node, A), B)->started, 0);
    assert_int_equal(ring_threads(probe_ring)[0].current, ring_threads(probe_ring)[0].root);
}

static void filter_runs(void)
{
    probes->enter(MAIN);
    probes->enter(A); // has the filter
    probes->enter(B); // throws
    probes->filter(probe_newest(A));
    probes->enter(B); // the filter calls what is running already
    probes->leave(B);
    probes->enter(C); // and a method that throws inside the filter
    probes->filter_end();
    probes->unwind(probe_newest(B));
    probes->leave(A);
    probes->leave(MAIN);
}

static void test_a_filter_runs_below_its_owner(void **state)
{
    (void)state;
    run(&tree, filter_runs);
    const struct ring_node *a = child(child(root(), MAIN), A), *filter = child(a, METHOD_FILTER);
    assert_int_equal(filter->calls, 1);
    assert_int_equal(child(filter, B)->calls, 1);
    assert_int_equal(child(filter, C)->exceptions, 1);
    assert_int_equal(child(a, B)->calls, 1);
    assert_int_equal(child(a, B)->exceptions, 1);
    assert_int_equal(filter->started, 0);
    // B waited while the filter ran: the filter's time is not B's.
    assert_true(child(a, B)->total + filter->total <= a->total);
}

static void hooks_without_leaves(void)
{
    uintptr_t stack = 0x7fff00000000;
    probes->hook_enter(MAIN, stack);
    probes->hook_enter(A, stack - 64);
    probes->hook_enter(B, stack - 128);
    probes->hook_enter(C, stack - 64); // A and B have ended: their stack is used again
    probes->hook_leave(C, stack - 64);
    probes->hook_leave(MAIN, stack);
}

static void test_hooks_heal_by_the_stack_pointer(void **state)
{
    (void)state;
    run(&tree, hooks_without_leaves);
    const struct ring_node *main_node = child(root(), MAIN);
    assert_int_equal(child(main_node, C)->calls, 1);
    assert_int_equal(child(main_node, A)->exceptions, 1);
    assert_int_equal(child(child(main_node, A), B)->exceptions, 1);
    assert_int_equal(main_node->started, 0);
}

// A method that the JIT suspends has left its stack without an exception; others cannot have done so.
static void hooks_of_suspended_methods(void)
{
    uintptr_t stack = 0x7fff00000000;
    probe_note_suspending(A);
    probe_note_suspending(C);
    probes->hook_enter(MAIN, stack);
    probes->hook_enter(A, stack - 64);
    probes->hook_enter(B, stack - 128);
    probes->hook_enter(C, stack - 192);
    probes->hook_enter(C, stack - 64); // all but MAIN have ended: their stack is used again
    probes->unwind(probe_newest(C));   // this one by an exception
    probes->hook_leave(MAIN, stack);
}

static void test_a_suspended_method_has_not_thrown(void **state)
{
    (void)state;
    run(&tree, hooks_of_suspended_methods);
    const struct ring_node *main_node = child(root(), MAIN), *a = child(main_node, A);
    assert_int_equal(a->exceptions, 0);
    assert_int_equal(a->started, 0);
    assert_int_equal(child(a, B)->exceptions, 1);
    assert_int_equal(child(child(a, B), C)->exceptions, 0);
    assert_int_equal(child(main_node, C)->exceptions, 1);
}

static void a_leave_of_what_has_ended(void)
{
    uintptr_t stack = 0x7fff00000000;
    probes->hook_enter(MAIN, stack);
    probes->hook_enter(A, stack - 64);
    probes->hook_enter(B, stack - 128);
    probes->hook_enter(C, stack - 192);
    probes->hook_enter(A, stack - 256);
    probes->unwind(probe_newest(C)); // caught by that A, in the runtime's own code: it continues and returns
    probes->hook_leave(A, stack - 256);
    probes->hook_enter(C, stack - 192);
    probes->hook_leave(C, stack - 192);
    probes->hook_leave(B, stack - 128);
    probes->hook_leave(A, stack - 64);
    probes->hook_leave(MAIN, stack);
}

static void test_a_hook_leaves_the_activation_at_its_stack_pointer(void **state)
{
    (void)state;
    run(&tree, a_leave_of_what_has_ended);
    const struct ring_node *b = child(child(child(root(), MAIN), A), B);
    assert_int_equal(child(b, C)->calls, 2); // B and the outer A continued
    assert_int_equal(child(b, C)->exceptions, 1);
}

static void a_stack_across_a_boundary(void)
{
    uintptr_t stack = (UINT64_C(3) << 35) + 32; // keys wrap here
    probes->hook_enter(MAIN, stack);
    probes->hook_enter(A, stack - 64);
    probes->hook_enter(B, stack - 128);
    probes->hook_enter(C, stack - 64); // A and B ended unseen
    probes->hook_leave(C, stack - 64);
    probes->hook_leave(MAIN, stack);
}

static void test_a_stack_may_lie_anywhere(void **state)
{
    (void)state;
    run(&tree, a_stack_across_a_boundary);
    const struct ring_node *main_node = child(root(), MAIN);
    assert_int_equal(main_node->exceptions, 0);
    assert_int_equal(child(main_node, C)->exceptions, 0);
    assert_int_equal(child(child(main_node, A), B)->exceptions, 1);
}

// -- Counted calls ----------------------------------------------------------------------------------------------------

static void count_some(void)
{
    probes->count(A); // the thread's first event
    probes->enter(MAIN);
    for (int i = 0; i < 5; i++) {
        probes->count(B);
        probes->enter(C);
        probes->count(B);
        probes->leave(C);
    }
    probes->leave(MAIN);
    probes->count(A);
}

static void test_counted_calls_have_no_place_in_the_tree(void **state)
{
    (void)state;
    run(&tree, count_some);
    const struct ring_node *counted = child(root(), METHOD_COUNTED), *main_node = child(root(), MAIN);
    assert_int_equal(child(counted, A)->calls, 2);
    assert_int_equal(child(counted, B)->calls, 10);
    assert_int_equal(child(counted, B)->started, 0);
    assert_int_equal(child(counted, B)->total, 0);
    assert_int_equal(child(counted, B)->first_child, 0);
    assert_int_equal(child(main_node, C)->calls, 5);
    assert_int_equal(child(main_node, C)->next_sibling, 0);
    assert_int_equal(child(main_node, C)->first_child, 0);
    assert_int_equal(ring_threads(probe_ring)[0].current, ring_threads(probe_ring)[0].root);
}

static void count_too_many(void)
{
    for (uint32_t method = 100; method < 4100; method++) {
        probes->count(method);
        probes->count(method);
    }
}

static void test_counted_calls_without_room_are_lost(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_NONE,
                               .instruments = INSTRUMENT_TREE,
                               .nodes_max = 32 * RING_NODE_BLOCK},
        count_too_many);
    uint64_t sum = 0;
    for (uint32_t at = child(root(), METHOD_COUNTED)->first_child; at; at = node_at(at)->next_sibling) {
        assert_int_equal(node_at(at)->calls, 2);
        sum += node_at(at)->calls;
    }
    assert_true(sum > 0 && sum < 8000);
    assert_int_equal(sum + atomic_load(&ring_threads(probe_ring)[0].lost), 8000);
}

// -- The cap ----------------------------------------------------------------------------------------------------------

static void more_than_fits(void)
{
    probes->enter(MAIN);
    for (uint32_t method = 100; method < 1100; method++) {
        probes->enter(method);
        probes->enter(A);
        probes->enter(B);
        if (method % 2) {
            probes->unwind(probe_newest(method) ? probe_newest(method) : probe_newest(MAIN));
            if (!probe_newest(MAIN)) {
                probes->enter(MAIN);
            }
            continue;
        }
        probes->leave(B);
        probes->leave(A);
        probes->leave(method);
    }
    probes->leave(MAIN);
}

static uint64_t calls_of(uint32_t method)
{
    uint64_t sum = 0;
    for (uint32_t i = RING_NODE_BLOCK; i < atomic_load(&probe_ring->nodes_used); i++) {
        sum += node_at(i)->method == method ? node_at(i)->calls : 0;
    }
    return sum;
}

static void test_counts_stay_exact_over_the_cap(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_NONE,
                               .instruments = INSTRUMENT_TREE,
                               .nodes_max = 32 * RING_NODE_BLOCK},
        more_than_fits);
    assert_int_equal(atomic_load(&probe_ring->over_cap), 1);
    assert_int_equal(calls_of(A), 1000);
    assert_int_equal(calls_of(B), 1000);
    assert_int_equal(ring_threads(probe_ring)[0].current, ring_threads(probe_ring)[0].root);
}

// More methods than the reserve has nodes for.
enum { FIRST_OF_MANY = 100, END_OF_MANY = 4100 };

static void many_methods(void)
{
    probes->enter(MAIN);
    for (uint32_t method = FIRST_OF_MANY; method < END_OF_MANY; method++) {
        probes->enter(method);
        probes->leave(method);
    }
    probes->leave(MAIN);
}

static void test_calls_without_a_node_over_the_cap_are_lost(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_NONE,
                               .instruments = INSTRUMENT_TREE,
                               .nodes_max = 32 * RING_NODE_BLOCK},
        many_methods);
    uint64_t counted = 0, lost = atomic_load(&ring_threads(probe_ring)[0].lost);
    for (uint32_t method = FIRST_OF_MANY; method < END_OF_MANY; method++) {
        counted += calls_of(method);
    }
    assert_true(counted > 1900 && lost > 2000); // 2,048 nodes
    assert_int_equal(counted + lost / 2, END_OF_MANY - FIRST_OF_MANY);
    assert_int_equal(calls_of(MAIN), 1);
    assert_int_equal(ring_threads(probe_ring)[0].current, ring_threads(probe_ring)[0].root);
}

// Deeper than the overflow stack.
enum { FAR_TOO_DEEP = THREAD_OVERFLOW_MAX + 1000 };

static void deeper_than_fits(void)
{
    more_than_fits();
    probes->enter(MAIN);
    for (uint32_t i = 0; i < FAR_TOO_DEEP; i++) {
        probes->enter(A);
    }
    for (uint32_t i = 0; i < FAR_TOO_DEEP; i++) {
        probes->leave(A);
    }
    probes->enter(B);
    probes->leave(B);
    probes->leave(MAIN);
}

static void test_counts_stay_exact_beyond_the_overflow_stack(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_NONE,
                               .instruments = INSTRUMENT_TREE,
                               .nodes_max = 32 * RING_NODE_BLOCK},
        deeper_than_fits);
    assert_int_equal(calls_of(A), 1000 + FAR_TOO_DEEP);
    assert_int_equal(calls_of(B), 1001);
    assert_int_equal(ring_threads(probe_ring)[0].current, ring_threads(probe_ring)[0].root);
}

// The same method again and again, with calls in it: the nodes of the first call must not be found as a path.
static void again_over_the_cap(void)
{
    probes->enter(MAIN);
    for (uint32_t method = 100; method < 1960; method++) {
        probes->enter(method);
        probes->leave(method);
    }
    for (int i = 0; i < 100; i++) {
        probes->enter(A);
        probes->enter(B);
        probes->enter(B);
        probes->leave(B);
        probes->leave(B);
        probes->leave(A);
    }
    probes->leave(MAIN);
}

static void test_repeated_calls_over_the_cap_stay_there(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_TSC,
                               .instruments = INSTRUMENT_TREE,
                               .nodes_max = 32 * RING_NODE_BLOCK},
        again_over_the_cap);
    const struct ring_node *over = child(root(), METHOD_OVER_CAP);
    assert_int_equal(over->total, 0);
    assert_int_equal(child(over, A)->calls, 100);
    assert_int_equal(child(over, B)->calls, 200);
    assert_int_equal(child(over, B)->total, 0);
    assert_int_equal(calls_of(MAIN), 1);
    assert_int_equal(child(root(), MAIN)->started, 0);
}

static void test_a_thread_without_a_slot_is_refused_once(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_NONE, .instruments = INSTRUMENT_TREE, .nodes_max = RING_NODE_BLOCK},
        many_children);
    assert_int_equal(atomic_load(&probe_ring->threads_refused), 1);
    assert_int_equal(atomic_load(&probe_ring->threads_used), 1);
}

// -- Streams ----------------------------------------------------------------------------------------------------------

static void many_calls(void)
{
    probes->enter(MAIN);
    for (int i = 0; i < 100000; i++) {
        probes->enter(A);
        probes->leave(A);
    }
    probes->leave(MAIN);
}

static void test_streams_hold_every_event_in_order(void **state)
{
    (void)state;
    run(&calls, many_calls);
    struct tally tally = read_stream();
    assert_int_equal(tally.enters, 100001);
    assert_int_equal(tally.leaves, 100001);
    assert_int_equal(tally.depth, 0);
    assert_int_equal(tally.lost, 0);
    assert_int_equal(child(child(root(), MAIN), A)->calls, 100000); // the tree is recorded as well
}

static void test_unwinding_is_streamed_frame_by_frame(void **state)
{
    (void)state;
    run(&calls, thrown_through);
    struct tally tally = read_stream();
    assert_int_equal(tally.enters, 5);
    assert_int_equal(tally.unwinds, 2);
    assert_int_equal(tally.leaves, 3);
}

// Threads that found no slot continue and are counted. The next thread gets a slot that has become free.
static void test_threads_beyond_the_slots_are_counted(void **state)
{
    (void)state;
    enum { FREED = 12345 };
    pthread_t thread;
    open_segment(&calls);
    for (uint32_t i = 0; i < RING_THREADS_MAX; i++) {
        atomic_store(&ring_threads(probe_ring)[i].state, RING_THREAD_LIVE);
    }
    atomic_store(&probe_ring->threads_used, RING_THREADS_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)nested_calls), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_int_equal(atomic_load(&probe_ring->threads_refused), 3);
    atomic_store(&ring_threads(probe_ring)[FREED].state, RING_THREAD_FREE);
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)nested_calls), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(atomic_load(&probe_ring->threads_refused), 3);
    assert_int_equal(ring_threads(probe_ring)[FREED].thread, 1);
    close_segment();
}

static void test_losses_are_counted_to_the_event(void **state)
{
    (void)state;
    struct ring_options few = calls;
    few.flags = SESSION_LOSSY;
    few.chunk_quota = 1;
    run(&few, many_calls);
    struct tally tally = read_stream();
    const struct ring_thread *thread = &ring_threads(probe_ring)[0];
    assert_true(atomic_load(&thread->lost) > 0);
    assert_int_equal(tally.enters + tally.leaves + atomic_load(&thread->lost), 200002);
}

static void lose_then_go_on(void)
{
    probes->enter(MAIN);
    probes->enter(B);
    for (int i = 0; i < 5000; i++) {
        probes->enter(A);
        probes->leave(A);
    }
    probe_ring->chunk_quota = 100; // room again
    probes->enter(C);
    probes->enter(D);
    probes->leave(D);
    probes->leave(C);
    probes->leave(B);
}

static void test_after_a_loss_the_stack_is_recorded(void **state)
{
    (void)state;
    struct ring_options few = calls;
    few.flags = SESSION_LOSSY;
    few.chunk_quota = 1;
    run(&few, lose_then_go_on);
    struct tally tally = read_stream();
    assert_int_equal(tally.depth, 1); // MAIN is open
    assert_int_equal(tally.lost, atomic_load(&ring_threads(probe_ring)[0].lost));
    assert_int_equal(tally.enters + tally.leaves + tally.lost, 10007);
}

static void test_a_dead_collector_does_not_stop_the_program(void **state)
{
    (void)state;
    struct ring_options few = calls;
    few.chunk_quota = 1;
    open_segment(&few);
    atomic_store(&probe_ring->collector_gone, 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)many_calls), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&ring_threads(probe_ring)[0].lost) > 0);
}

static void test_depth_limits_the_stream(void **state)
{
    (void)state;
    struct ring_options shallow = calls;
    shallow.depth_max = 1;
    run(&shallow, nested_calls);
    struct tally tally = read_stream();
    assert_int_equal(tally.enters, 1);
    assert_int_equal(tally.leaves, 1);
    assert_int_equal(tally.depth, 0);
}

// A method number that is too large to be counted beyond the cap: its events are recorded all the same.
static void untold_calls(void)
{
    probes->enter(MAIN);
    for (int i = 0; i < 3000; i++) {
        probes->enter(A); // each below the one before, until there is no room
    }
    probes->enter(THREAD_METHODS_MAX + 5);
    probes->leave(THREAD_METHODS_MAX + 5);
    for (int i = 0; i < 3000; i++) {
        probes->leave(A);
    }
    probes->leave(MAIN);
}

static void test_events_of_untold_calls_pair(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_TSC,
                               .instruments = INSTRUMENT_CALLS,
                               .nodes_max = 32 * RING_NODE_BLOCK},
        untold_calls);
    struct tally tally = read_stream();
    assert_int_equal(tally.enters, 3002);
    assert_int_equal(tally.leaves, 3002);
    assert_int_equal(tally.depth, 0);
}

// -- Scopes of their own ----------------------------------------------------------------------------------------------

enum { ONLY_TREE = A | RING_METHOD_NOT_IN_CALLS, ONLY_CALLS = B | RING_METHOD_NOT_IN_TREE };

static void differing_scopes(void)
{
    probes->enter(MAIN);
    for (int i = 0; i < 3; i++) {
        probes->enter(ONLY_TREE);
        probes->enter(ONLY_CALLS);
        probes->enter(C);
        probes->leave(C);
        probes->leave(ONLY_CALLS);
        probes->leave(ONLY_TREE);
    }
    probes->enter(ONLY_TREE); // an exception ends it and its callees
    probes->enter(C);
    probes->unwind(probe_newest(ONLY_TREE));
    probes->enter(ONLY_TREE);
    probes->enter(C); // one exit was not seen
    probes->leave(ONLY_TREE);
    probes->leave(MAIN);
}

static void test_only_what_is_in_its_scope_is_streamed(void **state)
{
    (void)state;
    run(&calls, differing_scopes);
    struct tally tally = read_stream();
    assert_int_equal(tally.enters, 1 + 3 * 2 + 2);
    assert_int_equal(tally.leaves, 1 + 3 * 2 + 1);
    assert_int_equal(tally.unwinds, 1);
    assert_int_equal(tally.depth, 0);
    assert_int_equal(tally.marked, 0); // events contain the number alone
    const struct ring_node *only_tree = child(child(root(), MAIN), ONLY_TREE);
    assert_int_equal(only_tree->calls, 5);
    assert_int_equal(child(child(only_tree, ONLY_CALLS), C)->calls, 3);
}

static void lose_among_differing_scopes(void)
{
    probes->enter(MAIN);
    probes->enter(ONLY_TREE);
    probes->enter(ONLY_CALLS);
    for (int i = 0; i < 5000; i++) {
        probes->enter(C);
        probes->leave(C);
    }
    probe_ring->chunk_quota = 100; // room again
    probes->enter(D);
    probes->leave(D);
}

static void test_a_stack_has_only_streamed_activations(void **state)
{
    (void)state;
    struct ring_options few = calls;
    few.flags = SESSION_LOSSY;
    few.chunk_quota = 1;
    run(&few, lose_among_differing_scopes);
    struct tally tally = read_stream();
    assert_true(tally.lost > 0);
    assert_int_equal(tally.depth, 2); // MAIN and ONLY_CALLS
    assert_int_equal(tally.marked, 0);
}

// The same beyond the cap of nodes: counts of each method stay exact, and only methods in the scope of `calls` have
// events.
static void differing_scopes_over_the_cap(void)
{
    probes->enter(MAIN);
    for (int i = 0; i < 3000; i++) {
        probes->enter(ONLY_TREE);
        probes->enter(ONLY_CALLS);
    }
    for (int i = 0; i < 3000; i++) {
        probes->leave(ONLY_CALLS);
        probes->leave(ONLY_TREE);
    }
    probes->leave(MAIN);
}

static void test_scopes_differ_over_the_cap_too(void **state)
{
    (void)state;
    run(&(struct ring_options){.clock = CLOCK_KIND_TSC,
                               .instruments = INSTRUMENT_CALLS,
                               .nodes_max = 32 * RING_NODE_BLOCK},
        differing_scopes_over_the_cap);
    struct tally tally = read_stream();
    assert_int_equal(tally.enters, 3001);
    assert_int_equal(tally.leaves, 3001);
    assert_int_equal(tally.depth, 0);
    const struct ring_node *over = child(root(), METHOD_OVER_CAP);
    assert_int_equal(child(over, ONLY_TREE)->calls + child(over, ONLY_CALLS)->calls, over->calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_are_counted_apart),
        cmocka_unit_test(test_times_nest),
        cmocka_unit_test(test_recursion_goes_as_deep_as_it_must),
        cmocka_unit_test(test_many_children_are_kept_apart),
        cmocka_unit_test(test_running_activations_are_marked),
        cmocka_unit_test(test_compilations_are_below_the_method_that_runs),
        cmocka_unit_test(test_unwinding_ends_what_lies_above),
        cmocka_unit_test(test_an_unmatched_exit_is_corrected),
        cmocka_unit_test(test_a_filter_runs_below_its_owner),
        cmocka_unit_test(test_hooks_heal_by_the_stack_pointer),
        cmocka_unit_test(test_a_suspended_method_has_not_thrown),
        cmocka_unit_test(test_a_hook_leaves_the_activation_at_its_stack_pointer),
        cmocka_unit_test(test_a_stack_may_lie_anywhere),
        cmocka_unit_test(test_counted_calls_have_no_place_in_the_tree),
        cmocka_unit_test(test_counted_calls_without_room_are_lost),
        cmocka_unit_test(test_counts_stay_exact_over_the_cap),
        cmocka_unit_test(test_calls_without_a_node_over_the_cap_are_lost),
        cmocka_unit_test(test_counts_stay_exact_beyond_the_overflow_stack),
        cmocka_unit_test(test_repeated_calls_over_the_cap_stay_there),
        cmocka_unit_test(test_a_thread_without_a_slot_is_refused_once),
        cmocka_unit_test(test_streams_hold_every_event_in_order),
        cmocka_unit_test(test_unwinding_is_streamed_frame_by_frame),
        cmocka_unit_test(test_threads_beyond_the_slots_are_counted),
        cmocka_unit_test(test_losses_are_counted_to_the_event),
        cmocka_unit_test(test_after_a_loss_the_stack_is_recorded),
        cmocka_unit_test(test_a_dead_collector_does_not_stop_the_program),
        cmocka_unit_test(test_depth_limits_the_stream),
        cmocka_unit_test(test_events_of_untold_calls_pair),
        cmocka_unit_test(test_only_what_is_in_its_scope_is_streamed),
        cmocka_unit_test(test_a_stack_has_only_streamed_activations),
        cmocka_unit_test(test_scopes_differ_over_the_cap_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
