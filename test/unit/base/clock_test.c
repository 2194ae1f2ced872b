// Clocks go forwards, and the counter's rate agrees with the kernel's clock.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

static void names_and_kinds_belong_together(void **state)
{
    (void)state;
    const char *const names[] = {"tsc", "monotonic", "tick", "none"};
    for (int i = 0; i < 4; i++) {
        enum clock_kind kind;
        assert_true(clock_from_name(names[i], &kind));
        assert_int_equal(kind, i); // stored in files
        assert_string_equal(clock_name(kind), names[i]);
    }
    enum clock_kind kind;
    assert_false(clock_from_name("TSC", &kind));
    assert_false(clock_from_name("", &kind));
}

static void clocks_do_not_go_back(void **state)
{
    (void)state;
    uint64_t before = clock_monotonic_ns(), counter = clock_tsc();
    for (int i = 0; i < 100000; i++) {
        uint64_t now = clock_monotonic_ns(), count = clock_tsc();
        assert_true(now >= before && count >= counter);
        before = now;
        counter = count;
    }
}

static void real_time_is_this_century(void **state)
{
    (void)state;
    assert_true(clock_realtime_ns() > UINT64_C(1577836800) * 1000000000); // 2020
    assert_true(clock_realtime_ns() < UINT64_C(4102444800) * 1000000000); // 2100
}

static void the_rate_is_the_same_over_short_and_long(void **state)
{
    (void)state;
    struct clock_pair start = clock_pair_now();
    (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    struct clock_pair middle = clock_pair_now();
    (void)nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    struct clock_pair end = clock_pair_now();
    double first = clock_rate_hz(start, middle), whole = clock_rate_hz(start, end);
    assert_true(first > 1e6 && first < 1e11);
    assert_true(first / whole > 0.999 && first / whole < 1.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_kinds_belong_together),
        cmocka_unit_test(clocks_do_not_go_back),
        cmocka_unit_test(real_time_is_this_century),
        cmocka_unit_test(the_rate_is_the_same_over_short_and_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
