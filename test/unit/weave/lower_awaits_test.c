// What is made anew where a suspended method goes on: counters of lines and TypedReferences.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

enum awaits { AT_ONCE, SUSPENDED, THROWN_AT_ONCE, THROWN_SUSPENDED };

// Runs a body whose awaits all go that way.
static void run_async(const char *text, bool times, enum awaits awaits, struct run *run)
{
    struct buffer log = {0};
    const struct given given = {.method = LATER, .instruments = INSTRUMENT_LINES, .line_times = times};
    awaits_suspend = awaits == SUSPENDED || awaits == THROWN_SUSPENDED;
    awaits_throw = awaits == THROWN_AT_ONCE || awaits == THROWN_SUSPENDED;
    world_tick = &run->tick;
    run_given(&given, text, run, &log);
    world_tick = NULL;
    awaits_suspend = awaits_throw = false;
    buffer_free(&log);
}

static void expect_lines(const struct weave_line *counters, const uint64_t expected[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(counters[i].count, expected[i][0]);
        assert_int_equal(counters[i].own, expected[i][1]);
    }
}

#define EXPECT_LINES(counters, ...)                            \
    expect_lines(counters, (const uint64_t[][2]){__VA_ARGS__}, \
                 sizeof((const uint64_t[][2]){__VA_ARGS__}) / sizeof(uint64_t[2]))

static const char plain[] = "ldloca.s 0; call $In; call $Later; call $Await; ldloca.s 0; call $In; ret";

static void an_await_without_a_suspension_is_time_of_its_line(void **state)
{
    (void)state;
    struct run run;
    run_async(plain, true, AT_ONCE, &run);
    EXPECT_LINES(run.counters, {1, 10}, {1, 1100}, {1, 10}, {1, 0});
    assert_int_equal(run.outside.own, 0);
    assert_ptr_equal(run.lines.current, &run.outside);
}

// The other thread did nothing before. What the first one does meanwhile is its own.
static void a_suspended_method_counts_on_the_thread_where_it_goes_on(void **state)
{
    (void)state;
    struct run run;
    run_async(plain, true, SUSPENDED, &run);
    EXPECT_LINES(run.counters, {1, 10}, {1, 0}, {0, 0}, {0, 0});
    EXPECT_LINES(run.other_counters, {0, 0}, {0, 0}, {1, 10}, {1, 0});
    assert_int_equal(run.other_outside.own, 1110);
    assert_ptr_equal(run.lines.current, &run.outside);
    assert_ptr_equal(run.other_lines.current, &run.other_outside);
}

static void counts_alone_go_on_there_too(void **state)
{
    (void)state;
    struct run run;
    run_async(plain, false, AT_ONCE, &run);
    EXPECT_LINES(run.counters, {1, 0}, {1, 0}, {1, 0}, {1, 0});
    run_async(plain, false, SUSPENDED, &run);
    EXPECT_LINES(run.counters, {1, 0}, {1, 0}, {0, 0}, {0, 0});
    EXPECT_LINES(run.other_counters, {0, 0}, {0, 0}, {1, 0}, {1, 0});
}

// Its time is its own, and it is not counted twice.
static void a_line_goes_on_behind_its_await(void **state)
{
    (void)state;
    struct run run;
    const char *text = "ldc.i4.0; call $Later; call $Await; ldloca.s 0; call $In; pop; ret";
    run_async(text, true, SUSPENDED, &run);
    EXPECT_LINES(run.counters, {1, 0}, {0, 0});
    EXPECT_LINES(run.other_counters, {0, 10}, {1, 0});
    run_async(text, true, AT_ONCE, &run);
    EXPECT_LINES(run.counters, {1, 1110}, {1, 0});
}

// The line that ran, and not the one that comes last in the order of the code.
static void the_line_that_goes_on_is_the_one_that_ran(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 0}, {.il_offset = 3}, {.il_offset = 27}};
    struct run run;
    struct buffer log = {0};
    const struct given given = {
        .method = LATER, .instruments = INSTRUMENT_LINES, .line_times = true, .points = points, .point_count = 3};
    const char *text = "ldc.i4.1; brtrue.s a; ldloca.s 0; call $In; a: call $Later; call $Await; "
                       "ldloca.s 0; call $In; ret";
    for (int suspends = 0; suspends < 2; suspends++) {
        awaits_suspend = suspends;
        world_tick = &run.tick;
        run_given(&given, text, &run, &log);
        EXPECT_LINES(run.counters, {1, suspends ? 0 : 1110}, {0, 0}, {!suspends, 0});
        EXPECT_LINES(run.other_counters, {0, suspends ? 10 : 0}, {0, 0}, {(uint64_t)suspends, 0});
        buffer_clear(&log);
    }
    awaits_suspend = false;
    world_tick = NULL;
    buffer_free(&log);
}

// As behind a callee that has thrown.
static void another_method_s_line_does_not_go_on(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 17}};
    struct run run;
    struct buffer log = {0};
    const struct given given = {
        .method = LATER, .instruments = INSTRUMENT_LINES, .line_times = true, .points = points, .point_count = 1};
    awaits_suspend = true;
    world_tick = &run.tick;
    run_given(&given, "call $Later; call $Await; ldloca.s 0; call $In; ret", &run, &log);
    world_tick = NULL;
    awaits_suspend = false;
    EXPECT_LINES(run.other_counters, {1, 0});
    assert_int_equal(run.other_outside.own, 1110);
    assert_ptr_equal(run.other_lines.current, &run.other_outside);
    buffer_free(&log);
}

static const char caught[] = "t: call $Later; call $Await; leave.s o; h: pop; ldloca.s 0; call $In; leave.s o; o: ret\n"
                             ".catch t h h o";
static const char filtered[] =
    "t: call $Later; call $Await; leave.s o; f: pop; ldloca.s 0; call $In; ldc.i4.1; endfilter; "
    "h: pop; ldloca.s 0; call $In; leave.s o; o: ret\n.filter t f f h o";

static void handlers_count_where_the_exception_came(void **state)
{
    (void)state;
    struct run run;
    for (int times = 0; times < 2; times++) {
        uint64_t ten = times ? 10 : 0;
        run_async(caught, times, THROWN_AT_ONCE, &run);
        EXPECT_LINES(run.counters, {1, 0}, {1, ten}, {1, 0});
        assert_ptr_equal(run.lines.current, &run.outside);
        run_async(caught, times, THROWN_SUSPENDED, &run);
        EXPECT_LINES(run.counters, {1, 0}, {0, 0}, {0, 0});
        EXPECT_LINES(run.other_counters, {0, 0}, {1, ten}, {1, 0});
        assert_ptr_equal(run.other_lines.current, &run.other_outside);
    }
}

// The line below the method is read once, and not when the filter's line runs.
static void filters_count_there_as_well(void **state)
{
    (void)state;
    struct run run;
    for (int times = 0; times < 2; times++) {
        uint64_t ten = times ? 10 : 0;
        run_async(filtered, times, THROWN_SUSPENDED, &run);
        EXPECT_LINES(run.counters, {1, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0});
        EXPECT_LINES(run.other_counters, {0, 0}, {1, ten}, {1, 0}, {1, ten}, {1, 0});
        assert_ptr_equal(run.other_lines.current, &run.other_outside);
        run_async(filtered, times, THROWN_AT_ONCE, &run);
        EXPECT_LINES(run.counters, {1, 0}, {1, ten}, {1, 0}, {1, ten}, {1, 0});
        assert_ptr_equal(run.lines.current, &run.outside);
    }
}

// The value of a type parameter is recorded through one, which is empty after a suspension.
static void typed_references_are_made_anew(void **state)
{
    (void)state;
    const struct given given = {.method = LATER_OF,
                                .instruments = INSTRUMENT_VALUES,
                                .locals_token = GENERIC_LOCALS,
                                .arguments = {7},
                                .suspends = true};
    awaits_suspend = true;
    expect_given(&given, "ldarg.0; stloc.0; call $Later; call $Await; ldarg.0; stloc.0; ldloc.0; ret",
                 "in P0=7 L0=7 await0 resumed L0=7 returns 7 leaves");
    awaits_throw = true;
    expect_given(&given,
                 "t: call $Later; call $Await; leave.s o; h: pop; ldarg.0; stloc.0; leave.s o; o: ldarg.0; ret\n"
                 ".catch t h h o",
                 "in P0=7 await0 resumed L0=7 returns 7 leaves");
    awaits_suspend = awaits_throw = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_await_without_a_suspension_is_time_of_its_line),
        cmocka_unit_test(a_suspended_method_counts_on_the_thread_where_it_goes_on),
        cmocka_unit_test(counts_alone_go_on_there_too),
        cmocka_unit_test(a_line_goes_on_behind_its_await),
        cmocka_unit_test(the_line_that_goes_on_is_the_one_that_ran),
        cmocka_unit_test(another_method_s_line_does_not_go_on),
        cmocka_unit_test(handlers_count_where_the_exception_came),
        cmocka_unit_test(filters_count_there_as_well),
        cmocka_unit_test(typed_references_are_made_anew),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
