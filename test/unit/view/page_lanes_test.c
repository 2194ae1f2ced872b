// Spans and columns of the timeline.
#include "view/page/page_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

// 10 columns of 100 ticks, 2 levels.
static struct page_lanes ten(void)
{
    return (struct page_lanes){.from = 1000, .to = 2000, .width = 10, .depth = 2};
}

static struct page_span call(uint64_t begin, uint64_t end, uint32_t depth, uint32_t method)
{
    return (struct page_span){.begin = begin, .end = end, .depth = depth, .method = method, .call = begin, .calls = 1};
}

static void add(struct page_lanes *lanes, struct page_lane *lane, struct page_span span)
{
    assert_true(page_lanes_call(lanes, lane, &span));
}

static void test_short_calls_are_merged(void **state)
{
    struct page_lanes lanes = ten();
    struct page_lane *lane = page_lanes_of(&lanes, 1, 1);
    (void)state;
    assert_ptr_equal(lane, page_lanes_of(&lanes, 1, 1));
    for (uint64_t i = 0; i < 9; i++) {
        add(&lanes, lane, call(1000 + 10 * i, 1005 + 10 * i, 0, i == 3 ? 18 : 17));
    }
    add(&lanes, lane, call(1200, 1500, 0, 19)); // long: it stays
    add(&lanes, lane, call(1510, 1520, 2, 20)); // too deep
    assert_true(page_lanes_finish(&lanes));
    assert_int_equal(lane->count, 2);
    assert_int_equal(lane->spans[0].calls, 9);
    assert_int_equal(lane->spans[0].method, 17);
    assert_int_equal(lane->spans[0].call, 0);
    assert_int_equal(lane->spans[0].begin, 1000);
    assert_int_equal(lane->spans[0].end, 1085);
    assert_int_equal(lane->spans[1].call, 1200);
    page_lanes_free(&lanes);
}

static void test_merged_calls_stay_within_a_column(void **state)
{
    struct page_lanes lanes = ten();
    struct page_lane *lane = page_lanes_of(&lanes, 1, 1);
    uint64_t calls = 0;
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        add(&lanes, lane, call(1000 + 10 * i, 1009 + 10 * i, 1, 17));
    }
    assert_true(page_lanes_finish(&lanes));
    for (size_t i = 0; i < lane->count; i++) {
        assert_true(lane->spans[i].end - lane->spans[i].begin <= 100);
        calls += lane->spans[i].calls;
    }
    assert_int_equal(calls, 100);
    assert_true(lane->count <= 11);
    page_lanes_free(&lanes);
}

static void test_time_is_spread_over_columns(void **state)
{
    struct page_lanes lanes = ten();
    struct page_lane *lane = page_lanes_of(&lanes, 1, 2);
    (void)state;
    page_lanes_time(&lanes, lane, 900, 1050, 150, 17, 150); // 50 of them are in the range
    page_lanes_time(&lanes, lane, 1050, 1060, 10, 18, 10);
    page_lanes_time(&lanes, lane, 1150, 1350, 100, 19, 100); // half busy
    page_lanes_time(&lanes, lane, 1950, 5000, 3050, 20, 3050);
    assert_true(lane->columns[0].busy == 60 && lane->columns[0].method == 17);
    assert_true(lane->columns[1].busy == 25 && lane->columns[2].busy == 50 && lane->columns[3].busy == 25);
    assert_true(lane->columns[2].method == 19 && lane->columns[4].busy == 0 && lane->columns[4].method == 0);
    assert_true(lane->columns[9].busy > 49.9 && lane->columns[9].busy < 50.1);
    page_lanes_free(&lanes);
}

static void test_too_many_threads(void **state)
{
    struct page_lanes lanes = {.from = 0, .to = 10, .width = 1, .depth = 1};
    (void)state;
    for (uint32_t i = 1; i <= PAGE_LANES_MAX; i++) {
        assert_non_null(page_lanes_of(&lanes, 1, i));
    }
    assert_null(page_lanes_of(&lanes, 1, PAGE_LANES_MAX + 1));
    assert_null(page_lanes_of(&lanes, 1, PAGE_LANES_MAX + 1));
    assert_null(page_lanes_of(&lanes, 2, 1));
    assert_int_equal(lanes.left_out, 2);
    page_lanes_free(&lanes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_calls_are_merged), cmocka_unit_test(test_merged_calls_stay_within_a_column),
        cmocka_unit_test(test_time_is_spread_over_columns), cmocka_unit_test(test_too_many_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
