// How an event gets from the program to the ring: stored inline where IL can do it, by a native function where not.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

#define ENTER "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 10\n"
#define LEAVE                                                                                               \
    "+ldc.i4 4d\n+ldc.i8 @2\n+conv.i\n+calli 11f00002\n+brfalse.s\n+ldc.i4.0\n+ldc.i8 @3\n+conv.i\n+calli " \
    "11f00003\n+nop\n"
#define AT "+ldloc.s 10\n+ldind.i\n+stloc.s 11\n+ldloc.s 11\n"
#define BEHIND(bytes) "+ldloc.s 10\n+ldloc.s 11\n+ldc.i4." bytes "\n+add\n+volatile.\n+stind.i\n"

static void an_inline_event_is_stored_at_the_end_of_the_stream(void **state)
{
    (void)state;
    expect_il(INSTRUMENT_STATEMENTS, "ret",
              ENTER AT "+ldc.i4 fa2\n+stind.i4\n" BEHIND("4") LEAVE "ret\n"); // site 1000
}

static void neighbouring_events_share_one_reservation(void **state)
{
    (void)state;
    expect_il(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, "ldc.i4.5; stloc.0; ret",
              ENTER AT
              "+ldc.i4 fa2\n+stind.i4\n" BEHIND("4") "ldc.i4.5\nstloc.0\n" AT "+dup\n+ldc.i4 fa6\n+stind.i4\n" // L0
                                                     "+dup\n+ldc.i4.4\n+add\n+ldloc.s 0\n+stind.i4\n" // its value
                                                     "+ldc.i4.8\n+add\n+ldc.i4 faa\n+stind.i4\n" // the next statement
              BEHIND("s c") LEAVE "ret\n");
}

static void a_result_is_spilled_while_the_exit_is_recorded(void **state)
{
    (void)state;
    expect_il_of(ADD, INSTRUMENT_STATEMENTS, "ldarg.0; ret",
                 "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 11\n"
                 "+ldloc.s 11\n+ldind.i\n+stloc.s 12\n+ldloc.s 12\n+ldc.i4 fa2\n+stind.i4\n"
                 "+ldloc.s 11\n+ldloc.s 12\n+ldc.i4.4\n+add\n+volatile.\n+stind.i\n"
                 "ldarg.0\n+stloc.s 10\n" LEAVE "+ldloc.s 10\nret\n");
}

static void spilled_objects_are_released_after_the_probe(void **state)
{
    (void)state;
    // What `ldfld` gives waits for the number to be recorded; behind `stfld` nothing holds it.
    expect_uses("newobj $C..ctor; ldfld $next; ldsfld $sf; stfld $f; ret", "new o1 o1.next->null sf->0 null.f=0");
}

static void references_are_passed_by_the_address_of_a_cleared_local(void **state)
{
    (void)state;
    expect_il(INSTRUMENT_VALUES, "ldnull; stloc.1; ret",
              "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 11\n"
              "ldnull\nstloc.1\n+ldloc.s 1\n+stloc.s 10\n"
              "+ldloc.s 11\n+ldc.i4 3e8\n+ldc.i4.0\n+conv.u\n+ldc.i4.0\n+ldloca.s 10\n+conv.u\n"
              "+ldc.i8 @9\n+conv.i\n+calli 11f00008\n+ldnull\n+stloc.s 10\n" LEAVE "ret\n");
}

// Only where nothing keeps the address of a place can the JIT do without a copy of it.
static void wide_structs_are_read_where_they_are(void **state)
{
    (void)state;
    wide_structs = true;
    expect("ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L2={1,2}");
    expect("ldloca.s 3; ldflda $b; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L3.b={1,2}");
    expect("ldsflda $sp; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "sp={1,2}"); // as it was
    expect("newobj $C..ctor; ldflda $p; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "new o1 @.*={1,2}");
    expect("ldc.i4.4; newarr $Point; ldc.i4.1; ldelema $Point; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret",
           "new o1 @.*[1]={1,2}");
    expect_instance("ldarg.0; ldflda $p; ldc.i4.1; ldc.i4.2; call $Point..ctor; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 this.p={1,2} returns 0");
    const struct given parameter = {.method = TAKES, .instruments = INSTRUMENT_VALUES};
    expect_given(&parameter, "ldarga.s 0; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "in P0={0,0} P0={1,2}");
    expect_il(INSTRUMENT_VALUES, "ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret",
              "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 10\n"
              "ldloca.s\nldc.i4.1\nldc.i4.2\ncall\n"
              "+ldloc.s 10\n+ldc.i4 3e8\n+ldc.i4.0\n+conv.u\n+ldc.i4.0\n+ldloca.s 2\n+conv.u\n"
              "+sizeof 2000002\n+ldc.i8 @18\n+conv.i\n+calli 11f0000a\n" LEAVE "ret\n");
    wide_structs = false;
}

static void expect_within(const char *text, const char *part)
{
    struct buffer said = {0};
    woven_il(MAIN, INSTRUMENT_VALUES, text, &said);
    if (!strstr((const char *)said.data, part)) {
        fprintf(stderr, "of: %s\n%s", text, (const char *)said.data);
    }
    assert_non_null(strstr((const char *)said.data, part));
    buffer_free(&said);
}

static void a_value_is_stored_by_its_type(void **state)
{
    (void)state;
    expect_within("ldc.i4.5; stloc.0; ret", "+ldloc.s 0\n+stind.i4\n");
    expect_within("ldc.i4.5; stloc.s 11; ret", "+ldloc.s b\n+stind.i4\n"); // a bool fills a cell
    expect_within("ldc.i4.5; conv.i8; stloc.s 12; ret", "+ldloc.s c\n+stind.i8\n");
    expect_within("ldc.r4 0; stloc.s 10; ret", "+ldloc.s a\n+stind.r4\n");
    expect_within("ldc.r8 0; stloc.s 7; ret", "+ldloc.s 7\n+stind.r8\n");
    expect_within("ldloca.s 0; conv.u; stloc.s 15; ret", "+ldloc.s f\n+stind.i\n");
    expect_within("call $Make; stloc.2; ret", "+ldloc.s 2\n+stobj 2000002\n");
}

// A branch makes the JIT evaluate the stack to stack slots: within an expression a call checks for room instead.
static void a_call_checks_for_room_within_an_expression(void **state)
{
    (void)state;
    struct buffer within = {0}, between = {0};
    il_room = 16; // two events of a local
    woven_il(MAIN, INSTRUMENT_VALUES, "ldc.i4.1; ldc.i4.5; stloc.0; ldc.i4.6; stloc.0; ldc.i4.7; stloc.0; pop; ret",
             &within);
    woven_il(MAIN, INSTRUMENT_VALUES, "ldc.i4.5; stloc.0; ldc.i4.6; stloc.0; ldc.i4.7; stloc.0; ret", &between);
    il_room = 1024;
    assert_non_null(strstr((const char *)within.data, "+ldc.i8 @19\n")); // check
    assert_null(strstr((const char *)within.data, "+ldc.i8 @7\n"));      // room
    assert_non_null(strstr((const char *)between.data, "+blt.un.s\n"));
    assert_non_null(strstr((const char *)between.data, "+ldc.i8 @7\n"));
    assert_null(strstr((const char *)between.data, "+ldc.i8 @19\n"));
    buffer_free(&within);
    buffer_free(&between);
}

// Room that an event on one path has used counts as used where the paths meet.
static void events_on_all_paths_count_against_the_room(void **state)
{
    (void)state;
    struct buffer said = {0};
    il_room = 16;
    woven_il(MAIN, INSTRUMENT_VALUES,
             "ldc.i4.1; brtrue.s a; ldc.i4.5; stloc.0; ldc.i4.6; stloc.0; a: ldc.i4.7; stloc.0; ret", &said);
    il_room = 1024;
    const char *joined = strstr((const char *)said.data, "ldc.i4.7\n");
    assert_non_null(joined);
    assert_non_null(strstr(joined, "+ldc.i8 @7\n"));
    buffer_free(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inline_event_is_stored_at_the_end_of_the_stream),
        cmocka_unit_test(neighbouring_events_share_one_reservation),
        cmocka_unit_test(a_result_is_spilled_while_the_exit_is_recorded),
        cmocka_unit_test(spilled_objects_are_released_after_the_probe),
        cmocka_unit_test(references_are_passed_by_the_address_of_a_cleared_local),
        cmocka_unit_test(wide_structs_are_read_where_they_are),
        cmocka_unit_test(a_value_is_stored_by_its_type),
        cmocka_unit_test(a_call_checks_for_room_within_an_expression),
        cmocka_unit_test(events_on_all_paths_count_against_the_room),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
