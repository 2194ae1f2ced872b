// Counters of lines: how often each began, and how long until the next.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

static void each_line_counts_how_often_it_begins(void **state)
{
    (void)state;
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_LINES};
    run_given(&given, "ldc.i4.0; stloc.0; a: ldloc.0; ldc.i4.1; add; stloc.0; ldloc.0; ldc.i4.3; blt.s a; ret", &run,
              &log);
    assert_int_equal(run.counters[0].count, 1);
    assert_int_equal(run.counters[1].count, 3);
    assert_int_equal(run.counters[2].count, 3);
    assert_int_equal(run.counters[3].count, 1);
    assert_int_equal(run.counters[4].count, 0);
    assert_ptr_equal(run.lines.current, &run.outside);
    buffer_free(&log);
}

static void a_line_s_time_ends_where_the_next_begins(void **state)
{
    (void)state;
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_LINES, .line_times = true};
    world_tick = &run.tick;
    run_given(&given, "nop; ldloca.s 0; call $In; ldloca.s 0; call $In; ldc.i4.1; pop; ret", &run, &log);
    assert_int_equal(run.counters[0].own, 10);
    assert_int_equal(run.counters[1].own, 10);
    assert_int_equal(run.counters[2].own, 0);
    assert_int_equal(run.counters[2].count, 1);
    assert_int_equal(run.outside.own, 0);
    assert_int_equal(run.lines.last, 20);
    assert_ptr_equal(run.lines.current, &run.outside);
    world_tick = NULL;
    buffer_free(&log);
}

// By a clock that is called: 7 each time it is asked, by five statements and the exit.
static void lines_may_be_timed_by_a_clock_that_is_called(void **state)
{
    (void)state;
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_LINES, .line_times = true};
    all_targets.lines_now = TARGET + 15;
    run_given(&given, "nop; ldc.i4.1; pop; nop; ret", &run, &log);
    assert_int_equal(run.counters[0].own, 7);
    assert_int_equal(run.counters[1].own, 7);
    assert_int_equal(run.counters[1].count, 1);
    assert_int_equal(run.outside.own, 7);
    assert_int_equal(run.lines.last, run.clock);
    assert_ptr_equal(run.lines.current, &run.outside);
    all_targets.lines_now = 0;
    buffer_free(&log);
}

// Unoptimised code would give each `dup` a stack slot. The counter of the second line is 16 bytes behind that of the
// first.
static void counting_needs_no_stack_slot_of_its_own(void **state)
{
    (void)state;
    struct buffer said = {0};
    woven_il(MAIN, INSTRUMENT_LINES, "nop; ldc.i4.0; pop; ret", &said);
    const char *text = (const char *)said.data;
    assert_non_null(strstr(text, "+ldloc.s 10\n+ldloc.s 10\n+ldind.i8\n+ldc.i4.1\n+conv.i8\n+add\n+stind.i8\n"));
    assert_non_null(strstr(text, "+ldloc.s 10\n+ldc.i4.s 10\n+add\n+ldloc.s 10\n+ldc.i4.s 10\n+add\n+ldind.i8\n"));
    assert_null(strstr(text, "+dup"));
    buffer_free(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_counts_how_often_it_begins),
        cmocka_unit_test(a_line_s_time_ends_where_the_next_begins),
        cmocka_unit_test(lines_may_be_timed_by_a_clock_that_is_called),
        cmocka_unit_test(counting_needs_no_stack_slot_of_its_own),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
