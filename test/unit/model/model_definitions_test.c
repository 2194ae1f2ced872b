// What definitions and block headers alone say about a recording, with model_options.names_only: no stream is decoded.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static const struct model_options headers_only = {.names_only = true};

static void the_end_gives_the_totals(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = load(headers_only);
    assert_true(model->has_end && model->has_stream);
    assert_false(model->has_tree);
    assert_int_equal(model->events, 26);
    assert_int_equal(model->tree_count, 0);
    assert_int_equal(model->catalog.thread_count, 2);
    model_free(model);
}

static void without_an_end_the_headers_do(void **state)
{
    (void)state;
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, main_events, 3);
    write_stream(2, worker_events, sizeof worker_events / sizeof *worker_events);
    must(recording_close(writer, NULL));
    struct model *model = load(headers_only);
    assert_false(model->has_end);
    assert_int_equal(model->events, 3 + 4);
    assert_int_equal(model->ended_clock, START + 10000); // the process's end; the last block ends at 8,050
    model_free(model);
}

static void a_thread_without_a_definition_is_known_by_its_block(void **state)
{
    (void)state;
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    write_stream(7, main_events, 3);
    must(recording_close(writer, NULL));
    struct model *model = load(headers_only);
    assert_int_equal(model->catalog.thread_count, 1);
    assert_int_equal(model->catalog.threads[0].record.thread, 7);
    assert_int_not_equal(catalog_find_process(&model->catalog, 1), CATALOG_NONE);
    assert_int_equal(model->ended_clock, main_events[2].clock);
    model_free(model);
}

// Whether a recording of two blocks of a thread with these clocks reads as damaged.
static bool is_damaged(uint64_t first, uint64_t last, uint64_t next)
{
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    struct recording_events block = block_of(1, main_events, 1);
    block.first_clock = first;
    block.last_clock = last;
    must(recording_write_events(writer, &block));
    block.first_clock = block.last_clock = next;
    must(recording_write_events(writer, &block));
    finish(0, 0, 1, true);
    struct model *model = load(headers_only);
    bool damaged = model_damaged(model);
    assert_int_equal(model->complete, !damaged);
    model_free(model);
    return damaged;
}

static void blocks_that_go_back_in_time_are_damage(void **state)
{
    (void)state;
    assert_false(is_damaged(START + 100, START + 200, START + 200));
    assert_true(is_damaged(START + 200, START + 100, START + 300));
    assert_true(is_damaged(START + 100, START + 200, START + 199));
}

// A repaired file's END was computed from the rest of the file, so it is no better than the model's own sums.
static void the_end_of_a_repaired_file_does_not_count(void **state)
{
    (void)state;
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, main_events, 3);
    must(recording_close(writer, &(struct recording_end){.events = 1000, .lost = 5, .repaired = true}));
    struct model *model = load(headers_only);
    assert_true(model->repaired);
    assert_false(model->has_end);
    assert_int_equal(model->events, 3);
    assert_int_equal(model->lost, 0);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_gives_the_totals),
        cmocka_unit_test(without_an_end_the_headers_do),
        cmocka_unit_test(a_thread_without_a_definition_is_known_by_its_block),
        cmocka_unit_test(blocks_that_go_back_in_time_are_damage),
        cmocka_unit_test(the_end_of_a_repaired_file_does_not_count),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
