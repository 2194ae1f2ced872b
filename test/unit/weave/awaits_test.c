// Methods of runtime async: which awaits are found in the shapes that compilers make, and what is woven around them.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

// -- What is found ----------------------------------------------------------------------------------------------------

static bool find(const char *text, struct weave_runs *runs, struct arena *arena)
{
    struct buffer named = {0}, bytes = {0};
    struct il_body body;
    with_tokens(text, &named);
    assemble((const char *)named.data, ASSEMBLE_INIT_LOCALS, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), arena, &body), CLEW_OK);
    bool found = weave_find_awaits(&body, &world_module.metadata, runs);
    buffer_free(&named);
    buffer_free(&bytes);
    return found;
}

// The points as `5<` in front of the original instruction 5 and `6>` behind 6, with what is awaited where that is known.
static void expect_points(const char *text, const char *points)
{
    struct arena arena = {0};
    struct weave_runs runs;
    struct buffer said = {0};
    assert_true(find(text, &runs, &arena));
    for (uint32_t i = 0; i < runs.count; i++) {
        const struct weave_run_point *point = &runs.points[i];
        buffer_printf(&said, "%u%s", point->at, point->kind == RUN_POINT_AWAIT ? "<" : "> ");
        assert_int_equal(point->state, i / 2);
        for (unsigned known = 0; known < sizeof names / sizeof *names; known++) {
            buffer_printf(&said, "%s", names[known].token == point->awaited ? names[known].name : "");
        }
        buffer_text(&said, point->kind == RUN_POINT_AWAIT ? " " : "");
    }
    said.size -= said.size > 0; // the last space
    buffer_u8(&said, 0);
    assert_string_equal((const char *)said.data, points);
    assert_int_equal(weave_is_suspended(&runs), runs.count > 0);
    buffer_free(&said);
    arena_free(&arena);
}

static void expect_unknown(const char *text)
{
    struct arena arena = {0};
    struct weave_runs runs;
    assert_false(find(text, &runs, &arena));
    arena_free(&arena);
}

// The JIT calls it directly if nothing is in between.
static void a_call_is_awaited_from_in_front_of_it(void **state)
{
    (void)state;
    expect_points("call $Later; call $Await; ret", "0<Later 1>");
    expect_points("ldc.i4.1; call $LaterInt; call $AwaitInt; pop; ret", "1<LaterInt 2>");
}

static void a_call_may_be_configured(void **state)
{
    (void)state;
    expect_points("call $Later; ldc.i4.0; callvirt $ConfigureAwait; call $AwaitConfigured; ret", "0<Later 3>");
    expect_points("call $Later; stloc.1; ldloca.s 1; ldc.i4.0; callvirt $ConfigureAwait; call $AwaitConfigured; ret",
                  "0<Later 5>");
}

static void other_tasks_are_awaited_where_they_are(void **state)
{
    (void)state;
    expect_points("ldloc.2; call $Await; ret", "1< 1>");
    expect_points("ldloc.2; ldc.i4.0; callvirt $ConfigureAwait; call $AwaitConfigured; ret", "3< 3>");
    // Of a call that others lead behind.
    expect_points("ldarg.0; brtrue.s a; call $Later; br.s b; a: call $Later; b: call $Await; ret", "5< 5>");
}

// What the second one takes is the result of the first.
static void an_await_of_an_await_is_in_front_of_itself(void **state)
{
    (void)state;
    expect_points("ldc.i4.1; call $LaterInt; call $AwaitInt; call $Await; ret", "1<LaterInt 2> 3< 3>");
}

static void awaits_within_arguments_come_first(void **state)
{
    (void)state;
    expect_points("ldc.i4.1; call $LaterInt; call $AwaitInt; call $LaterInt; call $AwaitInt; pop; ret",
                  "1<LaterInt 2> 3<LaterInt 4>");
}

static void an_awaiter_is_awaited_if_it_has_to_wait(void **state)
{
    (void)state;
    expect_points(
        "call $GetTask; callvirt $GetAwaiter; stloc.1; ldarg.0; brtrue.s a; ldloc.1; call $AwaitAwaiter; a: ret",
        "6<GetTask 6>");
    expect_points("ldloc.1; call $AwaitAwaiter; ret", "1< 1>");
}

// Nothing may go between the address of a local and the call that gets it.
static void the_address_of_a_struct_stays_beside_the_call(void **state)
{
    (void)state;
    expect_points("ldloca.s 3; call $Point.Later; call $Await; ret", "0<Point.Later 2>");
    expect_points("ldloc.0; pop; ldloca.s 0; ldloca.s 0; call $LaterBoth; call $Await; ret", "2<LaterBoth 5>");
}

static void what_blocks_its_thread_is_no_await(void **state)
{
    (void)state;
    expect_points("ldloc.2; call $EntryPoint; ret", "");
    expect_points("call $Later; pop; ret", "");
}

static void other_ways_to_suspend_are_not_known(void **state)
{
    (void)state;
    expect_unknown("call $Suspend; ret");
    expect_unknown("ldnull; ldftn $Await; pop; pop; ret");
    expect_unknown("call $Later; call $Await; call $Suspend; ret");
}

// -- What is woven ----------------------------------------------------------------------------------------------------

#define RUN_ENTER "+ldc.i4 4d\n+ldc.i8 @26\n+conv.i\n+calli 11f00004\n+stloc.s 10\n"
#define BEGIN_AWAIT(number) "+ldc.i4" number "\n+ldloc.s 10\n+ldc.i8 @27\n+conv.i\n+calli 11f00006\n+stloc.s 11\n"
#define END_AWAIT(probe) \
    "+ldc.i4 4d\n+ldloc.s 10\n+ldloc.s 11\n+conv.u\n+ldc.i8 @" probe "\n+conv.i\n+calli 11f0000e\n+stloc.s 10\n"
#define RUN_LEAVE                                                                                      \
    "+ldloc.s 10\n+ldc.i8 @30\n+conv.i\n+calli 11f00007\n+brfalse.s\n+ldc.i4.0\n+ldc.i8 @3\n+conv.i\n" \
    "+calli 11f00003\n+nop\n"

static void nothing_goes_between_a_call_and_its_await(void **state)
{
    (void)state;
    expect_il_of(LATER, 0, "call $Later; call $Await; ret",
                 RUN_ENTER BEGIN_AWAIT(".0") "call\ncall\n" END_AWAIT("28") RUN_LEAVE "ret\n");
    expect_il_of(LATER, 0, "call $Later; call $Await; ldnull; call $Await; ret",
                 RUN_ENTER BEGIN_AWAIT(".0") "call\ncall\n" END_AWAIT("28") "ldnull\n" BEGIN_AWAIT(
                     ".1") "call\n" END_AWAIT("28") RUN_LEAVE "ret\n");
}

static void without_an_await_it_is_woven_like_any_other(void **state)
{
    (void)state;
    expect_il_of(LATER, 0, "ret",
                 "+ldc.i4 4d\n+ldc.i8 @1\n+conv.i\n+calli 11f00002\n+brfalse.s\n+ldc.i4.0\n+ldc.i8 @3\n"
                 "+conv.i\n+calli 11f00003\n+nop\n" LEAVE "ret\n");
}

static void handlers_learn_whether_the_await_was_suspended(void **state)
{
    (void)state;
    expect_il_of(LATER, 0, "t: ldnull; call $Await; leave.s o; h: pop; leave.s o; o: ret\n.catch t h h o",
                 RUN_ENTER "ldnull\n" BEGIN_AWAIT(" 20000000") "call\n" END_AWAIT("28") "leave.s\n" END_AWAIT(
                     "29") "pop\nleave.s\n" RUN_LEAVE "ret\n");
}

// -- Enclosed ---------------------------------------------------------------------------------------------------------

#define FAILS                                                                                            \
    "+nop\n+ldc.i4 4d\n+ldloc.s 10\n+ldloc.s 11\n+conv.u\n+ldc.i8 @29\n+conv.i\n+calli 11f0000e\n+pop\n" \
    "+endfinally\n"

static void expect_enclosed(uint32_t method, const char *text, const char *woven)
{
    weaving_encloses = true;
    expect_il_of(method, 0, text, woven);
    weaving_encloses = false;
}

// The await is one in a try, by its number.
static void a_body_with_an_await_in_no_try_is_put_into_one(void **state)
{
    (void)state;
    expect_enclosed(LATER, "call $Later; call $Await; ret",
                    RUN_ENTER "+nop\n" BEGIN_AWAIT(" 20000000") "call\ncall\n" END_AWAIT("28") "leave.s\n" FAILS
                                                                                               "+nop\n" RUN_LEAVE
                                                                                               "+ret\n");
    expect_enclosed(LATER_INT, "ldarg.0; call $LaterInt; call $AwaitInt; ret",
                    RUN_ENTER "+nop\nldarg.0\n" BEGIN_AWAIT(" 20000000") "call\ncall\n" END_AWAIT(
                        "28") "+stloc.s 12\nleave.s\n" FAILS "+nop\n" RUN_LEAVE "+ldloc.s 12\n+ret\n");
}

// Both ways out of the body lead to one exit; a body that never returns has none.
static void each_return_leads_to_the_one_exit(void **state)
{
    (void)state;
    expect_enclosed(LATER, "ldnull; call $Await; ldc.i4.0; brtrue.s a; ret; a: ret",
                    RUN_ENTER "+nop\nldnull\n" BEGIN_AWAIT(" 20000000") "call\n" END_AWAIT(
                        "28") "ldc.i4.0\nbrtrue.s\nleave.s\nleave.s\n" FAILS "+nop\n" RUN_LEAVE "+ret\n");
    expect_enclosed(LATER, "ldnull; call $Await; ldnull; throw",
                    RUN_ENTER
                    "+nop\nldnull\n" BEGIN_AWAIT(" 20000000") "call\n" END_AWAIT("28") "ldnull\nthrow\n" FAILS);
}

// Regions of the body that end where it ends are within the new one; the verifier sees to that.
static void the_new_try_is_around_those_of_the_body(void **state)
{
    (void)state;
    expect_enclosed(
        LATER,
        "br.s t; o: ldnull; call $Await; ret; t: ldnull; call $Await; leave.s o; h: pop; leave.s o; e:\n"
        ".catch t h h e",
        RUN_ENTER
        "+nop\nbr.s\nldnull\n" BEGIN_AWAIT(" 20000000") "call\n" END_AWAIT("28") "leave.s\nldnull\n" BEGIN_AWAIT(
            " 20000001") "call\n" END_AWAIT("28") "leave.s\n" END_AWAIT("29") "pop\nleave\n" FAILS "+nop\n" RUN_LEAVE
                                                                              "+ret\n");
}

static void awaits_that_are_all_in_a_try_need_no_other(void **state)
{
    (void)state;
    expect_enclosed(LATER, "t: ldnull; call $Await; leave.s o; h: pop; leave.s o; o: ret\n.catch t h h o",
                    RUN_ENTER "ldnull\n" BEGIN_AWAIT(" 20000000") "call\n" END_AWAIT("28") "leave.s\n" END_AWAIT(
                        "29") "pop\nleave.s\n" RUN_LEAVE "ret\n");
    expect_enclosed(LATER, "ret",
                    "+ldc.i4 4d\n+ldc.i8 @1\n+conv.i\n+calli 11f00002\n+brfalse.s\n+ldc.i4.0\n+ldc.i8 @3\n"
                    "+conv.i\n+calli 11f00003\n+nop\n" LEAVE "ret\n");
}

// The locals are those that the empty plan appends, too.
static void the_run_and_the_mark_are_the_first_locals(void **state)
{
    (void)state;
    static const uint8_t expected[] = {ELEMENT_I, ELEMENT_BY_REFERENCE, ELEMENT_U1, ELEMENT_I};
    struct arena arena = {0};
    struct weave_runs runs;
    struct weave_plan plan;
    struct buffer named = {0}, bytes = {0};
    struct il_body body;
    struct weave_method method = {.metadata = &world_module.metadata,
                                  .token = LATER,
                                  .instruments = INSTRUMENT_STATEMENTS,
                                  .room = 1024,
                                  .queries = &world_queries,
                                  .runs = &runs};
    with_tokens("ldnull; call $Await; ret", &named);
    assemble((const char *)named.data, 0, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_true(weave_find_awaits(&body, &world_module.metadata, &runs));
    assert_int_equal(weave_plan(&body, &method, &plan), CLEW_OK);
    assert_memory_equal(plan.locals.at, expected, sizeof expected); // behind them the context
    assert_int_equal(plan.context, 1 + 2);
    struct weave_plan empty = weave_empty_plan(&body, &runs);
    assert_int_equal(empty.local_count, 2);
    assert_int_equal(bytes_left(&empty.locals), 3);
    assert_memory_equal(empty.locals.at, expected, 3);
    buffer_free(&named);
    buffer_free(&bytes);
    arena_free(&arena);
}

// -- What is recorded -------------------------------------------------------------------------------------------------

static void expect_async(uint32_t method, uint32_t instruments, const char *text, const char *events,
                         const char *suspended)
{
    const struct given given = {.method = method, .instruments = instruments, .suspends = true, .arguments = {7}};
    expect_given(&given, text, events);
    awaits_suspend = true;
    expect_given(&given, text, suspended);
    awaits_suspend = false;
}

static void events_continue_on_the_other_thread(void **state)
{
    (void)state;
    enum { ALL = INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES };
    expect_async(LATER, INSTRUMENT_STATEMENTS, "nop; call $Later; call $Await; ldc.i4.1; pop; ret",
                 "#1 await0 at-once #b #d leaves", "#1 await0 resumed #b #d leaves");
    expect_async(LATER_INT, ALL, "ldarg.0; call $LaterInt; call $AwaitInt; stloc.0; ldloc.0; ret",
                 "in P0=7 #0 await0 at-once L0=0 #c returns 0 leaves",
                 "in P0=7 #0 await0 resumed L0=0 #c returns 0 leaves");
}

static void values_may_wait_on_the_stack(void **state)
{
    (void)state;
    expect_async(LATER_INT, INSTRUMENT_VALUES,
                 "ldarg.0; ldc.i4.2; call $LaterInt; call $AwaitInt; add; stloc.0; ldloc.0; ret",
                 "in P0=7 await0 at-once L0=7 returns 7 leaves", "in P0=7 await0 resumed L0=7 returns 7 leaves");
}

static void expect_enclosed_events(uint32_t method, uint32_t instruments, const char *text, const char *events,
                                   const char *suspended)
{
    weaving_encloses = true;
    expect_async(method, instruments, text, events, suspended);
    weaving_encloses = false;
}

static void an_enclosed_body_has_the_same_events(void **state)
{
    (void)state;
    enum { ALL = INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES };
    expect_enclosed_events(LATER, INSTRUMENT_STATEMENTS, "nop; call $Later; call $Await; ldc.i4.1; pop; ret",
                           "#1 await0 at-once #b #d leaves", "#1 await0 resumed #b #d leaves");
    expect_enclosed_events(LATER_INT, ALL, "ldarg.0; call $LaterInt; call $AwaitInt; stloc.0; ldloc.0; ret",
                           "in P0=7 #0 await0 at-once L0=0 #c returns 0 leaves",
                           "in P0=7 #0 await0 resumed L0=0 #c returns 0 leaves");
}

static void its_handler_learns_whether_the_await_was_suspended(void **state)
{
    (void)state;
    awaits_throw = true;
    expect_enclosed_events(LATER, INSTRUMENT_STATEMENTS, "nop; call $Later; call $Await; ldc.i4.1; pop; ret",
                           "#1 await0 at-once", "#1 await0 resumed");
    awaits_throw = false;
}

// Events may stand in the way of the pattern that the JIT looks for: they are left out.
static void no_event_goes_between_a_call_and_its_await(void **state)
{
    (void)state;
    enum { ALL = INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES | INSTRUMENT_USES };
    struct buffer said = {0};
    woven_il(LATER, ALL,
             "call $Later; stloc.1; ldloca.s 1; ldc.i4.0; callvirt $ConfigureAwait; call $AwaitConfigured; ret", &said);
    assert_non_null(strstr((const char *)said.data, "call\nstloc.1\nldloca.s\nldc.i4.0\ncallvirt\ncall\n"));
    buffer_free(&said);
}

// It waits in a local while the event of local 0 is written. run_woven() checks that nothing is held where the method is
// suspended.
static void an_object_for_the_call_is_released_in_front_of_it(void **state)
{
    (void)state;
    const char *text = "newobj $C..ctor; stloc.s 8; ldloc.s 8; newobj $C..ctor; stfld $next; "
                       "ldloc.s 8; ldfld $next; ldc.i4.1; stloc.0; call $GetTaskOf; call $AwaitInt; pop; ret";
    struct buffer said = {0};
    woven_il(LATER, INSTRUMENT_VALUES, text, &said);
    const char *waits = strstr((const char *)said.data, "\nldc.i4.1\nstloc.0\n");
    assert_non_null(waits);
    const char *clears = strstr(waits, "+ldnull\n+stloc.s "), *begins = strstr(waits, BEGIN_AWAIT(".0") "call\ncall\n");
    assert_true(clears && begins && clears < begins);
    buffer_free(&said);
    expect_async(LATER, INSTRUMENT_VALUES, text, "new o1 L8=o1 new o2 o1.next=o2 L0=1 await0 at-once leaves",
                 "new o1 L8=o1 new o2 o1.next=o2 L0=1 await0 resumed leaves");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_awaited_from_in_front_of_it),
        cmocka_unit_test(a_call_may_be_configured),
        cmocka_unit_test(other_tasks_are_awaited_where_they_are),
        cmocka_unit_test(an_await_of_an_await_is_in_front_of_itself),
        cmocka_unit_test(awaits_within_arguments_come_first),
        cmocka_unit_test(an_awaiter_is_awaited_if_it_has_to_wait),
        cmocka_unit_test(the_address_of_a_struct_stays_beside_the_call),
        cmocka_unit_test(what_blocks_its_thread_is_no_await),
        cmocka_unit_test(other_ways_to_suspend_are_not_known),
        cmocka_unit_test(nothing_goes_between_a_call_and_its_await),
        cmocka_unit_test(without_an_await_it_is_woven_like_any_other),
        cmocka_unit_test(handlers_learn_whether_the_await_was_suspended),
        cmocka_unit_test(a_body_with_an_await_in_no_try_is_put_into_one),
        cmocka_unit_test(each_return_leads_to_the_one_exit),
        cmocka_unit_test(the_new_try_is_around_those_of_the_body),
        cmocka_unit_test(awaits_that_are_all_in_a_try_need_no_other),
        cmocka_unit_test(the_run_and_the_mark_are_the_first_locals),
        cmocka_unit_test(an_enclosed_body_has_the_same_events),
        cmocka_unit_test(its_handler_learns_whether_the_await_was_suspended),
        cmocka_unit_test(events_continue_on_the_other_thread),
        cmocka_unit_test(values_may_wait_on_the_stack),
        cmocka_unit_test(no_event_goes_between_a_call_and_its_await),
        cmocka_unit_test(an_object_for_the_call_is_released_in_front_of_it),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
