// What --adjust subtracts from times: the calibrated cost of calls, statements, values and lines, each from the path that it
// was recorded on. A call costs 40 ns, 10 of them in the activation itself (made_recording.h).
#include "model/adjust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "tree_rows.h"

enum { OWN = 10, CALL = 40, STATEMENT = 1, SCALAR = 2, REFERENCE = 4, OBJECT = 8, STRING = 16, LINE = 6 };

static int calibrate(void **state)
{
    made_site_ps[PROBE_STATEMENT] = STATEMENT * 1000;
    made_site_ps[PROBE_SCALAR] = SCALAR * 1000;
    made_site_ps[PROBE_REFERENCE] = REFERENCE * 1000;
    made_site_ps[PROBE_OBJECT] = OBJECT * 1000;
    made_site_ps[PROBE_STRING] = STRING * 1000;
    made_site_ps[PROBE_LINE] = LINE * 1000;
    return make_path(state);
}

// Main of make_sites(): 3 statements, 6 numbers, 5 events with references, among them those to two new objects and to a new
// string; Add has a statement.
enum { OF_ADD = 100 - OWN - STATEMENT };
enum { OF_MAIN = 200 - CALL - 3 * STATEMENT - 6 * SCALAR - 5 * REFERENCE - 2 * OBJECT - STRING };

static void expect_sites(struct model_options options)
{
    options.adjust = true;
    struct model *model = load(options);
    assert_int_equal(model->adjusted, ADJUSTED_CALLS | ADJUSTED_STATEMENTS | ADJUSTED_VALUES);
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, ADD)), OF_ADD);
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN)), OF_MAIN);
    assert_int_equal(NODE(&model->trees[0].tree, MAIN)->total, OF_MAIN + OF_ADD);
    assert_int_equal(NODE(&model->trees[0].tree, MAIN)->longest, OF_MAIN + OF_ADD);
    assert_int_equal(model->trees[0].tree.nodes[TREE_ROOT].total, OF_MAIN + OF_ADD);
    model_free(model);
}

static void test_statements_and_values_cost(void **state)
{
    (void)state;
    make_sites(path);
    expect_sites((struct model_options){0});
    expect_sites((struct model_options){.threads_apart = true});
}

// Sites 2 and 5 of Main are a statement and a number, 10 is a reference to a new Cart, 13 a statement of Add.
#define S(at, site_, cell_)                                                            \
    {                                                                                  \
        .clock = START + (at), .kind = RECORDING_AT_SITE, .site = site_, .cell = cell_ \
    }

static void record(const struct recording_event *events, uint32_t count, const uint32_t *cells, uint32_t cell_count,
                   const struct recording_tree *tree)
{
    const struct recording_object objects[] = {{.object = 2, .type = TYPE_CART, .size = 24}};
    struct recording_events block = block_with_cells(events, count, cells, cell_count);
    create(path, INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_sites();
    must(recording_write_objects(writer, &(struct recording_objects){.process = 1, .count = 1, .objects = objects}));
    must(recording_write_events(writer, &block));
    if (tree) {
        must(recording_write_tree(writer, tree));
    }
    finish(count, 0, 1, true);
}

// The agent copies the tree of a stream, so that reports need not decode it.
static void test_a_recorded_tree_is_adjusted_by_its_stream(void **state)
{
    (void)state;
    const uint32_t cells[] = {7};
    const struct recording_event events[] = {E(100, MAIN),  S(100, 2, 0), E(200, ADD),   S(200, 13, 0), E(300, ADD),
                                             S(300, 13, 0), L(500),       S(500, 13, 0), L(800),        S(800, 5, 0),
                                             E(800, FIB),   L(900),       L(1000)};
    const struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, MAIN, 1, 900, 900, 900),
                                           node(1, ADD, 1, 600, 600, 600), node(2, ADD, 1, 200, 200, 200),
                                           node(1, FIB, 1, 100, 100, 100)};
    const struct recording_tree tree = {.process = 1,
                                        .thread = 1,
                                        .clock = START + 10000,
                                        .final = true,
                                        .of_stream = true,
                                        .position = 14,
                                        .count = 5,
                                        .nodes = nodes};
    for (int recorded = 0; recorded < 2; recorded++) {
        record(events, sizeof events / sizeof *events, cells, 1, recorded ? &tree : NULL);
        struct model *model = load((struct model_options){.adjust = true});
        assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, ADD, ADD)), 200 - OWN - STATEMENT);
        assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, ADD)), 400 - CALL - 2 * STATEMENT);
        assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN)),
                         200 - OWN - 2 * (CALL - OWN) - STATEMENT - SCALAR);
        assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, FIB)), 100 - OWN);
        model_free(model);
    }
}

// A filter runs while the frames above its owner are still there. What it runs belongs to the owner.
static void test_an_exception_filter_costs_its_owner(void **state)
{
    (void)state;
    const uint32_t cells[] = {7};
    const struct recording_event events[] = {
        E(100, MAIN), E(200, ADD),  {.clock = START + 300, .kind = RECORDING_FILTER, .remaining = 1},
        S(300, 2, 0), S(300, 5, 0), E(400, FIB),
        L(450),       S(450, 2, 1), {.clock = START + 500, .kind = RECORDING_FILTER_END},
        U(600),       L(1000)};
    record(events, sizeof events / sizeof *events, cells, 1, NULL);
    struct model *model = load((struct model_options){.adjust = true});
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, ADD)), 200 - OWN);
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, FIB)), 50 - OWN);
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN)),
                     650 - OWN - 2 * (CALL - OWN) - 2 * STATEMENT - SCALAR);
    model_free(model);
}

static void test_times_never_fall_below_zero(void **state)
{
    (void)state;
    const uint32_t cells[] = {2};
    const struct recording_event events[] = {E(100, MAIN), E(200, ADD), S(200, 13, 0), S(200, 10, 0), L(201), L(1000)};
    record(events, sizeof events / sizeof *events, cells, 1, NULL);
    struct model *model = load((struct model_options){.adjust = true});
    assert_int_equal(NODE(&model->trees[0].tree, MAIN, ADD)->total, 0);
    assert_int_equal(NODE(&model->trees[0].tree, MAIN)->total, 899 - CALL);
    model_free(model);
}

// The first sight of an object costs once in a recording: not in a range after it.
static void test_a_range_has_the_costs_of_its_events(void **state)
{
    (void)state;
    const uint32_t cells[] = {2, 2};
    const struct recording_event events[] = {E(100, MAIN), S(100, 2, 0), S(100, 10, 0), E(200, ADD),
                                             L(300),       S(300, 2, 1), S(300, 10, 1), L(400)};
    record(events, sizeof events / sizeof *events, cells, 2, NULL);
    struct model *model = load((struct model_options){.adjust = true, .from_ns = 300});
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN)), 100 - STATEMENT - REFERENCE);
    model_free(model);
    model = load((struct model_options){.adjust = true, .to_ns = 200});
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN)), 100 - OWN - STATEMENT - REFERENCE - OBJECT);
    model_free(model);
}

static void test_lines_cost(void **state)
{
    (void)state;
    make_lines(path, CLOCK_KIND_MONOTONIC, INSTRUMENT_TREE);
    struct model *model = load((struct model_options){.adjust = true});
    assert_int_equal(model->adjusted, ADJUSTED_CALLS | ADJUSTED_LINES);
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN)), 900 - OWN - 5 * LINE);
    model_free(model);
}

// Counters know the method alone: its paths share the cost by their calls, in all threads.
static void test_the_lines_of_a_method_are_divided_by_calls(void **state)
{
    (void)state;
    const struct recording_counter counters[] = {{13, 16, 0}};
    const struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, MAIN, 1, 900, 900, 900),
                                           node(1, ADD, 1, 200, 200, 200), node(1, FIB, 1, 500, 500, 500),
                                           node(3, ADD, 2, 400, 200, 200)};
    const struct recording_node others[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, ADD, 5, 700, 100, 200)};
    const struct recording_tree trees[] = {
        {.process = 1, .thread = 1, .clock = START + 9000, .final = true, .count = 5, .nodes = nodes},
        {.process = 1, .thread = 2, .clock = START + 9000, .final = true, .count = 2, .nodes = others},
    };
    create(path, INSTRUMENT_LINES | INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    define_sites();
    must(recording_write_tree(writer, &trees[0]));
    must(recording_write_tree(writer, &trees[1]));
    must(recording_write_counters(
        writer, &(struct recording_counters){.process = 1, .clock = START + 9000, .count = 1, .counters = counters}));
    finish(36, 0, 2, true);
    struct model *model = load((struct model_options){.adjust = true, .threads_apart = true});
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, ADD)), 200 - OWN - 2 * LINE);
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, MAIN, FIB, ADD)), 400 - 2 * OWN - 4 * LINE);
    assert_int_equal(tree_own(NODE(&model->trees[1].tree, ADD)), 700 - 5 * OWN - 10 * LINE);
    model_free(model);
    const struct model_thread second = {.process = 1, .thread = 2};
    model = load((struct model_options){.adjust = true, .threads = {&second, 1}});
    assert_int_equal(model->adjusted, ADJUSTED_CALLS); // counters are of all threads
    assert_int_equal(tree_own(NODE(&model->trees[0].tree, ADD)), 700 - 5 * OWN);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements_and_values_cost),
        cmocka_unit_test(test_a_recorded_tree_is_adjusted_by_its_stream),
        cmocka_unit_test(test_an_exception_filter_costs_its_owner),
        cmocka_unit_test(test_times_never_fall_below_zero),
        cmocka_unit_test(test_a_range_has_the_costs_of_its_events),
        cmocka_unit_test(test_lines_cost),
        cmocka_unit_test(test_the_lines_of_a_method_are_divided_by_calls),
    };
    return cmocka_run_group_tests(tests, calibrate, remove_path);
}
