// Histograms of durations: each is in a bucket that differs little from it, and quantiles are those of a sorted list.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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

static int ascending(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// Durations of all sizes, as many of each octave.
static void quantiles_are_within_six_percent(void **state)
{
    (void)state;
    enum { COUNT = 10007 };
    static const double parts[] = {0, 0.01, 0.5, 0.9, 0.99, 1};
    static uint64_t durations[COUNT], counts[HISTOGRAM_BUCKETS];
    uint64_t random = 1;
    for (size_t i = 0; i < COUNT; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        durations[i] = (random >> 18) >> (random & 31);
        counts[histogram_bucket(durations[i])]++;
    }
    qsort(durations, COUNT, sizeof *durations, ascending);
    assert_int_equal(histogram_total(counts), COUNT);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t rank = (size_t)(parts[i] * COUNT);
        rank += rank < parts[i] * COUNT;
        uint64_t exact = durations[rank ? rank - 1 : 0], found = histogram_quantile(counts, parts[i]);
        uint64_t error = found > exact ? found - exact : exact - found;
        assert_true(error * 100 <= exact * 6);
    }
}

static void small_durations_are_exact(void **state)
{
    (void)state;
    uint64_t counts[HISTOGRAM_BUCKETS] = {[3] = 2, [15] = 1};
    assert_int_equal(histogram_quantile(counts, 0.5), 3);
    assert_int_equal(histogram_quantile(counts, 0.67), 15);
    assert_int_equal(histogram_quantile(counts, 1), 15);
    assert_int_equal(histogram_quantile((const uint64_t[HISTOGRAM_BUCKETS]){0}, 0.5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_begins_where_the_one_before_ends),
        cmocka_unit_test(quantiles_are_within_six_percent),
        cmocka_unit_test(small_durations_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
