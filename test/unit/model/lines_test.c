// Statements by their place in the source: one row a range, whatever modules, methods and processes it was woven in.
#include "model/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static struct model *model;
static struct sites *sites;
static struct lines lines;

static void read_lines(void)
{
    model = load((struct model_options){0});
    sites = load_sites();
    assert_int_equal(lines_load(model, sites, &lines), CLEW_OK);
}

static void release(void)
{
    lines_free(&lines);
    sites_free(sites);
    model_free(model);
}

static void expect_row(size_t number, uint32_t line, uint32_t column, uint64_t count, uint64_t own)
{
    assert_true(number < lines.count);
    assert_int_equal(lines.rows[number].site->start_line, line);
    assert_int_equal(lines.rows[number].site->start_column, column);
    assert_int_equal(lines.rows[number].count, count);
    assert_int_equal(lines.rows[number].own, own);
}

static void define_module(uint32_t process, uint32_t module, const char *document)
{
    must(recording_write_module(
        writer, &(struct recording_module){.process = process, .module = module, .name = text_of("App")}));
    must(recording_write_document(
        writer,
        &(struct recording_document){.process = process, .module = module, .document = 1, .path = text_of(document)}));
}

// A statement in the module's document 1, as the only site of its method; both have the number.
static void define_statement(uint32_t process, uint32_t module, uint32_t number, uint32_t line, uint32_t column)
{
    const struct site site = {.kind = SITE_STATEMENT,
                              .document = 1,
                              .start_line = line,
                              .start_column = column,
                              .end_line = line,
                              .end_column = 100 - column};
    struct buffer blob = {0};
    sites_encode(&blob, &site, 1);
    must(recording_write_method(writer, &(struct recording_method){.process = process,
                                                                   .method = number,
                                                                   .module = module,
                                                                   .token = 0x06000000 + number,
                                                                   .name = text_of("M()")}));
    must(recording_write_sites(
        writer, &(struct recording_sites){
                    .process = process, .method = number, .first = number, .blob = bytes_of(blob.data, blob.size)}));
    buffer_free(&blob);
}

static void write_counters(uint32_t process, const struct recording_counter *counters, uint32_t count)
{
    must(recording_write_counters(
        writer, &(struct recording_counters){.process = process, .count = count, .counters = counters}));
}

static void rows_are_sorted_by_path_line_and_column(void **state)
{
    (void)state;
    const struct recording_counter counters[] = {{16, 1, 10}, {17, 2, 20}, {18, 3, 30}, {19, 4, 40}};
    create(path, INSTRUMENT_LINES, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    define_module(1, 1, "/b.cs");
    define_module(1, 2, "/a.cs");
    define_module(1, 3, "/a.cs.cs"); // longer, so behind
    define_statement(1, 1, 16, 3, 1);
    define_statement(1, 2, 17, 10, 9);
    define_statement(1, 2, 18, 10, 5);
    define_statement(1, 3, 19, 1, 1);
    write_counters(1, counters, 4);
    finish(10, 0, 1, true);
    read_lines();
    assert_int_equal(lines.count, 4);
    expect_row(0, 10, 5, 3, 30);
    expect_row(1, 10, 9, 2, 20);
    expect_row(2, 1, 1, 4, 40);
    expect_row(3, 3, 1, 1, 10);
    assert_int_equal(lines.own, 100);
    release();
}

static void one_range_is_one_row_in_all_processes(void **state)
{
    (void)state;
    const struct recording_counter counters[] = {{16, 5, 50}, {17, 7, 70}};
    create(path, INSTRUMENT_LINES, CLOCK_KIND_MONOTONIC);
    for (uint32_t process = 1; process <= 2; process++) {
        must(recording_write_process(writer, &(struct recording_process){.process = process}));
        define_module(process, process, "/a.cs");
        define_statement(process, process, 16, 3, 1);
        define_statement(process, process, 17, 3, 1); // the same source, in another method
        write_counters(process, counters, 2);
    }
    finish(24, 0, 2, true);
    read_lines();
    assert_int_equal(lines.count, 1);
    expect_row(0, 3, 1, 24, 240);
    release();
}

static void a_later_counter_replaces_the_earlier(void **state)
{
    (void)state;
    const struct recording_counter early = {16, 5, 50}, late = {16, 6, 60};
    create(path, INSTRUMENT_LINES, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    define_module(1, 1, "/a.cs");
    define_statement(1, 1, 16, 3, 1);
    define_statement(1, 1, 17, 4, 1); // never reached
    write_counters(1, &early, 1);
    write_counters(1, &late, 1);
    write_counters(1, &(struct recording_counter){99, 1, 1}, 1); // of a site that is not defined
    finish(6, 0, 1, true);
    read_lines();
    assert_int_equal(lines.count, 2);
    expect_row(0, 3, 1, 6, 60);
    expect_row(1, 4, 1, 0, 0);
    release();
}

static void a_method_counts_statements_without_a_place_too(void **state)
{
    (void)state;
    const struct recording_counter counters[] = {{16, 5, 50}, {17, 7, 70}};
    create(path, INSTRUMENT_LINES, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    define_module(1, 1, "/a.cs");
    define_statement(1, 1, 16, 3, 1);
    define_statement(1, 1, 17, 0, 0);
    write_counters(1, counters, 2);
    finish(12, 0, 1, true);
    read_lines();
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.own, 50);
    uint32_t method = catalog_find_method(&model->catalog, 1, 17);
    assert_int_equal(lines.methods[method].statements, 7);
    assert_int_equal(lines.methods[method].own, 70);
    release();
}

static void without_counters_the_streams_are_counted(void **state)
{
    (void)state;
    const struct recording_event events[] = {E(1, 16),
                                             {.clock = START + 2, .kind = RECORDING_AT_SITE, .site = 16, .cell = 0},
                                             {.clock = START + 3, .kind = RECORDING_AT_SITE, .site = 16, .cell = 0},
                                             L(4)};
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    define_module(1, 1, "/a.cs");
    define_statement(1, 1, 16, 3, 1);
    write_stream(1, events, 4);
    finish(4, 0, 1, true);
    read_lines();
    assert_int_equal(lines.count, 1);
    expect_row(0, 3, 1, 2, 0);
    assert_false(lines.has_time);
    assert_int_equal(lines_clock(model, &lines), CLOCK_KIND_NONE);
    release();
}

static void counts_of_a_part_of_the_file_can_be_shown(void **state)
{
    (void)state;
    const struct recording_event one[] = {
        E(1, 16), {.clock = START + 2, .kind = RECORDING_AT_SITE, .site = 16, .cell = 0}, L(4)};
    struct line_counts *counts;
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    define_module(1, 1, "/a.cs");
    define_statement(1, 1, 16, 3, 1);
    write_stream(1, one, 3);
    write_stream(2, one, 3);
    finish(6, 0, 2, true);
    model = load((struct model_options){0});
    sites = load_sites();
    assert_int_equal(line_counts_new(model->recording, sites, &counts), CLEW_OK);
    assert_true(line_counts_done(counts) == 0);
    assert_int_equal(lines_of(counts, model, &lines), CLEW_OK);
    expect_row(0, 3, 1, 0, 0);
    lines_free(&lines);

    assert_int_equal(line_counts_advance(counts), CLEW_OK); // there are no counters
    assert_int_equal(line_counts_advance(counts), CLEW_OK); // the first stream's block
    assert_true(line_counts_done(counts) > 0 && line_counts_done(counts) < 1);
    assert_int_equal(lines_of(counts, model, &lines), CLEW_OK);
    expect_row(0, 3, 1, 1, 0);
    lines_free(&lines);

    assert_int_equal(line_counts_advance(counts), CLEW_OK);
    assert_int_equal(line_counts_advance(counts), CLEW_NOT_FOUND);
    assert_true(line_counts_done(counts) == 1);
    assert_int_equal(lines_of(counts, model, &lines), CLEW_OK);
    assert_int_equal(lines.count, 1);
    expect_row(0, 3, 1, 2, 0);
    line_counts_free(counts);
    release();
}

// A site's number can be anything, and the event may come before other processes' sites with the same number.
static void sites_with_absurd_numbers_are_counted(void **state)
{
    (void)state;
    enum { HIGH = 0xFFFFFF };
    const struct recording_event events[] = {E(1, 16),
                                             {.clock = START + 2, .kind = RECORDING_AT_SITE, .site = HIGH, .cell = 0},
                                             {.clock = START + 3, .kind = RECORDING_AT_SITE, .site = HIGH, .cell = 0},
                                             {.clock = START + 3, .kind = RECORDING_AT_SITE, .site = 16, .cell = 0},
                                             L(4)};
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    define_module(1, 1, "/a.cs");
    define_module(2, 1, "/b.cs");
    define_statement(1, 1, 16, 3, 1);
    define_statement(1, 1, HIGH, 4, 1);
    define_statement(2, 1, 16, 5, 1);
    write_stream(1, events, 5);
    finish(5, 0, 1, true);
    read_lines();
    expect_row(0, 3, 1, 1, 0);
    expect_row(1, 4, 1, 2, 0);
    release();
}

static void times_are_those_of_the_tick_word_by_default(void **state)
{
    (void)state;
    make_lines(path, CLOCK_KIND_MONOTONIC, 0);
    read_lines();
    assert_true(lines.has_time);
    assert_int_equal(lines_clock(model, &lines), CLOCK_KIND_TICK);
    model->session.flags |= SESSION_LINES_BY_CLOCK;
    assert_int_equal(lines_clock(model, &lines), CLOCK_KIND_MONOTONIC);
    release();
    make_lines(path, CLOCK_KIND_NONE, 0);
    read_lines();
    assert_int_equal(lines_clock(model, &lines), CLOCK_KIND_NONE);
    release();
}

static void a_recording_without_statements_has_no_lines(void **state)
{
    (void)state;
    make_calls(path);
    model = load((struct model_options){0});
    sites = load_sites();
    assert_int_equal(lines_load(model, sites, &lines), CLEW_NOTHING_RECORDED);
    release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_by_path_line_and_column),
        cmocka_unit_test(one_range_is_one_row_in_all_processes),
        cmocka_unit_test(a_later_counter_replaces_the_earlier),
        cmocka_unit_test(a_method_counts_statements_without_a_place_too),
        cmocka_unit_test(without_counters_the_streams_are_counted),
        cmocka_unit_test(counts_of_a_part_of_the_file_can_be_shown),
        cmocka_unit_test(sites_with_absurd_numbers_are_counted),
        cmocka_unit_test(times_are_those_of_the_tick_word_by_default),
        cmocka_unit_test(a_recording_without_statements_has_no_lines),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
