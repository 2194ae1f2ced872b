// The statements of a body, and where it checks for room for their events: whole bodies, woven and run.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

static uint32_t dropped_of(unsigned repeats, struct weave_tally *tally)
{
    struct buffer text = {0}, bytes = {0};
    struct weaving weaving;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = MAIN,
                                        .instruments = INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES | INSTRUMENT_USES,
                                        .queries = &world_queries,
                                        .room = 1024};
    for (unsigned i = 0; i < repeats; i++) {
        buffer_text(&text, "ldloc.0; stloc.0;");
    }
    buffer_text(&text, "ret");
    buffer_u8(&text, 0);
    assemble((const char *)text.data, 0, 8, &bytes);
    assert_null(weaving_run(&weaving, &method, bytes_of(bytes.data, bytes.size), &world_types));
    uint32_t dropped = weaving.plan.dropped;
    assert_int_equal(weaving.plan.instruments, method.instruments & ~dropped);
    weave_tally_body(&weaving.again, tally);
    weaving_free(&weaving);
    buffer_free(&text);
    buffer_free(&bytes);
    return dropped;
}

static void expect_enough_room(const char *text)
{
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_VALUES, .room = 256, .tight = true};
    run_given(&given, text, &run, &log); // fails when more is written than there is room for
    assert_non_null(strstr((const char *)log.data, "room"));
    buffer_free(&log);
}

static void statements_without_symbols_begin_where_the_stack_is_empty(void **state)
{
    (void)state;
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_STATEMENTS};
    expect_given(&given, "ldc.i4.5; stloc.0; nop; ldloc.0; pop; ret", "#0 #3 #5");
    expect_given(&given, "br.s b; a: ret; b: br.s a", "#2");
}

static void statements_stand_at_sequence_points(void **state)
{
    (void)state;
    static const struct weave_point points[] = {
        {.il_offset = 0, .start_line = 3}, {.il_offset = 2, .hidden = true}, {.il_offset = 4, .start_line = 5}};
    const struct given given = {
        .method = MAIN, .instruments = INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, .points = points, .point_count = 3};
    expect_given(&given, "ldc.i4.5; stloc.0; ldc.i4.6; stloc.0; ldc.i4.7; stloc.0; ret", "#0 L0=5 L0=6 #4 L0=7");
}

// Values alone: statements are there to be belonged to, and have no event.
static void statements_may_have_no_probe(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 0, .start_line = 3}, {.il_offset = 4, .start_line = 5}};
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_VALUES, .points = points, .point_count = 2};
    expect_given(&given, "ldc.i4.5; stloc.0; ldc.i4.6; stloc.0; ldc.i4.7; stloc.0; ret", "L0=5 L0=6 L0=7");
}

static void every_path_to_a_statement_records_it(void **state)
{
    (void)state;
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_STATEMENTS};
    // Three rounds, each of which asks whether there is room: there is.
    expect_given(&given, "ldc.i4.0; stloc.0; a: ldloc.0; ldc.i4.1; add; stloc.0; ldloc.0; ldc.i4.3; blt.s a; ret",
                 "#0 #2 #6 #2 #6 #2 #6 #a");
}

static void values_belong_to_their_statement(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 2, .document = 7, .start_line = 3},
                                                {.il_offset = 6, .hidden = true}};
    static const uint8_t bytes[] = {0x16, 0x0A, 0x17, 0x0A, 0x00, 0x00, 0x18, 0x0A, 0x2A}; // three constants to L0
    struct buffer body = {0};
    struct weaving weaving;
    assemble("ldc.i4.0; stloc.0; ldc.i4.1; stloc.0; nop; nop; ldc.i4.2; stloc.0; ret", 0, 8, &body);
    assert_memory_equal(body.data + 12, bytes, sizeof bytes);
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = MAIN,
                                        .instruments = INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES,
                                        .points = points,
                                        .point_count = 2,
                                        .queries = &world_queries,
                                        .room = 1024};
    assert_null(weaving_run(&weaving, &method, bytes_of(body.data, body.size), &world_types));
    const struct site *sites = weaving.plan.sites;
    assert_int_equal(weaving.plan.count, 4);
    assert_int_equal(weaving.plan.statements, 1);
    assert_int_equal(sites[0].statement, 0);
    assert_int_equal(sites[1].kind, SITE_STATEMENT);
    assert_int_equal(sites[1].document, 7);
    assert_int_equal(sites[2].statement, FIRST_SITE + 1);
    assert_int_equal(sites[2].il_offset, 3);
    assert_int_equal(sites[3].statement, 0);
    weaving_free(&weaving);
    buffer_free(&body);
}

static void parameters_have_values_at_entry_and_when_they_change(void **state)
{
    (void)state;
    const struct given given = {.method = ADD, .instruments = INSTRUMENT_VALUES, .arguments = {3}};
    expect_given(&given, "ldc.i4.8; starg.s 0; ldnull; starg.s 1; ldarg.0; ret",
                 "in P0=3 in P1=null P0=8 P1=null returns 8");
}

static void a_struct_is_an_argument_like_others(void **state)
{
    (void)state;
    const struct given given = {.method = TAKES, .instruments = INSTRUMENT_VALUES, .arguments = {0x400000003}};
    expect_given(&given, "ret", "in P0={3,4}");
    expect_given(&given, "ldarga.s 0; ldc.i4.7; stfld $x; ret", "in P0={3,4} P0.x=7");
}

static void handlers_have_sites_too(void **state)
{
    (void)state;
    expect("t: ldc.i4.1; stloc.0; leave.s o; h: stloc.s 8; leave.s o; f: ldc.i4.2; stloc.0; endfinally; "
           "o: ldc.i4.3; stloc.0; ret\n.catch t h h f\n.finally t f f o",
           "L0=1 L0=3");
    expect("t: ldc.i4.1; stloc.0; leave.s o; f: pop; ldc.i4.1; stloc.0; ldc.i4.0; endfilter; "
           "h: pop; leave.s o; o: ldc.i4.3; stloc.0; ret\n.filter t f f h o",
           "L0=1 L0=3");
}

static void sites_that_would_prevent_optimisation_are_dropped(void **state)
{
    (void)state;
    struct weave_tally tally;
    assert_int_equal(dropped_of(300, &tally), 0);
    assert_true(tally.bytes > 15000);
    assert_int_equal(dropped_of(700, &tally), INSTRUMENT_USES);
    assert_true(tally.bytes <= 60000 && tally.instructions <= 20000 && tally.references <= 8000);
    assert_int_equal(dropped_of(1000, &tally), INSTRUMENT_USES | INSTRUMENT_VALUES);
    assert_int_equal(dropped_of(3900, &tally), INSTRUMENT_USES | INSTRUMENT_VALUES | INSTRUMENT_STATEMENTS);
    assert_true(tally.bytes <= 60000 && tally.instructions <= 20000 && tally.references <= 8000);
}

static void loops_check_for_room(void **state)
{
    (void)state;
    expect_enough_room("ldc.i4.0; stloc.0; a: ldloc.0; ldc.i4.1; add; stloc.0; ldloc.0; ldc.i4 1000; blt.s a; ret");
    expect_enough_room("br.s b; a: ldloc.0; ldc.i4.1; add; stloc.0; b: ldloc.0; ldc.i4 1000; blt.s a; ret");
}

// Long code without loops checks for room too, also across branches that skip parts of it.
static void long_paths_ask_for_room(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 40; seed++) {
        struct buffer text = {0};
        srand(seed);
        for (int i = 0; i < 60; i++) {
            buffer_printf(&text, "ldc.i4.%d; brtrue.s l%d;", rand() & 1, i);
            for (int k = rand() % 9; k > 0; k--) {
                buffer_text(&text, "ldc.i4.1; conv.i8; stloc.s 12; nop;");
            }
            buffer_printf(&text, "l%d: ldc.i4.0; stloc.0;", i);
        }
        buffer_text(&text, "ret");
        buffer_u8(&text, 0);
        expect_enough_room((const char *)text.data);
        buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_without_symbols_begin_where_the_stack_is_empty),
        cmocka_unit_test(statements_stand_at_sequence_points),
        cmocka_unit_test(statements_may_have_no_probe),
        cmocka_unit_test(every_path_to_a_statement_records_it),
        cmocka_unit_test(values_belong_to_their_statement),
        cmocka_unit_test(parameters_have_values_at_entry_and_when_they_change),
        cmocka_unit_test(a_struct_is_an_argument_like_others),
        cmocka_unit_test(handlers_have_sites_too),
        cmocka_unit_test(sites_that_would_prevent_optimisation_are_dropped),
        cmocka_unit_test(loops_check_for_room),
        cmocka_unit_test(long_paths_ask_for_room),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
