// Threads that share a pool of chunks: which may take one, which wait, in which order they are served, and what happens
// when a wait is in vain.
#include <sched.h>

#include "agent/probe/probe.h"
#include "agent/probe/probe_chunks.h"
#include "agent/probe/probe_thread.h"
#include "probing.h"
#include "trace/instrument.h"

enum { MAIN = METHOD_FIRST_REAL, A, B };

static const struct ring_options calls = {
    .clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_TREE | INSTRUMENT_CALLS, .nodes_max = 1 << 16};

// -- The quota --------------------------------------------------------------------------------------------------------

enum { QUIET = 50 };

static pthread_barrier_t arrived, over;

static void *stay(void *unused)
{
    probes->enter(MAIN);
    (void)pthread_barrier_wait(&arrived);
    (void)pthread_barrier_wait(&over);
    probes->leave(MAIN);
    return unused;
}

static void *work(void *unused)
{
    for (int i = 0; i < 5000; i++) {
        probes->enter(A);
        probes->leave(A);
    }
    return unused;
}

// There are ten times as many quiet threads as chunks in the quota. The one thread that works gets the whole quota.
static void test_quiet_threads_leave_the_quota_to_others(void **state)
{
    (void)state;
    struct ring_options options = calls;
    options.chunk_quota = QUIET / 10;
    pthread_t quiet[QUIET], worker;
    open_segment(&options);
    assert_int_equal(pthread_barrier_init(&arrived, NULL, QUIET + 1), 0);
    assert_int_equal(pthread_barrier_init(&over, NULL, QUIET + 1), 0);
    for (int i = 0; i < QUIET; i++) {
        assert_int_equal(pthread_create(&quiet[i], NULL, stay, NULL), 0);
    }
    (void)pthread_barrier_wait(&arrived);
    assert_int_equal(atomic_load(&probe_ring->chunks_full), 0);
    assert_int_equal(pthread_create(&worker, NULL, work, NULL), 0);
    assert_int_equal(pthread_join(worker, NULL), 0);
    assert_int_equal(atomic_load(&probe_ring->chunks_full), QUIET / 10);
    assert_int_equal(atomic_load(&probe_ring->pauses), 0);
    (void)pthread_barrier_wait(&over);
    for (int i = 0; i < QUIET; i++) {
        assert_int_equal(pthread_join(quiet[i], NULL), 0);
    }
    close_segment();
}

// -- The order --------------------------------------------------------------------------------------------------------

enum { WAITERS = 20 };

static _Atomic uint32_t served;
static uint32_t order[WAITERS];

static void *wait_in_line(void *number)
{
    struct ring_thread thread = {0};
    assert_int_not_equal(chunks_wait(&thread), 0);
    order[atomic_fetch_add(&served, 1)] = (uint32_t)(uintptr_t)number;
    return NULL;
}

static void make_room(uint32_t chunks)
{
    atomic_fetch_sub(&probe_ring->chunks_full, chunks);
    atomic_fetch_add(&probe_ring->room, 1);
}

static void test_threads_are_served_as_they_came(void **state)
{
    (void)state;
    struct ring_options options = calls;
    options.chunk_quota = WAITERS;
    pthread_t threads[WAITERS];
    open_segment(&options);
    chunks_wait_ns = UINT64_C(600000000000);
    atomic_store(&probe_ring->chunks_full, WAITERS);
    for (uintptr_t i = 0; i < WAITERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, wait_in_line, (void *)i), 0);
        while (atomic_load(&probe_ring->waiters) <= i) {
            (void)usleep(100);
        }
    }
    for (uint32_t i = 0; i < WAITERS; i++) {
        assert_int_equal(chunks_take(), 0); // reserved for the threads that wait
        make_room(1);
        while (atomic_load(&served) <= i) {
            (void)usleep(100);
        }
    }
    for (uint32_t i = 0; i < WAITERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(order[i], i);
    }
    make_room(1);
    assert_int_not_equal(chunks_take(), 0);
    close_segment();
}

// -- In vain ----------------------------------------------------------------------------------------------------------

static _Atomic bool ended;

// A collector that makes progress but frees no chunk.
static void *only_move(void *unused)
{
    while (!atomic_load(&ended)) {
        atomic_fetch_add(&probe_ring->progress, 1);
        atomic_store(&probe_ring->collector_gone, 0); // if it was too slow for a moment
        (void)sched_yield();
    }
    return unused;
}

static void call_many(void)
{
    probes->enter(MAIN);
    for (int i = 0; i < 50000; i++) {
        probes->enter(A);
        probes->leave(A);
    }
    probes->leave(MAIN);
}

static void test_a_thread_that_waits_in_vain_continues_and_waits_again(void **state)
{
    (void)state;
    struct ring_options options = calls;
    options.chunk_quota = 1;
    pthread_t thread, collector;
    open_segment(&options);
    chunks_wait_ns = 20000000;
    atomic_store(&ended, false);
    assert_int_equal(pthread_create(&collector, NULL, only_move, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)call_many), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    atomic_store(&ended, true);
    assert_int_equal(pthread_join(collector, NULL), 0);
    struct tally tally = read_stream();
    uint64_t lost = atomic_load(&ring_threads(probe_ring)[0].lost), pauses = atomic_load(&probe_ring->pauses);
    const uint64_t of_a_chunk = 1784; // (16,384 - 64 - 2,048) / 8
    assert_int_equal(tally.enters + tally.leaves + lost, 100002);
    assert_true(tally.enters + tally.leaves >= 2 * of_a_chunk);
    assert_true(pauses > 1);
    assert_true(pauses <= 1 + lost / of_a_chunk);
    close_segment();
}

// The collector stops for a while. Each lost event is counted once. When the stream continues, it reports all running
// activations, which would not fit into the rest of the chunk.
static void dive_and_lose(void)
{
    for (uint32_t i = 0; i < 1700; i++) {
        probes->enter(MAIN + i);
    }
    atomic_store(&probe_ring->collector_gone, 1);
    for (int i = 0; i < 1000; i++) {
        probes->enter(MAIN);
        probes->leave(MAIN);
    }
    atomic_store(&probe_ring->collector_gone, 0);
    for (int i = 0; i < 10; i++) {
        probes->enter(MAIN);
        probes->leave(MAIN);
    }
}

static void test_losses_are_recorded_once_there_is_room(void **state)
{
    (void)state;
    open_segment(&calls);
    probe_ring->chunk_quota = 0; // the thread's first chunk is its only one
    chunks_wait_ns = 1000000;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)dive_and_lose), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    struct tally tally = read_stream();
    assert_int_equal(tally.enters + tally.leaves + atomic_load(&ring_threads(probe_ring)[0].lost), 1700 + 2020);
    const uint8_t *behind = (const uint8_t *)ring_chunk_at(probe_ring, 1);
    for (uint32_t i = 0; i < RING_CHUNK_SIZE; i++) {
        assert_int_equal(behind[i], 0);
    }
    close_segment();
}

// Hooks wait less, since garbage collections stop while they do.
static void test_hooks_wait_less_long(void **state)
{
    (void)state;
    probe_setup(0, false, false);
    assert_true(chunks_wait_ns == UINT64_C(5000000000));
    probe_setup(0, false, true);
    assert_true(chunks_wait_ns == UINT64_C(1000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_threads_leave_the_quota_to_others),
        cmocka_unit_test(test_threads_are_served_as_they_came),
        cmocka_unit_test(test_a_thread_that_waits_in_vain_continues_and_waits_again),
        cmocka_unit_test(test_losses_are_recorded_once_there_is_room),
        cmocka_unit_test(test_hooks_wait_less_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
