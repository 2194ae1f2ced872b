// Numbers with their units.
#include "view/text/format_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_times(void **state)
{
    (void)state;
    char room[FORMAT_CELL];
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {{0, "0 ns"},
                 {999, "999 ns"},
                 {1000, "1.000 us"},
                 {999999, "999.999 us"},
                 {1000000, "1.000 ms"},
                 {999999499, "999.999 ms"},
                 {999999999, "1.000 s"},
                 {1234567890, "1.235 s"},
                 {UINT64_MAX, "18446744073.710 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(format_ns(room, cases[i].ns), cases[i].text);
    }
}

static void rough_durations_have_two_digits(void **state)
{
    (void)state;
    char room[FORMAT_CELL];
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {{0, "0 ns"},          {3, "3 ns"},           {994, "990 ns"},      {995, "1.0 us"},
                 {3366000, "3.4 ms"},  {9960000, "10 ms"},    {83696000, "84 ms"},  {912135000, "910 ms"},
                 {996000000, "1.0 s"}, {2946000000, "2.9 s"}, {75000000000, "75 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(format_rough(room, CLOCK_KIND_TSC, cases[i].ns), cases[i].text);
    }
    assert_string_equal(format_rough(room, CLOCK_KIND_TICK, 99999), "< 100 us");
}

static void test_counts_and_sizes(void **state)
{
    (void)state;
    char room[FORMAT_CELL];
    assert_string_equal(format_count(room, 0), "0");
    assert_string_equal(format_count(room, 999), "999");
    assert_string_equal(format_count(room, 1000), "1,000");
    assert_string_equal(format_count(room, 1234567), "1,234,567");
    assert_string_equal(format_count(room, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(format_size(room, 1), "1 bytes");
    assert_string_equal(format_size(room, 1536), "1.5 KiB");
    assert_string_equal(format_size(room, UINT64_C(3) << 30), "3.0 GiB");
    assert_string_equal(format_share(room, 1, 3), "33.3 %");
    assert_string_equal(format_share(room, 1, 0), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(rough_durations_have_two_digits),
        cmocka_unit_test(test_counts_and_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
