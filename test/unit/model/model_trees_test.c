// Recorded call trees: the newest tree of each thread counts, and trees of several threads are merged by path.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static void write_tree(uint32_t thread, uint64_t clock, uint64_t calls, uint32_t open)
{
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, MAIN, calls, 10 * calls, 10, 10)};
    nodes[1].open = open;
    must(recording_write_tree(
        writer, &(struct recording_tree){.process = 1, .thread = thread, .clock = clock, .count = 2, .nodes = nodes}));
}

static void make_trees(bool close)
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
    make_trees(true);
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

static void without_an_end_trees_give_the_events(void **state)
{
    (void)state;
    make_trees(false);
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model->tree_count, 0);
    assert_int_equal(model->events, 2 * 9 - 1);
    model_free(model);
}

static void a_damaged_tree_leaves_the_others(void **state)
{
    (void)state;
    make_trees(true);
    damage_block(RECORDING_TREE_NODES, 1);
    struct model *model = load((struct model_options){0});
    assert_true(model_damaged(model));
    assert_int_equal(model->calls, 4);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_tree_of_each_thread_counts),
        cmocka_unit_test(without_an_end_trees_give_the_events),
        cmocka_unit_test(a_damaged_tree_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
