// What definitions and headers say that a recording holds, and the sum of the newest counters.
#include "model/counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "trace/instrument.h"

static void sites_are_counted_up_to_the_damage(void **state)
{
    (void)state;
    const struct site sites[3] = {{.kind = SITE_STATEMENT}, {.kind = SITE_STATEMENT}, {.kind = SITE_STATEMENT}};
    struct counts counts = {0};
    struct buffer blob = {0};
    sites_encode(&blob, sites, 3);
    struct recording_record record = {.type = RECORDING_SITES, .sites.blob = bytes_of(blob.data, blob.size)};
    counts_record(&counts, &record);
    assert_int_equal(counts.sites, 3);
    record.sites.blob = bytes_of(blob.data, blob.size - 1);
    counts_record(&counts, &record);
    assert_int_equal(counts.sites, 5);
    buffer_free(&blob);
}

static void a_source_counts_if_the_file_has_its_text(void **state)
{
    (void)state;
    struct counts counts = {0};
    struct recording_record record = {.type = RECORDING_SOURCE};
    for (int i = SOURCE_VERIFIED; i <= SOURCE_SAME; i++) {
        record.source.state = (enum source_state)i;
        counts_record(&counts, &record);
    }
    assert_int_equal(counts.sources, 2); // VERIFIED and SAME
}

static void headers_count_statements_values_and_objects(void **state)
{
    (void)state;
    struct counts counts = {0};
    const struct recording_block events = {.type = RECORDING_EVENTS, .count = 100, .statements = 7, .values = 5};
    const struct recording_block objects = {.type = RECORDING_OBJECTS, .count = 11};
    counts_block(&counts, &events);
    counts_block(&counts, &events);
    counts_block(&counts, &objects);
    assert_int_equal(counts.statements, 14);
    assert_int_equal(counts.values, 10);
    assert_int_equal(counts.objects, 11);
}

static void write_counters(uint32_t process, const struct recording_counter *counters, uint32_t count)
{
    must(recording_write_counters(
        writer, &(struct recording_counters){.process = process, .count = count, .counters = counters}));
}

static uint64_t lines_in_file(void)
{
    struct counts counts = {0};
    struct recording_reader *reader;
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    assert_int_equal(counts_lines(&counts, reader), CLEW_OK);
    recording_close_reader(reader);
    return counts.lines;
}

// Each block has what has changed, so what a site had before is replaced; sites of two processes are two.
static void the_newest_counter_of_each_site_counts(void **state)
{
    (void)state;
    const struct recording_counter early[] = {{2, 1, 0}, {3, 10, 0}}, late[] = {{3, 15, 0}, {UINT32_MAX, 1000, 0}};
    create(path, INSTRUMENT_LINES, CLOCK_KIND_NONE);
    write_counters(1, early, 2);
    write_counters(2, early, 2);
    write_counters(1, late, 2);
    must(recording_close(writer, NULL)); // killed: no END says the sum
    assert_int_equal(lines_in_file(), 1 + 15 + 1000 + 11);
}

static void without_counters_there_are_no_lines(void **state)
{
    (void)state;
    make_calls(path);
    assert_int_equal(lines_in_file(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_are_counted_up_to_the_damage),
        cmocka_unit_test(a_source_counts_if_the_file_has_its_text),
        cmocka_unit_test(headers_count_statements_values_and_objects),
        cmocka_unit_test(the_newest_counter_of_each_site_counts),
        cmocka_unit_test(without_counters_there_are_no_lines),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
