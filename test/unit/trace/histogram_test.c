// Histograms of durations: each is in a bucket that differs little from it, and quantiles are those of a sorted list.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/histogram.h"

static void a_bucket_begins_where_the_one_before_ends(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t from = histogram_from(i), after = histogram_from(i + 1);
        assert_true(after > from);
        assert_int_equal(histogram_bucket(from), i);
        assert_int_equal(histogram_bucket(after - 1), i);
        assert_true(after - from <= 1 || (after - from) * 8 <= from);
    }
    assert_int_equal(histogram_from(0), 0);
    assert_int_equal(histogram_from(HISTOGRAM_BUCKETS), UINT64_C(1) << HISTOGRAM_OCTAVES);
    assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void the_middle_is_within_six_percent_of_each_duration(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t shortest = histogram_from(i), longest = histogram_from(i + 1) - 1, middle = histogram_middle(i);
        assert_true(shortest <= middle && middle <= longest);
        assert_true((middle - shortest) * 100 <= shortest * 6);
        assert_true((longest - middle) * 100 <= longest * 6);
    }
}

static void small_durations_are_exact(void **state)
{
    (void)state;
    for (uint64_t ticks = 0; ticks < 16; ticks++) {
        assert_int_equal(histogram_middle(histogram_bucket(ticks)), ticks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_begins_where_the_one_before_ends),
        cmocka_unit_test(the_middle_is_within_six_percent_of_each_duration),
        cmocka_unit_test(small_durations_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
