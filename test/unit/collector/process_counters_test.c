// Counters of lines: the file gets one sum for each line, over the blocks of all threads.
#include "one_process.h"

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

enum { FIRST_SITE = 1, SITES = 3 }; // of the method; the one in the middle is no statement

static struct fixture *begin(uint32_t instruments, uint32_t flags, enum clock_kind clock)
{
    const struct ring_options options = {
        .process = 1, .instruments = instruments, .flags = flags, .clock = clock, .nodes_max = NODES};
    struct fixture *fixture = open_process(&options, path);
    uint16_t *lengths = ring_event_lengths(fixture->program);
    lengths[FIRST_SITE] = lengths[FIRST_SITE + 2] = event_length(0, false, true);
    lengths[FIRST_SITE + 1] = event_length(1, false, false);
    return fixture;
}

// A thread's block of counters for the method, which has two lines.
static struct ring_line *add_block(struct ring_header *ring)
{
    enum { SIZE = 64 };
    uint64_t at = ring->lines_offset + atomic_fetch_add(&ring->lines_used, SIZE);
    ring_lines_blocks(ring)[atomic_fetch_add(&ring->lines_blocks, 1)] =
        (struct ring_lines_block){.at = at, .first_site = FIRST_SITE, .site_count = SITES};
    return (struct ring_line *)(void *)((char *)ring + at);
}

static void sum_up(struct fixture *fixture)
{
    assert_int_equal(process__counters(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
}

static void a_line_counts_for_all_threads_together(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_LINES, 0, CLOCK_KIND_MONOTONIC);
    struct ring_line *one = add_block(fixture->program), *other = add_block(fixture->program);
    one[0] = (struct ring_line){2, 100};
    one[1] = (struct ring_line){5, 7};
    other[0] = (struct ring_line){1, 50};
    sum_up(fixture);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_COUNTERS, &record), 1);
    assert_int_equal(record.counters.count, 2);
    assert_int_equal(record.counters.counters[0].site, FIRST_SITE);
    assert_int_equal(record.counters.counters[0].count, 3);
    assert_int_equal(record.counters.counters[0].own, 150);
    assert_int_equal(record.counters.counters[1].site, FIRST_SITE + 2);
    assert_int_equal(record.counters.counters[1].count, 5);
    recording_close_reader(reader);
    close_process(fixture);
}

// A COUNTERS block has all sums, so none is written if no counter has changed.
static void sums_are_written_when_they_have_changed(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_LINES, 0, CLOCK_KIND_MONOTONIC);
    sum_up(fixture); // no method has run
    struct ring_line *lines = add_block(fixture->program);
    sum_up(fixture); // one has, but none of its lines
    lines[1].count = 4;
    sum_up(fixture);
    sum_up(fixture);
    assert_int_equal(fixture->process->lines_counted, 4);
    lines[0].count = 1;
    sum_up(fixture);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_COUNTERS, &record), 2);
    assert_int_equal(record.counters.count, 2);
    recording_close_reader(reader);
    close_process(fixture);
}

static uint64_t own_time_of(uint32_t flags, enum clock_kind clock, uint64_t own)
{
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_LINES, flags, clock);
    // The session has measured 4 ticks a ns.
    struct clock_pair now = clock_pair_now();
    fixture->session.calibration = (struct clock_pair){.tsc = now.tsc - 400000000000, .ns = now.ns - 100000000000};
    *add_block(fixture->program) = (struct ring_line){1, own};
    sum_up(fixture);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_COUNTERS, &record), 1);
    uint64_t ticks = record.counters.counters[0].own;
    recording_close_reader(reader);
    close_process(fixture);
    return ticks;
}

// Lines are timed in ns, unless the program reads the session's clock at each line.
static void own_times_are_in_ticks_of_the_session(void **state)
{
    (void)state;
    assert_int_equal(own_time_of(0, CLOCK_KIND_MONOTONIC, 1000), 1000);
    assert_int_equal(own_time_of(0, CLOCK_KIND_TICK, 1000), 1000);
    assert_int_equal(own_time_of(SESSION_LINES_BY_CLOCK, CLOCK_KIND_TSC, 1000), 1000);
    assert_in_range(own_time_of(0, CLOCK_KIND_TSC, 1000), 3000, 5000);
}

static void only_the_instrument_has_counters(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_CALLS, 0, CLOCK_KIND_MONOTONIC);
    add_block(fixture->program)->count = 1;
    sum_up(fixture);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_COUNTERS, &record), 0);
    recording_close_reader(reader);
    close_process(fixture);
}

static void calls_without_room_for_counters_are_noted(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = begin(INSTRUMENT_LINES, 0, CLOCK_KIND_MONOTONIC);
    assert_int_equal(process__note_missed_lines(fixture->process, &fixture->drain), CLEW_OK); // none: not a word
    atomic_store(&fixture->program->lines_missed, 7);
    assert_int_equal(process__note_missed_lines(fixture->process, &fixture->drain), CLEW_OK);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_NOTE, &record), 1);
    assert_true(text_equal(record.note.text, text_of("there was no room to count the lines of 7 calls")));
    recording_close_reader(reader);
    close_process(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_counts_for_all_threads_together),
        cmocka_unit_test(sums_are_written_when_they_have_changed),
        cmocka_unit_test(own_times_are_in_ticks_of_the_session),
        cmocka_unit_test(only_the_instrument_has_counters),
        cmocka_unit_test(calls_without_room_for_counters_are_noted),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
