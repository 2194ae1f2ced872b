// Recorded call trees: the newest tree of each thread counts, and trees of several threads are merged by path.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "model/table.h"
#include "trace/instrument.h"

static void write_tree(uint32_t thread, uint64_t clock, uint64_t calls, uint32_t open)
{
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, MAIN, calls, 10 * calls, 10, 10)};
    nodes[1].open = open;
    must(recording_write_tree(
        writer, &(struct recording_tree){.process = 1, .thread = thread, .clock = clock, .count = 2, .nodes = nodes}));
}

static void make_tree_copies(bool close)
{
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    write_tree(1, START + 100, 3, 0);
    write_tree(2, START + 150, 5, 1);
    write_tree(1, START + 200, 4, 0); // replaces the first
    if (close) {
        finish(17, 0, 2, true);
    } else {
        must(recording_close(writer, NULL));
    }
}

static void the_newest_tree_of_each_thread_counts(void **state)
{
    (void)state;
    make_tree_copies(true);
    struct model *model = load((struct model_options){0});
    assert_int_equal(model->tree_count, 1);
    assert_int_equal(model->trees[0].tree.count, 2); // both threads' Main
    assert_int_equal(model->trees[0].tree.nodes[1].calls, 4 + 5);
    assert_int_equal(model->trees[0].tree.nodes[1].total, 90);
    assert_int_equal(model->calls, 9);
    assert_int_equal(model->open, 1);
    assert_int_equal(model->events, 2 * 9 - 1); // an open activation has no exit
    model_free(model);
    model = load((struct model_options){.threads_apart = true});
    assert_int_equal(model->tree_count, 2);
    assert_int_equal(model->trees[0].tree.nodes[1].calls, 4);
    assert_int_equal(model->trees[1].tree.nodes[1].calls, 5);
    model_free(model);
}

static void write_counted(uint32_t thread, uint64_t calls)
{
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, METHOD_COUNTED, 0, 0, UINT64_MAX, 0),
                                     node(0, MAIN, 1, 10, 10, 10), node(1, ADD, calls, 0, UINT64_MAX, 0)};
    must(recording_write_tree(
        writer, &(struct recording_tree){.process = 1, .thread = thread, .clock = START, .count = 4, .nodes = nodes}));
}

static void counted_calls_are_in_no_tree(void **state)
{
    (void)state;
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    write_counted(1, 3);
    write_counted(2, 4);
    must(recording_close(writer, NULL));
    for (unsigned physical = 0; physical < 2; physical++) {
        struct model *model = load((struct model_options){.physical = physical, .adjust = true});
        assert_int_equal(model->trees[0].tree.count, 2); // Main
        assert_int_equal(model->trees[0].tree.nodes[1].calls, 2);
        assert_int_equal(model->counted_count, 1);
        assert_int_equal(model->counted[0].calls, 7);
        assert_int_equal(model->calls, 2 + 7);
        assert_int_equal(model->events, 4);
        struct table_methods rows;
        must(table_methods(model, &rows));
        assert_int_equal(rows.count, 2);
        const struct table_method *row = &rows.rows[rows.rows[0].counted == 0];
        assert_int_equal(row->calls, 7);
        assert_false(table_is_timed(row));
        free(rows.rows);
        model_free(model);
    }
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model->events, 4);
    model_free(model);
}

static void without_an_end_trees_give_the_events(void **state)
{
    (void)state;
    make_tree_copies(false);
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model->tree_count, 0);
    assert_int_equal(model->events, 2 * 9 - 1);
    model_free(model);
}

static void a_damaged_tree_leaves_the_others(void **state)
{
    (void)state;
    make_tree_copies(true);
    damage_block(RECORDING_TREE_NODES, 1);
    struct model *model = load((struct model_options){0});
    assert_true(model_damaged(model));
    assert_int_equal(model->calls, 4);
    model_free(model);
}

// -- Changes ----------------------------------------------------------------------------------------------------------

// Main has been called `more` times again. Of a tree with `before` nodes; a new one gets two calls.
static void write_changes(uint64_t more, uint32_t before, bool new_node)
{
    const struct recording_node_change changes[] = {
        {.node = 1, .by = {.calls = more, .total = 10 * more}},
        {.node = 2, .by = {.parent = 1, .method = ADD, .calls = 2, .total = 3, .shortest = 2, .longest = 2}}};
    must(recording_write_tree_changes(writer, &(struct recording_tree_changes){.process = 1,
                                                                               .thread = 1,
                                                                               .clock = START + 300,
                                                                               .before = before,
                                                                               .after = before + new_node,
                                                                               .count = 1 + new_node,
                                                                               .changes = changes}));
}

static void make_changes(void)
{
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    write_tree(1, START + 100, 3, 0);
    write_changes(1, 2, false); // of a tree that is replaced
    write_tree(1, START + 200, 5, 0);
    write_changes(2, 2, false);
    write_changes(4, 2, true);
    write_changes(8, 3, false);
    must(recording_close(writer, NULL));
}

static void changes_are_added_to_the_tree_before(void **state)
{
    (void)state;
    make_changes();
    struct model *model = load((struct model_options){0});
    assert_false(model_damaged(model));
    assert_int_equal(model->calls, 5 + 2 + 4 + 8 + 2);
    assert_int_equal(model->trees[0].tree.nodes[1].total, 190);
    assert_int_equal(model->trees[0].tree.nodes[2].shortest, 1);
    assert_int_equal(model->gaps, 0);
    assert_int_equal(model->health.unknown, 0);
    model_free(model);
    model = load((struct model_options){.names_only = true});
    assert_int_equal(model->events, 2 * 21);
    model_free(model);
}

// The last known state before the damage, and the reader says that there is damage.
static void damaged_changes_end_the_chain(void **state)
{
    (void)state;
    make_changes();
    damage_block(RECORDING_TREE_CHANGES, 2);
    struct model *model = load((struct model_options){0});
    assert_true(model_damaged(model));
    assert_false(model->complete);
    assert_int_equal(model->gaps, 1);
    assert_int_equal(model->calls, 5 + 2);
    model_free(model);
}

static void changes_of_a_damaged_tree_do_not_count(void **state)
{
    (void)state;
    make_changes();
    damage_block(RECORDING_TREE_NODES, 1);
    struct model *model = load((struct model_options){0});
    assert_true(model_damaged(model));
    assert_int_equal(model->gaps, 1);
    assert_int_equal(model->calls, 3 + 1); // those of the tree before it do
    model_free(model);
}

static void changes_without_any_tree_are_ignored(void **state)
{
    (void)state;
    make_changes();
    damage_block(RECORDING_TREE_NODES, 0);
    damage_block(RECORDING_TREE_NODES, 1);
    struct model *model = load((struct model_options){0});
    assert_true(model_damaged(model));
    assert_int_equal(model->calls, 0);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_tree_of_each_thread_counts),
        cmocka_unit_test(counted_calls_are_in_no_tree),
        cmocka_unit_test(without_an_end_trees_give_the_events),
        cmocka_unit_test(a_damaged_tree_leaves_the_others),
        cmocka_unit_test(changes_are_added_to_the_tree_before),
        cmocka_unit_test(damaged_changes_end_the_chain),
        cmocka_unit_test(changes_of_a_damaged_tree_do_not_count),
        cmocka_unit_test(changes_without_any_tree_are_ignored),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
