// Summaries of blocks: time in calls, the methods with the most time, and activations that outlast a block.
#include "model/events/summaries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"

static struct summaries *summarise(void)
{
    struct summaries *made = NULL;
    assert_int_equal(summaries_new(opened(path), &made), CLEW_OK);
    enum clew_error error;
    do {
        error = summaries_advance(made);
    } while (error == CLEW_OK);
    assert_int_equal(error, CLEW_NOT_FOUND);
    assert_true(summaries_done(made) == 1);
    return made;
}

static const uint32_t outer[] = {MAIN};
static const uint64_t outer_clock[] = {START + 100};

static void write_two_blocks(void)
{
    const struct recording_event first[] = {E(100, MAIN), E(150, ADD), L(200), E(250, ADD), L(260)},
                                 second[] = {E(5000, FIB), L(5800), L(6000), E(7000, SAVE), L(7010)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, first, 5);
    struct recording_events block = block_of(1, second, 5);
    block.depth = 1;
    block.open = outer;
    block.open_clock = outer_clock;
    must(recording_write_events(writer, &block));
    must(recording_close(writer, NULL));
}

static void a_block_has_its_calls_and_times(void **state)
{
    (void)state;
    size_t count;
    write_two_blocks();
    struct summaries *made = summarise();
    const struct summary_block *blocks = summaries_blocks(made, &count);
    assert_int_equal(count, 2);
    assert_int_equal(blocks[0].first, START + 100);
    assert_int_equal(blocks[0].last, START + 260);
    assert_int_equal(blocks[0].calls, 3);
    assert_int_equal(blocks[0].busy, 160);
    assert_int_equal(blocks[0].methods[0], MAIN);
    assert_int_equal(blocks[0].own[0], 100);
    assert_int_equal(blocks[0].methods[1], ADD);
    assert_int_equal(blocks[0].own[1], 60);
    assert_int_equal(blocks[0].methods[2], 0);
    summaries_free(made);
}

// Between two blocks the thread was in MAIN, and after MAIN in nothing that was recorded.
static void the_time_before_a_block_belongs_to_it(void **state)
{
    (void)state;
    size_t count;
    write_two_blocks();
    struct summaries *made = summarise();
    const struct summary_block *block = summaries_blocks(made, &count) + 1;
    assert_int_equal(block->first, START + 260);
    assert_int_equal(block->last, START + 7010);
    assert_int_equal(block->calls, 2);
    assert_int_equal(block->busy, 6000 - 260 + 10);
    assert_int_equal(block->methods[0], MAIN);
    assert_int_equal(block->own[0], 5000 - 260 + 200);
    assert_int_equal(block->methods[1], FIB);
    assert_int_equal(block->own[1], 800);
    summaries_free(made);
}

static void activations_that_outlast_a_block_are_spans(void **state)
{
    (void)state;
    size_t count;
    uint32_t threads;
    write_two_blocks();
    struct summaries *made = summarise();
    const struct summary_span *spans = summaries_spans(made, &count);
    assert_int_equal(count, 1);
    assert_int_equal(spans[0].method, MAIN);
    assert_int_equal(spans[0].depth, 0);
    assert_int_equal(spans[0].begin, START + 100);
    assert_int_equal(spans[0].end, START + 6000);
    assert_false(spans[0].open);
    assert_int_equal(summaries_threads(made, &threads)[spans[0].thread].thread, 1);
    assert_int_equal(threads, 1);
    summaries_free(made);
}

static void what_runs_at_the_end_stays_open(void **state)
{
    (void)state;
    size_t count;
    const struct recording_event events[] = {E(100, MAIN), E(200, ADD), L(700)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, events, 3);
    must(recording_close(writer, NULL));
    struct summaries *made = summarise();
    const struct summary_span *spans = summaries_spans(made, &count);
    assert_int_equal(count, 1);
    assert_true(spans[0].open);
    assert_int_equal(spans[0].end, START + 700);
    summaries_free(made);
}

// More methods than the table of times has slots, all with equal low bits of their numbers.
static void methods_that_share_a_slot_are_apart(void **state)
{
    (void)state;
    size_t count;
    struct recording_event events[2000];
    for (uint32_t i = 0; i < 1000; i++) {
        events[2 * i] = (struct recording_event)E(100 + 10 * i, MAIN + (i % 50) * 4096);
        events[2 * i + 1] = (struct recording_event)L(100 + 10 * i + 1 + i % 50 / 10);
    }
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, events, 2000);
    must(recording_close(writer, NULL));
    struct summaries *made = summarise();
    const struct summary_block *block = summaries_blocks(made, &count);
    assert_int_equal(count, 1);
    for (uint32_t i = 0; i < SUMMARY_METHODS; i++) {
        assert_int_equal(block->methods[i], MAIN + (40 + i) * 4096);
        assert_int_equal(block->own[i], 20 * 5);
    }
    assert_int_equal(block->busy, 20 * 10 * (1 + 2 + 3 + 4 + 5));
    summaries_free(made);
}

static void a_damaged_block_is_left_out(void **state)
{
    (void)state;
    size_t count;
    write_two_blocks();
    damage_block(RECORDING_EVENTS, 0);
    struct summaries *made = summarise();
    const struct summary_block *blocks = summaries_blocks(made, &count);
    assert_int_equal(count, 1);
    assert_int_equal(blocks[0].first, START + 5000);
    summaries_free(made);
}

static void without_streams_there_are_none(void **state)
{
    (void)state;
    struct summaries *made;
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_close(writer, NULL));
    assert_int_equal(summaries_new(opened(path), &made), CLEW_NOTHING_RECORDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_has_its_calls_and_times),
        cmocka_unit_test(the_time_before_a_block_belongs_to_it),
        cmocka_unit_test(activations_that_outlast_a_block_are_spans),
        cmocka_unit_test(what_runs_at_the_end_stays_open),
        cmocka_unit_test(methods_that_share_a_slot_are_apart),
        cmocka_unit_test(a_damaged_block_is_left_out),
        cmocka_unit_test(without_streams_there_are_none),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
