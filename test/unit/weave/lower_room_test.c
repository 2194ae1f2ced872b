// Where woven code asks whether its activation still is the newest of its thread, on a runtime that suspends methods.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

static void expect_settled(uint32_t instruments, const char *text, const char *events)
{
    const struct given given = {.method = MAIN, .instruments = instruments, .suspends = true};
    expect_given(&given, text, events);
}

static void events_behind_a_call_settle_what_it_left(void **state)
{
    (void)state;
    expect_settled(INSTRUMENT_STATEMENTS, "nop; ldloca.s 0; call $Out; pop; nop; ldc.i4.1; pop; ldc.i4.2; pop; ret",
                   "#1 settles #a #c #e");
    expect_settled(INSTRUMENT_STATEMENTS, "ldloca.s 0; call $In; ldc.i4.1; pop; ret", "#0 #7 #9");
    const struct given never = {.method = MAIN, .instruments = INSTRUMENT_STATEMENTS};
    expect_given(&never, "ldloca.s 0; call $Out; pop; ldc.i4.1; pop; ret", "#0 #8 #a");
}

// How often the woven code compares, beside loading what it compares with at entry.
static unsigned comparisons(uint32_t token, uint32_t instruments, const char *text)
{
    struct buffer said = {0};
    unsigned count = 0;
    il_suspends = true;
    woven_il(token, instruments, text, &said);
    il_suspends = false;
    for (const char *at = (const char *)said.data; (at = strstr(at, "+ldind.u4\n")); at++) {
        count++;
    }
    buffer_free(&said);
    return count - 1;
}

static void it_is_settled_once_behind_a_call(void **state)
{
    (void)state;
    enum { ALL = INSTRUMENT_STATEMENTS };
    assert_int_equal(comparisons(MAIN, ALL, "ldc.i4.0; pop; ldc.i4.1; pop; ret"), 0);
    assert_int_equal(comparisons(MAIN, ALL, "ldloca.s 0; call $In; ldc.i4.1; pop; ret"), 1);
    assert_int_equal(comparisons(MAIN, ALL, "ldsfld $sf; pop; ldc.i4.1; pop; ret"), 1); // a static constructor
}

static void paths_bring_along_whether_they_called(void **state)
{
    (void)state;
    enum { ALL = INSTRUMENT_STATEMENTS };
    // Of the paths to a label one has called; none has.
    assert_int_equal(
        comparisons(MAIN, ALL,
                    "ldloc.0; brtrue.s a; ldloca.s 0; call $In; br.s b; a: ldc.i4.1; pop; b: ldc.i4.2; pop; ret"),
        1);
    assert_int_equal(comparisons(MAIN, ALL, "ldloc.0; brtrue.s a; ldc.i4.1; pop; a: ldc.i4.2; pop; ret"), 0);
    // Behind a branch back something may have called.
    assert_int_equal(comparisons(MAIN, ALL, "a: ldc.i4.1; pop; ldloc.0; brtrue.s a; ret"), 1);
}

// How often the woven code compares the tick word with that of its context. Each comparison loads both.
static unsigned moments(const char *text)
{
    struct buffer said = {0};
    unsigned loads = 0;
    il_orders = true;
    woven_il(MAIN, INSTRUMENT_STATEMENTS, text, &said);
    il_orders = false;
    for (const char *at = (const char *)said.data; (at = strstr(at, "+ldind.i8\n")); at++) {
        loads++;
    }
    buffer_free(&said);
    assert_int_equal(loads % 2, 0);
    return loads / 2;
}

static void an_event_behind_a_call_asks_for_the_time_once(void **state)
{
    (void)state;
    assert_int_equal(moments("ldc.i4.0; pop; ldc.i4.1; pop; ret"), 0);
    assert_int_equal(moments("ldloca.s 0; call $In; ldc.i4.1; pop; ldc.i4.2; pop; ret"), 1);
    // Of the paths to a label one has called; none has.
    assert_int_equal(
        moments("ldloc.0; brtrue.s a; ldloca.s 0; call $In; br.s b; a: ldc.i4.1; pop; b: ldc.i4.2; pop; ret"), 1);
    assert_int_equal(moments("ldloc.0; brtrue.s a; ldc.i4.1; pop; a: ldc.i4.2; pop; ret"), 0);
    // A loop without a call never asks. One with a call does behind the call, and where it begins again.
    assert_int_equal(moments("a: ldc.i4.1; pop; ldloc.0; brtrue.s a; ret"), 0);
    assert_int_equal(moments("a: ldc.i4.1; pop; ldloca.s 0; call $In; ldloc.0; brtrue.s a; ret"), 2);
}

// The start of a handler makes the activation the newest one; that of a filter does not.
static void handlers_are_settled_and_filters_are_not(void **state)
{
    (void)state;
    enum { ALL = INSTRUMENT_STATEMENTS };
    assert_int_equal(
        comparisons(MAIN, ALL, "t: nop; leave.s o; h: pop; nop; ldc.i4.1; pop; leave.s o; o: ret\n.catch t h h o"), 0);
    assert_int_equal(comparisons(MAIN, ALL,
                                 "t: nop; leave.s o; f: pop; ldc.i4.1; endfilter; h: pop; leave.s o; o: ret\n"
                                 ".filter t f f h o"),
                     1);
}

// The probe behind an await makes it the newest one, and its number is read anew there.
static void behind_an_await_it_is_settled(void **state)
{
    (void)state;
    enum { ALL = INSTRUMENT_STATEMENTS };
    assert_int_equal(comparisons(LATER, ALL, "call $Later; call $Await; ldc.i4.1; pop; ret"), 1);
    assert_int_equal(comparisons(LATER, ALL, "call $Later; pop; ldc.i4.1; pop; ldloc.2; call $Await; nop; ret"), 2);
}

// As at entry, in whatever thread it goes on.
static void behind_an_await_there_is_room(void **state)
{
    (void)state;
    static const char *const middle[] = {"call $Later; call $Await; ", "call $Later; pop; "};
    for (int calls = 0; calls < 2; calls++) {
        struct buffer text = {0}, said = {0};
        for (int i = 0; i < 40; i++) { // of 8 bytes each
            buffer_printf(&text, "ldc.i4.1; stloc.0; %s", i == 19 ? middle[calls] : "");
        }
        buffer_text(&text, "ret");
        buffer_u8(&text, 0);
        il_room = 256;
        woven_il(LATER, INSTRUMENT_VALUES, (const char *)text.data, &said);
        il_room = 1024;
        assert_int_equal(strstr((const char *)said.data, "+blt.un.s") != NULL, calls);
        buffer_free(&text);
        buffer_free(&said);
    }
}

// A branch would make the JIT evaluate them.
static void with_values_on_the_stack_no_branch_goes_around_it(void **state)
{
    (void)state;
    expect_settled(INSTRUMENT_VALUES, "ldc.i4.5; ldloca.s 0; call $Out; pop; ldc.i4.1; stloc.0; pop; ret",
                   "settles L0=42 L0=1");
    expect_settled(INSTRUMENT_VALUES, "ldc.i4.5; ldloca.s 0; call $In; ldc.i4.1; stloc.0; pop; ret", "asks L0=1");
}

// Only the path with the event has asked.
static void what_a_guarded_event_settles_counts_for_it_alone(void **state)
{
    (void)state;
    int32_t referred = 1;
    const char *text = "ldarg.0; call $Out; pop; ldc.i4.1; stloc.0; ret";
    struct given given = {.method = CALLS_REF, .instruments = INSTRUMENT_VALUES, .suspends = true};
    expect_given(&given, text, "in P0=nowhere settles L0=1");
    given.arguments[0] = (intptr_t)&referred;
    expect_given(&given, text, "in P0=& settles @.*=42 L0=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_behind_a_call_settle_what_it_left),
        cmocka_unit_test(it_is_settled_once_behind_a_call),
        cmocka_unit_test(paths_bring_along_whether_they_called),
        cmocka_unit_test(an_event_behind_a_call_asks_for_the_time_once),
        cmocka_unit_test(handlers_are_settled_and_filters_are_not),
        cmocka_unit_test(behind_an_await_it_is_settled),
        cmocka_unit_test(behind_an_await_there_is_room),
        cmocka_unit_test(with_values_on_the_stack_no_branch_goes_around_it),
        cmocka_unit_test(what_a_guarded_event_settles_counts_for_it_alone),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
