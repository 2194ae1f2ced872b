// Threads of a recorded process: when one is first seen, and how its slot is freed.
#include "one_process.h"

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

// The agent stores the OS id last: until then the slot is incomplete.
static void a_thread_is_seen_once_it_is_complete(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = open_running(INSTRUMENT_CALLS, path);
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
    struct fixture *fixture = open_running(INSTRUMENT_TREE | INSTRUMENT_CALLS, path);
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
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
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
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
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
    struct fixture *fixture = open_running(INSTRUMENT_CALLS, path);
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
    struct fixture *fixture = open_running(INSTRUMENT_CALLS, path);
    struct recording_reader *reader;
    fixture->program->past_events = 1;
    thread_of(fixture)->recycling = 1;
    atomic_store(&thread_of(fixture)->state, RING_THREAD_ENDED);
    assert_int_equal(recording_flush(fixture->drain.writer), CLEW_OK);
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    assert_int_equal(process_resume(fixture->process, &fixture->drain, reader), CLEW_OK);
    assert_int_equal(atomic_load(&thread_of(fixture)->state), RING_THREAD_FREE);
    assert_int_equal(fixture->program->past_events, 1);
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
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
