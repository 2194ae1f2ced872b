// Which blocks a timeline reads: those of a thread, in a window, chained by thread and in the order of time.
#include "model/timeline_blocks.h"

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

static enum clew_error list(uint32_t thread, uint64_t from, uint64_t to, struct timeline_blocks *out)
{
    const struct timeline_options options = {.thread = thread, .from = from, .to = to};
    *out = (struct timeline_blocks){0};
    return timeline_blocks_list(opened(path), &options, out);
}

static void test_blocks_of_a_thread_are_chained_in_order(void **state)
{
    struct timeline_blocks blocks;
    (void)state;
    assert_int_equal(list(0, 0, UINT64_MAX, &blocks), CLEW_OK);
    assert_int_equal(blocks.count, 3);
    assert_int_equal(blocks.thread_count, 2);
    assert_int_equal(blocks.threads[0].thread, 2);
    assert_int_equal(blocks.chains[0].first, 0);
    assert_int_equal(blocks.blocks[0].next, TIMELINE_NO_BLOCK);
    assert_int_equal(blocks.chains[1].first, 1);
    assert_int_equal(blocks.blocks[1].next, 2);
    assert_int_equal(blocks.blocks[2].next, TIMELINE_NO_BLOCK);
    assert_int_equal(blocks.blocks[1].order, 0);
    assert_int_equal(blocks.blocks[0].order, 1);
    assert_int_equal(blocks.blocks[2].order, 2);
    timeline_blocks_free(&blocks);
}

static void test_only_requested_blocks_are_listed(void **state)
{
    struct timeline_blocks blocks;
    (void)state;
    assert_int_equal(list(1, START + 6, UINT64_MAX, &blocks), CLEW_OK);
    assert_int_equal(blocks.count, 1);
    assert_int_equal(blocks.blocks[0].first, START + 6);
    timeline_blocks_free(&blocks);
    assert_int_equal(list(0, START + 3, START + 4, &blocks), CLEW_OK); // both ends belong to it
    assert_int_equal(blocks.count, 2);
    timeline_blocks_free(&blocks);
    assert_int_equal(list(1, START + 100, UINT64_MAX, &blocks), CLEW_OK); // there are some, but none then
    assert_int_equal(blocks.count, 0);
    timeline_blocks_free(&blocks);
    assert_int_equal(list(3, 0, UINT64_MAX, &blocks), CLEW_NOTHING_RECORDED);
    timeline_blocks_free(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_of_a_thread_are_chained_in_order),
        cmocka_unit_test(test_only_requested_blocks_are_listed),
    };
    return cmocka_run_group_tests(tests, make_blocks, remove_path);
}
