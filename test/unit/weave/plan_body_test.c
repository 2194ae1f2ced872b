// The sites of a method: which, in which order, and their fields before weaving.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "made_world.h"
#include "weave/emit/emit.h"

static struct made_body made;

static int release(void **state)
{
    (void)state;
    made_body_free(&made);
    return 0;
}

static struct weave_method method_of(uint32_t instruments, const struct weave_point *points, uint32_t count)
{
    return (struct weave_method){.metadata = &world_module.metadata,
                                 .token = MAIN,
                                 .instruments = instruments,
                                 .points = points,
                                 .point_count = count,
                                 .queries = &world_queries,
                                 .struct_limit = 16,
                                 .room = 1024};
}

static struct weave_plan plan(const struct weave_method *method, const char *text)
{
    struct weave_plan plan;
    assert_int_equal(weave_plan(made_body(&made, text), method, &plan), CLEW_OK);
    return plan;
}

// Offset 0 is hidden, 1 has a line, 2 is in the middle of nothing, 3 has another.
static const struct weave_point points[] = {{.il_offset = 0, .document = 1, .hidden = true},
                                            {.il_offset = 1, .document = 1, .start_line = 7, .end_line = 7},
                                            {.il_offset = 3, .document = 2, .start_line = 9, .end_line = 10}};

static void sites_come_in_the_order_of_the_code(void **state)
{
    (void)state;
    struct weave_method method = method_of(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, points, 3);
    struct weave_plan found = plan(&method, "nop; ldc.i4.5; stloc.0; nop; ret");
    assert_int_equal(found.count, 3);
    assert_int_equal(found.statements, 2);
    assert_int_equal(found.sites[0].kind, SITE_STATEMENT);
    assert_int_equal(found.sites[0].il_offset, 1);
    assert_int_equal(found.sites[0].start_line, 7);
    assert_int_equal(found.sites[1].kind, SITE_DEFINITION);
    assert_int_equal(found.sites[1].place, PLACE_LOCAL);
    assert_int_equal(found.sites[1].il_offset, 2);
    assert_int_equal(found.sites[2].document, 2);
    assert_int_equal(found.dropped, 0);
    // What belongs to a statement says which, as a number once the sites have theirs.
    assert_int_equal(found.sites[1].statement, 1);
    weave_number(&found, 1000);
    assert_int_equal(found.sites[1].statement, 1000);
    assert_int_equal(found.sites[0].statement, 0); // none belongs to itself
}

static void unreachable_code_has_no_sites(void **state)
{
    (void)state;
    struct weave_method method = method_of(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, NULL, 0);
    struct weave_plan found = plan(&method, "br.s a; ldc.i4.5; stloc.0; a: ret");
    assert_int_equal(found.count, 1);
    assert_int_equal(found.sites[0].il_offset, 4);
}

static void without_instruments_there_are_no_sites(void **state)
{
    (void)state;
    struct weave_method method = method_of(0, points, 3);
    struct weave_plan found = plan(&method, "nop; ldc.i4.5; stloc.0; nop; ret");
    assert_int_equal(found.count + found.statements + found.local_count, 0);
}

static void a_stack_that_is_not_understood_is_refused(void **state)
{
    (void)state;
    struct weave_method method = method_of(INSTRUMENT_VALUES, NULL, 0);
    struct weave_plan found;
    assert_int_not_equal(weave_plan(made_body(&made, "pop; ret"), &method, &found), CLEW_OK);
}

// The limits of the JIT apply to the woven body, which a dry run counts without changing anything.
static void a_plan_counts_the_woven_code(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "ldc.i4.5; stloc.0; ldloc.0; brtrue.s a; nop; a: ret",
        "a: ldloc.s 8; ldc.i4.3; stfld 0x04000007; ldloc.0; brtrue.s a; ldloc.s 12; pop; ret",
        "b: nop; leave.s e; c: pop; leave.s e; e: ret\n.catch b c c e",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct weave_method method = method_of(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES | INSTRUMENT_USES, NULL, 0);
        struct weave_plan found = plan(&method, texts[i]);
        struct weave_tally said, is;
        uint32_t before = made.body.instruction_count;
        const struct weave_binding binding = {.targets = &all_targets,
                                              .signatures = &all_signatures,
                                              .method = METHOD_NUMBER,
                                              .token = MAIN,
                                              .local = 16,
                                              .first_site = FIRST_SITE};
        weave_tally_body(&made.body, &said);
        assert_int_equal(emit_operations(&made.body, &found, &binding, &said), CLEW_OK);
        assert_int_equal(made.body.instruction_count, before);
        assert_int_equal(weave(&made.body, &found, &binding), CLEW_OK);
        weave_tally_body(&made.body, &is);
        assert_int_equal(said.instructions, is.instructions);
        assert_int_equal(said.references, is.references);
        assert_true(said.blocks >= is.blocks);
        assert_int_equal(said.bytes, is.bytes);
        made_body_free(&made);
    }
    made_body(&made, "ret");
}

// A module that makes invalid references refers to the types that make them.
static void a_module_with_unsafe_code_is_not_trusted(void **state)
{
    (void)state;
    struct made_metadata module;
    assert_true(weave_trusts_references(&world_module.metadata));
    made_begin(&module);
    made_type_ref(&module, "System.Runtime.CompilerServices", "Unsafe");
    made_open(&module);
    assert_false(weave_trusts_references(&module.metadata));
    made_free(&module);
    made_body(&made, "ret");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sites_come_in_the_order_of_the_code, release),
        cmocka_unit_test_teardown(unreachable_code_has_no_sites, release),
        cmocka_unit_test_teardown(without_instruments_there_are_no_sites, release),
        cmocka_unit_test_teardown(a_stack_that_is_not_understood_is_refused, release),
        cmocka_unit_test_teardown(a_plan_counts_the_woven_code, release),
        cmocka_unit_test_teardown(a_module_with_unsafe_code_is_not_trusted, release),
    };
    made_world();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    made_free(&world_module);
    made_types_free(&world_types);
    return failed;
}
