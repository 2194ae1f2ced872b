// The blocks of events of each thread: in the order of the file, with ordinals and ascending clocks.
#include "model/events/event_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../opened.h"
#include "../recording_path.h"
#include "trace/instrument.h"

static void write_pair(uint32_t thread, uint64_t from, uint64_t to)
{
    const struct recording_event events[] = {E(from, 16), L(to)};
    struct recording_events block = block_of(thread, events, 2);
    must(recording_write_events(writer, &block));
}

// Thread 2 from 4 to 5, then thread 1 from 1 to 3 and from 6 to 9: in the file in this order.
static int make_blocks(void **state)
{
    if (make_path(state) != 0) {
        return -1;
    }
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    write_pair(2, 4, 5);
    write_pair(1, 1, 3);
    write_pair(1, 6, 9);
    finish(6, 0, 2, true);
    return 0;
}

static void test_threads_come_in_the_order_of_the_file(void **state)
{
    struct event_blocks blocks = {0};
    (void)state;
    must(event_blocks_list(&blocks, opened(path), NULL, NULL));
    assert_int_equal(blocks.thread_count, 2);
    assert_int_equal(blocks.threads[0].thread, 2);
    assert_int_equal(blocks.threads[1].thread, 1);
    assert_int_equal(blocks.count, 3);
    static const struct event_block_place order[] = {{0, 0}, {1, 0}, {1, 1}};
    for (size_t i = 0; i < blocks.count; i++) {
        assert_int_equal(blocks.order[i].thread, order[i].thread);
        assert_int_equal(blocks.order[i].block, order[i].block);
    }
    event_blocks_free(&blocks);
}

static void test_events_of_a_thread_are_counted_through(void **state)
{
    struct event_blocks blocks = {0};
    (void)state;
    must(event_blocks_list(&blocks, opened(path), NULL, NULL));
    const struct thread_blocks *thread = event_blocks_thread(&blocks, 1, 1);
    assert_non_null(thread);
    assert_int_equal(thread->events, 4);
    static const size_t found[] = {0, 0, 1, 1, 2};
    for (uint64_t ordinal = 0; ordinal < 5; ordinal++) {
        assert_int_equal(thread_blocks_at_ordinal(thread, ordinal), found[ordinal]);
    }
    assert_int_equal(thread_blocks_at_clock(thread, START), 0);
    assert_int_equal(thread_blocks_at_clock(thread, START + 3), 0);
    assert_int_equal(thread_blocks_at_clock(thread, START + 4), 1);
    assert_int_equal(thread_blocks_at_clock(thread, START + 10), 2);
    assert_null(event_blocks_thread(&blocks, 1, 3));
    event_blocks_free(&blocks);
}

static bool begins_later(void *context, const struct recording_block *block)
{
    return block->first_clock >= *(const uint64_t *)context;
}

// A block that is not wanted counts for the ordinals of later ones.
static void test_only_wanted_blocks_are_listed(void **state)
{
    struct event_blocks blocks = {0};
    uint64_t from = START + 5;
    (void)state;
    must(event_blocks_list(&blocks, opened(path), begins_later, &from));
    assert_int_equal(blocks.count, 1);
    assert_int_equal(event_blocks_thread(&blocks, 1, 2)->count, 0);
    const struct thread_blocks *thread = event_blocks_thread(&blocks, 1, 1);
    assert_int_equal(thread->count, 1);
    assert_int_equal(thread->blocks[0].ordinal, 2);
    assert_int_equal(thread_blocks_at_ordinal(thread, 1), 1); // its block is not listed
    assert_int_equal(thread_blocks_at_ordinal(thread, 3), 0);
    event_blocks_free(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_come_in_the_order_of_the_file),
        cmocka_unit_test(test_events_of_a_thread_are_counted_through),
        cmocka_unit_test(test_only_wanted_blocks_are_listed),
    };
    return cmocka_run_group_tests(tests, make_blocks, remove_path);
}
