// Threads of a recorded process: when one is first seen, where its CPU time goes, and how its slot is freed.
#include "one_process.h"

#include <sys/syscall.h>
#include <time.h>

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

static struct fixture *begin(uint32_t instruments)
{
    const struct ring_options options = {
        .process = 1, .instruments = instruments, .clock = CLOCK_KIND_TSC, .nodes_max = NODES};
    struct fixture *fixture = open_process(&options, path);
    define(fixture->program,
           &(struct ring_definition){.type = RING_DEFINE_METHOD, .method = METHOD, .name = text_of("M")});
    start_thread(fixture->program);
    return fixture;
}

// -- Beginnings and ends ----------------------------------------------------------------------------------------------

// The agent stores the OS id last: until then the slot is incomplete.
static void a_thread_is_seen_once_it_is_complete(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_CALLS);
    struct ring_thread *thread = thread_of(fixture);
    thread->os_id = 0;
    pass(fixture);
    assert_int_equal(slot_of(fixture)->thread, 0);
    thread->os_id = NOBODY;
    pass(fixture);
    assert_int_equal(slot_of(fixture)->thread, 1);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_THREAD, &record), 1);
    assert_int_equal(record.thread.os_id, NOBODY);
    assert_int_equal(record.thread.ended_clock, 0); // it runs
    recording_close_reader(reader);
    close_process(fixture);
}

static void resources_of_an_ended_thread_are_freed(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_TREE | INSTRUMENT_CALLS);
    struct ring_header *ring = fixture->program;
    struct ring_thread *thread = thread_of(fixture);
    uint32_t block = thread->root;
    pass(fixture);
    atomic_store(&thread->lost, 5);
    thread->paused_ns = 9;
    thread->ended_tsc = clock_tsc();
    atomic_store(&thread->state, RING_THREAD_ENDED);
    pass(fixture);
    assert_int_equal(atomic_load(&thread->state), RING_THREAD_FREE);
    assert_int_equal(thread->thread, 0);
    assert_int_equal(thread->root, 0);
    assert_true(chunk_is_free(ring, 1));
    assert_int_equal((uint32_t)atomic_load(&ring->free_node_blocks), block);
    assert_int_equal(ring_nodes(ring)[block].calls, 0);
    assert_int_equal(slot_of(fixture)->thread, 0);
    // The process's sums include it.
    assert_int_equal(ring->past_events, 1);
    assert_int_equal(ring->past_entries, 0); // they are in the stream
    assert_int_equal(ring->past_lost, 5);
    assert_int_equal(ring->past_paused_ns, 9);
    uint64_t events, lost;
    process_totals(fixture->process, &events, &lost);
    assert_true(events == 1 && lost == 5);
    struct recording_reader *reader = read_recording(fixture);
    assert_true(count_records(reader, RECORDING_TREE_NODES, &record) > 0);
    assert_true(record.tree.final && record.tree.count == 2);
    assert_true(count_records(reader, RECORDING_THREAD, &record) > 0);
    assert_true(record.thread.ended_clock > 0 && record.thread.lost == 5);
    recording_close_reader(reader);
    close_process(fixture);
}

static void entries_that_no_stream_has_are_counted_by_the_tree(void **state)
{
    (void)state;
    struct fixture *fixture = begin(INSTRUMENT_TREE);
    uint64_t events, lost;
    thread_of(fixture)->first_chunk = 0;
    atomic_store(&thread_of(fixture)->at, 0);
    pass(fixture);
    process_totals(fixture->process, &events, &lost);
    assert_int_equal(events, 2); // an entry and its exit
    atomic_store(&thread_of(fixture)->state, RING_THREAD_ENDED);
    pass(fixture);
    assert_int_equal(fixture->program->past_entries, 2);
    process_totals(fixture->process, &events, &lost);
    assert_int_equal(events, 2);
    close_process(fixture);
}

// The agent found no node for the thread's root, and gave up.
static void a_slot_without_a_thread_is_free_again(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_TREE);
    memset(thread_of(fixture), 0, sizeof(struct ring_thread));
    atomic_store(&thread_of(fixture)->state, RING_THREAD_ENDED);
    pass(fixture);
    assert_int_equal(atomic_load(&thread_of(fixture)->state), RING_THREAD_FREE);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_THREAD, &record), 0);
    recording_close_reader(reader);
    close_process(fixture);
}

static void the_end_of_a_process_ends_its_threads_once(void **state)
{
    (void)state;
    struct fixture *fixture = begin(INSTRUMENT_CALLS);
    bool done = false;
    atomic_store(&fixture->program->agent_state, RING_AGENT_RECORDING);
    pass(fixture);
    process_begin_end(fixture->process, PROCESS_ENDED, 0);
    for (int i = 0; i < 3 && !done; i++) {
        fixture->drain.until_ns = UINT64_MAX;
        assert_int_equal(process_finish(fixture->process, &fixture->drain, &done), CLEW_OK);
    }
    assert_true(done && slot_of(fixture)->settled);
    assert_int_equal(fixture->program->past_events, 1);
    bool closed;
    assert_int_equal(process__finish_threads(fixture->process, &fixture->drain, &closed), CLEW_OK);
    assert_int_equal(fixture->program->past_events, 1);
    close_process(fixture);
}

// The dead collector had added the thread to the sums, and was about to free the slot.
static void a_takeover_frees_a_slot_that_was_being_freed(void **state)
{
    (void)state;
    struct fixture *fixture = begin(INSTRUMENT_CALLS);
    struct recording_reader *reader;
    fixture->program->past_events = 1;
    thread_of(fixture)->recycling = 1;
    atomic_store(&thread_of(fixture)->state, RING_THREAD_ENDED);
    assert_int_equal(recording_flush(fixture->drain.writer), CLEW_OK);
    assert_int_equal(recording_open(path, &reader), CLEW_OK);
    assert_int_equal(process_resume(fixture->process, &fixture->drain, reader), CLEW_OK);
    assert_int_equal(atomic_load(&thread_of(fixture)->state), RING_THREAD_FREE);
    assert_int_equal(fixture->program->past_events, 1);
    recording_close_reader(reader);
    close_process(fixture);
}

// -- CPU time ---------------------------------------------------------------------------------------------------------

static uint64_t own_cpu_ns(void)
{
    struct timespec time;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The test's own thread plays the recorded one.
static void cpu_time_is_that_of_the_method_that_runs(void **state)
{
    (void)state;
    struct fixture *fixture = begin(INSTRUMENT_TREE);
    struct ring_thread *thread = thread_of(fixture);
    fixture->process->watch.pid = getpid();
    thread->os_id = (uint32_t)syscall(SYS_gettid);
    thread->started_tsc = clock_tsc();
    pass(fixture);
    for (uint64_t start = own_cpu_ns(); own_cpu_ns() - start < 30000000;) {
        for (volatile unsigned i = 0; i < 1000000; i++) { // asking for the time is the kernel's
        }
    }
    process__sample(fixture->process, clock_monotonic_ns());
    const struct ring_node_cpu *cpus = ring_node_cpus(fixture->process->ring);
    assert_int_equal(cpus[thread->current].user_ns, thread->cpu_user_ns);
    assert_int_equal(cpus[thread->current].kernel_ns, thread->cpu_kernel_ns);
    assert_true(thread->cpu_user_ns + thread->cpu_kernel_ns >= 20000000); // the kernel's count may lag by a tick
    assert_int_equal(cpus[thread->root].user_ns, 0);
    close_process(fixture);
}

static void a_thread_that_is_gone_has_ended(void **state)
{
    (void)state;
    struct fixture *fixture = begin(INSTRUMENT_TREE);
    fixture->process->watch.pid = getpid(); // which has no thread of that number
    pass(fixture);
    assert_int_equal(atomic_load(&thread_of(fixture)->state), RING_THREAD_LIVE);
    process__sample(fixture->process, clock_monotonic_ns());
    assert_int_equal(atomic_load(&thread_of(fixture)->state), RING_THREAD_ENDED);
    close_process(fixture);
}

static void slow_samples_are_noted(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_TREE);
    fixture->process->slowest_sample_ns = 1000000;
    assert_int_equal(process__note_slow_samples(fixture->process, &fixture->drain), CLEW_OK); // usual: not a word
    fixture->process->slowest_sample_ns = 40000000;
    assert_int_equal(process__note_slow_samples(fixture->process, &fixture->drain), CLEW_OK);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_NOTE, &record), 1);
    assert_non_null(memmem(record.note.text.at, record.note.text.size, "up to 40 ms", 11));
    assert_non_null(memmem(record.note.text.at, record.note.text.size, "every 2000 ms", 13));
    recording_close_reader(reader);
    close_process(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_seen_once_it_is_complete),
        cmocka_unit_test(resources_of_an_ended_thread_are_freed),
        cmocka_unit_test(entries_that_no_stream_has_are_counted_by_the_tree),
        cmocka_unit_test(a_slot_without_a_thread_is_free_again),
        cmocka_unit_test(the_end_of_a_process_ends_its_threads_once),
        cmocka_unit_test(a_takeover_frees_a_slot_that_was_being_freed),
        cmocka_unit_test(cpu_time_is_that_of_the_method_that_runs),
        cmocka_unit_test(a_thread_that_is_gone_has_ended),
        cmocka_unit_test(slow_samples_are_noted),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
