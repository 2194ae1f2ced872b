// Events on their way from the program's chunks to blocks of the file, and chunks on their way back.
#include "one_process.h"

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

static const struct ring_options options = {
    .process = 1, .instruments = INSTRUMENT_CALLS, .clock = CLOCK_KIND_TSC, .nodes_max = NODES};

static int set_up(void **state)
{
    struct fixture *fixture = open_process(&options, path);
    define(fixture->program,
           &(struct ring_definition){.type = RING_DEFINE_METHOD, .method = METHOD, .name = text_of("M")});
    start_thread(fixture->program);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    return close_process(*state);
}

static uint64_t events_in_file(struct fixture *fixture)
{
    return slot_of(fixture)->position.events;
}

static void few_events_wait_for_others(void **state)
{
    struct fixture *fixture = *state;
    pass(fixture); // sees them
    assert_int_equal(events_in_file(fixture), 0);
    pass(fixture); // finds that they have waited long enough
    assert_int_equal(events_in_file(fixture), 1);
    assert_int_equal(slot_of(fixture)->pending_since_ns, 0);
}

// The program leaves the first chunk for the second.
static void leave_first_chunk(struct ring_header *ring, uint64_t entries)
{
    struct ring_chunk *first = ring_chunk_at(ring, 0);
    open_chunk(ring, 2, 1);
    fill_chunk(ring, 2);
    first->used = sizeof *first + entries * sizeof(uint64_t);
    atomic_store(&first->next, 2);
    atomic_store(&ring_threads(ring)[THREAD_SLOT].at, behind_entries(ring, 2, 3));
}

static void a_chunk_goes_back_once_its_events_are_in_the_file(void **state)
{
    struct fixture *fixture = *state;
    struct ring_header *ring = fixture->program;
    leave_first_chunk(ring, 100);
    pass(fixture);
    assert_false(chunk_is_free(ring, 1));
    uint32_t room = atomic_load(&ring->room);
    pass(fixture);
    assert_int_equal(events_in_file(fixture), 103); // of both, in one block
    assert_true(chunk_is_free(ring, 1));
    assert_false(chunk_is_free(ring, 2)); // the thread still writes there
    assert_int_equal(atomic_load(&ring->chunks_full), 0);
    assert_true(atomic_load(&ring->room) != room); // who waits looks again
    assert_int_equal(slot_of(fixture)->position.chunk, 2);
}

// A collector that takes over starts there.
static void the_position_is_in_the_segment_too(void **state)
{
    struct fixture *fixture = *state;
    pass(fixture);
    pass(fixture);
    const struct ring_thread *thread = thread_of(fixture);
    const struct ring_drained *drained = &thread->drained[thread->drained_epoch & 1];
    assert_int_equal(drained->chunk, 1);
    assert_int_equal(drained->at, behind_entries(fixture->program, 1, 1));
    assert_int_equal(drained->events, 1);
    assert_int_equal(drained->cells, 2);
}

static void events_behind_a_stalled_position_are_lost(void **state)
{
    struct fixture *fixture = *state;
    struct ring_thread *thread = thread_of(fixture);
    atomic_store(&thread->stalled, behind_entries(fixture->program, 1, 1));
    atomic_store(&thread->at, behind_entries(fixture->program, 1, 4));
    pass(fixture);
    pass(fixture);
    assert_int_equal(events_in_file(fixture), 1);
    assert_int_equal(atomic_load(&thread->lost), 0); // the thread counts them itself, while it runs
    bool done;
    assert_int_equal(process__stream_rest(fixture->process, &fixture->drain, THREAD_SLOT, &done), CLEW_OK);
    assert_true(done);
    assert_int_equal(events_in_file(fixture), 1);
    assert_int_equal(atomic_load(&thread->lost), 3);
    assert_int_equal(process__stream_rest(fixture->process, &fixture->drain, THREAD_SLOT, &done), CLEW_OK);
    assert_int_equal(atomic_load(&thread->lost), 3); // once
}

static void a_full_recording_takes_no_more_events(void **state)
{
    struct fixture *fixture = *state;
    bool done;
    pass(fixture);
    fixture->session.max_bytes = 1;
    pass(fixture);
    assert_int_equal(events_in_file(fixture), 0);
    // If another part follows, the events wait for it. If not, they are left out, and held_back says so.
    fixture->session.parts_max = 2;
    assert_int_equal(process__stream_rest(fixture->process, &fixture->drain, THREAD_SLOT, &done), CLEW_OK);
    assert_false(done || fixture->drain.held_back);
    fixture->session.parts_max = 0;
    assert_int_equal(process__stream_rest(fixture->process, &fixture->drain, THREAD_SLOT, &done), CLEW_OK);
    assert_true(done && fixture->drain.held_back);
}

// A process whose time is up still writes one block.
static void a_pass_without_time_writes_one_block(void **state)
{
    struct fixture *fixture = *state;
    pass(fixture);
    fixture->drain.until_ns = 0;
    pass(fixture);
    assert_int_equal(events_in_file(fixture), 1);
    assert_true(fixture->process->cut_short);
}

static void a_part_begins_with_what_runs(void **state)
{
    struct fixture *fixture = *state;
    struct recording_record record;
    pass(fixture);
    pass(fixture);
    assert_int_equal(process__stream_begin_part(fixture->process, &fixture->drain, THREAD_SLOT), CLEW_OK);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_EVENTS, &record), 2);
    assert_int_equal(record.events.count, 0);
    assert_int_equal(record.events.position, 2);
    assert_int_equal(record.events.depth, 1);
    assert_int_equal(record.events.open[0], METHOD);
    recording_close_reader(reader);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(few_events_wait_for_others),
        TEST(a_chunk_goes_back_once_its_events_are_in_the_file),
        TEST(the_position_is_in_the_segment_too),
        TEST(events_behind_a_stalled_position_are_lost),
        TEST(a_full_recording_takes_no_more_events),
        TEST(a_pass_without_time_writes_one_block),
        TEST(a_part_begins_with_what_runs),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
