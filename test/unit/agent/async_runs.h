// Runs of async bodies without a runtime: they call the probes on threads of a test, by a clock that the test sets.
#ifndef CLEW_UNIT_AGENT_ASYNC_RUNS_H
#define CLEW_UNIT_AGENT_ASYNC_RUNS_H

#include "probing.h"

#include "agent/probe/probe_links.h"
#include "weave/operations/run_shape.h"

// The methods, A, B, C and ITERATOR being async bodies; the shapes of their runs; and NEW.
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

// A session with call trees alone.
static const struct ring_options tree = {
    .process = 1, .clock = CLOCK_KIND_TICK, .instruments = INSTRUMENT_TREE, .nodes_max = 1 << 16};

// The number of a method without the flag for runs.
static inline uint32_t number(uint32_t method)
{
    return method & RING_METHOD_NUMBER;
}

// Sets the clock.
static inline void at(uint64_t tick)
{
    atomic_store(&probe_ring->tick_ns, tick);
}

// Defines the async bodies.
static inline void define(void)
{
    assert_true(links_define(number(A), 0) && links_define(number(B), 0));
    assert_true(links_define(number(C), K) && links_define(number(ITERATOR), 0));
}

// Runs `body` on a fresh thread of a fresh segment; the segment stays for checking.
static inline void on_new_segment(void (*body)(void))
{
    assert_true(links_setup());
    define();
    run(&tree, body);
}

// Runs `body` on another thread of the same segment.
static inline void on_other_thread(void (*body)(void))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)body), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

// -- What a test finds ------------------------------------------------------------------------------------------------

// The number of the path that ends in `method` and goes on from `parent`; PATH_NONE: there is none.
static inline uint32_t path(uint32_t parent, uint32_t method)
{
    for (uint32_t i = PATH_FIRST; i < probe_ring->paths_used; i++) {
        if (ring_paths(probe_ring)[i].parent == parent && ring_paths(probe_ring)[i].method == method) {
            return i;
        }
    }
    return PATH_NONE;
}

// The only node with this number; the test fails if there are several or none.
static inline uint32_t node_of(uint32_t method)
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

// The method of the node for runs after a wait in `state` of the activation whose path is `parent`.
static inline uint32_t resumed(uint32_t parent, uint32_t state)
{
    uint32_t found = path(parent, PATH_AWAIT | state);
    assert_int_not_equal(found, PATH_NONE);
    return RING_METHOD_RUNS | METHOD_RESUMED | found;
}

// The figures of runs of the only node of a method.
static inline struct ring_run *figures(uint32_t method)
{
    return run_at(node_of(method));
}

// -- A body in short --------------------------------------------------------------------------------------------------

// What the last wait of A and of B stored, to continue it.
static int32_t state_of_a, state_of_b;

// Begins a run of `method`. `state`: NEW, or what wait_in() gave, to continue its activation.
static inline uintptr_t begin(uint32_t method, int32_t state)
{
    return probes->run_begin(method, state, SHAPE);
}

// The activation begins to wait in a state; returns what its body stores to be continued.
static inline int32_t wait_in(uint32_t state, uintptr_t activation)
{
    int32_t stored = probes->run_wait((int32_t)state, activation, SHAPE);
    assert_int_equal(stored & ((1 << BITS) - 1), state);
    assert_true(stored >= 0);
    return stored;
}

// The activation completes, and its run ends.
static inline void complete(uintptr_t activation)
{
    probes->run_complete(SHAPE, activation);
    (void)probes->run_end(activation);
}

// -- What bodies do in several tests ----------------------------------------------------------------------------------

// Three activations that never wait: one completes after 30 ticks, one fails after 5, one is cancelled at once.
static inline void completes_at_once(void)
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

// A begins and waits in state 3; state_of_a continues it.
static inline void waits_once(void)
{
    at(100);
    uintptr_t a = begin(A, NEW);
    at(110);
    state_of_a = wait_in(3, a);
    at(115);
    (void)probes->run_end(a);
}

// Continues A, which completes.
static inline void ends_a(void)
{
    at(200);
    uintptr_t a = begin(A, state_of_a);
    at(207);
    complete(a);
}

// Two items of an async iterator: the first after a wait, the second in a run that continues the enumeration.
static inline void enumerates(void)
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

// Activations that wait while there is no room for records of them, and one whose state no body has stored.
static inline void waits_without_room(void)
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

#endif
