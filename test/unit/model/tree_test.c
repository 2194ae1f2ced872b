// Call trees: children, merging, order, what adjusting takes, and depths and sizes that must not hurt.
#include "model/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/catalog.h"

static struct recording_node node(uint32_t parent, uint32_t method, uint64_t calls, uint64_t total)
{
    return (struct recording_node){
        .parent = parent, .method = method, .calls = calls, .total = total, .shortest = 1, .longest = total};
}

static enum clew_error merge(struct tree *tree, const struct recording_node *nodes, uint32_t count)
{
    struct tree_merge merge = {.tree = tree};
    enum clew_error error = tree_merge_part(&merge, nodes, count);
    tree_merge_end(&merge);
    return error;
}

static void test_children_are_found_again(void **state)
{
    (void)state;
    struct tree tree;
    assert_int_equal(tree_init(&tree, 100000), CLEW_OK);
    uint32_t first[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        first[i] = tree_child(&tree, i % 7 ? first[i - 1] : TREE_ROOT, 16 + i);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(tree_child(&tree, i % 7 ? first[i - 1] : TREE_ROOT, 16 + i), first[i]);
    }
    assert_int_equal(tree.count, 1001);
    tree_fini(&tree);
}

static void test_threads_merge_by_path(void **state)
{
    (void)state;
    const struct recording_node one[] = {node(0, 0, 0, 0), node(0, 16, 1, 100), node(1, 17, 3, 60)};
    const struct recording_node two[] = {node(0, 0, 0, 0), node(0, 18, 1, 50), node(0, 16, 2, 30), node(2, 17, 1, 10)};
    struct tree tree;
    assert_int_equal(tree_init(&tree, 1000), CLEW_OK);
    assert_int_equal(merge(&tree, one, 3), CLEW_OK);
    assert_int_equal(merge(&tree, two, 4), CLEW_OK);
    assert_int_equal(tree.count, 4);
    const struct tree_node *both = &tree.nodes[tree_child(&tree, TREE_ROOT, 16)];
    assert_int_equal(both->calls, 3);
    assert_int_equal(both->total, 130);
    assert_int_equal(tree_own(both), 60);
    assert_int_equal(both->longest, 100);
    assert_int_equal(tree.nodes[TREE_ROOT].total, 180);
    tree_fini(&tree);
}

static void test_filters_fold_into_their_owner(void **state)
{
    (void)state;
    // 16 calls 17, which throws; a filter of 16 calls 18 meanwhile: its time is inside 17's too.
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, 16, 1, 100), node(1, 17, 1, 70),
                                           node(1, METHOD_FILTER, 1, 20), node(3, 18, 2, 15)};
    struct tree tree;
    assert_int_equal(tree_init(&tree, 1000), CLEW_OK);
    assert_int_equal(merge(&tree, nodes, 5), CLEW_OK);
    assert_int_equal(tree.count, 4);
    uint32_t owner = tree_child(&tree, TREE_ROOT, 16);
    uint32_t called = tree_child(&tree, owner, 18);
    assert_int_equal(tree.count, 4); // both were there
    assert_int_equal(tree.nodes[called].calls, 2);
    assert_int_equal(tree_own(&tree.nodes[owner]), 100 - 70 - 15);
    tree_fini(&tree);
}

static void test_wrong_parents_are_damage(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, 16, 1, 100), node(2, 17, 1, 70)};
    struct tree tree;
    assert_int_equal(tree_init(&tree, 1000), CLEW_OK);
    assert_int_equal(merge(&tree, nodes, 3), CLEW_DAMAGED);
    assert_int_equal(tree.count, 2);
    tree_fini(&tree);
}

static void test_nodes_are_visited_in_order(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0),   node(0, 16, 1, 10), node(0, 17, 1, 30),
                                           node(0, 18, 5, 10), node(2, 19, 1, 1),  node(0, 20, 1, 10)};
    struct tree tree;
    int64_t depth = -1;
    uint32_t seen[5], at = TREE_ROOT;
    assert_int_equal(tree_init(&tree, 1000), CLEW_OK);
    assert_int_equal(merge(&tree, nodes, 6), CLEW_OK);
    assert_int_equal(tree_link(&tree), CLEW_OK);
    assert_int_equal(tree_sort(&tree, false, tree_by_total), CLEW_OK);
    for (uint32_t i = 0; i < 5; i++) {
        at = tree_next(&tree, at, false, &depth);
        seen[i] = tree.nodes[at].method;
        assert_int_equal(depth, seen[i] == 19);
    }
    assert_int_equal(tree_next(&tree, at, false, &depth), TREE_ROOT);
    const uint32_t by_total[] = {17, 19, 18, 16, 20}, by_sight[] = {16, 17, 18, 20};
    assert_memory_equal(seen, by_total, sizeof seen);
    assert_int_equal(tree_sort(&tree, false, NULL), CLEW_OK);
    at = TREE_ROOT;
    depth = -1;
    for (uint32_t i = 0; i < 4; i++) {
        at = tree_next(&tree, at, at != TREE_ROOT, &depth); // skipping children
        assert_int_equal(tree.nodes[at].method, by_sight[i]);
    }
    tree_fini(&tree);
}

static void test_cpu_time_goes_up_to_the_thread(void **state)
{
    (void)state;
    // 16 calls 17, which calls 18, and 19; 18 was sampled, and a filter of 16.
    struct recording_node nodes[] = {node(0, 0, 0, 0),  node(0, 16, 1, 100), node(1, 17, 1, 40),
                                     node(2, 18, 1, 9), node(1, 19, 1, 20),  node(1, METHOD_FILTER, 1, 5)};
    struct tree tree;
    nodes[3].cpu_user_ns = 7;
    nodes[3].cpu_kernel_ns = 2;
    nodes[5].cpu_user_ns = 3;
    assert_int_equal(tree_init(&tree, 1000), CLEW_OK);
    assert_int_equal(merge(&tree, nodes, 6), CLEW_OK);
    for (int times = 0; times < 2; times++) { // linked again after a node was looked up, it is the same
        assert_int_equal(tree_link(&tree), CLEW_OK);
        static const uint64_t all[] = {12, 12, 9, 9, 0};
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(tree_cpu_ns(&tree, i), all[i]);
        }
        assert_int_equal(tree_cpu(&tree, 1)->own.cpu_user_ns, 3);
        assert_int_equal(tree_cpu(&tree, 2)->own.cpu_user_ns, 0);
        assert_int_equal(tree_cpu(&tree, 2)->all.cpu_kernel_ns, 2);
        assert_int_equal(tree_child(&tree, 1, 17), 2);
    }
    assert_int_equal(tree_link(&tree), CLEW_OK);
    assert_int_equal(tree_sort(&tree, true, tree_by_total), CLEW_OK);
    assert_int_equal(tree.nodes[1].first_child, 2);
    assert_int_equal(tree.nodes[2].next, 4);
    tree_fini(&tree);
}

static void test_paths_are_found_without_being_made(void **state)
{
    (void)state;
    struct tree tree;
    assert_int_equal(tree_init(&tree, 2), CLEW_OK);
    uint32_t caller = tree_child(&tree, TREE_ROOT, 16), callee = tree_child(&tree, caller, 17); // is over the cap
    uint32_t count = tree.count;
    assert_int_equal(tree_find(&tree, TREE_ROOT, 16), caller);
    assert_int_equal(tree_find(&tree, caller, 17), callee);
    assert_int_equal(tree.nodes[tree.nodes[callee].parent].method, METHOD_OVER_CAP);
    assert_int_equal(tree_find(&tree, TREE_ROOT, 18), TREE_NONE);
    assert_int_equal(tree.count, count);
    tree_fini(&tree);
}

static void test_adjusting_subtracts_costs_from_each_node_and_its_callers(void **state)
{
    (void)state;
    const double costs[] = {6, 64, 100, 40}; // that of the root is in no method
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, 16, 1, 1000), node(1, 17, 10, 500),
                                           node(2, 18, 10, 30)};
    struct tree tree;
    assert_int_equal(tree_init(&tree, 1000), CLEW_OK);
    assert_int_equal(merge(&tree, nodes, 4), CLEW_OK);
    assert_int_equal(tree_adjust(&tree, costs), CLEW_OK);
    const struct tree_node *a = &tree.nodes[1], *b = &tree.nodes[2], *c = &tree.nodes[3];
    assert_int_equal(tree_own(c), 0); // 30 - 40, never below 0
    assert_int_equal(tree_own(b), 470 - 100);
    assert_int_equal(tree_own(a), 500 - 64);
    assert_int_equal(c->total, 0);
    assert_int_equal(b->total, tree_own(b) + c->total);
    assert_int_equal(a->total, tree_own(a) + b->total);
    assert_int_equal(tree.nodes[TREE_ROOT].total, a->total);
    tree_fini(&tree);
}

static void test_over_the_cap_counts_stay_exact(void **state)
{
    (void)state;
    struct tree tree;
    uint64_t calls = 0;
    assert_int_equal(tree_init(&tree, 50), CLEW_OK);
    uint32_t at = TREE_ROOT;
    for (uint32_t i = 0; i < 500; i++) {
        at = tree_child(&tree, i % 10 ? at : TREE_ROOT, 16 + i % 20);
        tree.nodes[at].calls++;
    }
    for (uint32_t i = 1; i < tree.count; i++) {
        calls += tree.nodes[i].calls;
    }
    assert_int_equal(calls, 500);
    assert_true(tree.count <= 50 + 1 + 20);
    tree_fini(&tree);
    assert_int_equal(tree_init(&tree, 5), CLEW_OK);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_not_equal(tree_child(&tree, TREE_ROOT, 16 + i), TREE_NONE);
    }
    assert_true(tree.over_cap);
    tree_fini(&tree);
}

static void test_deep_trees_need_no_stack(void **state)
{
    (void)state;
    enum { LEVELS = 200000 };
    struct tree tree;
    int64_t depth = -1;
    uint32_t at = TREE_ROOT;
    assert_int_equal(tree_init(&tree, LEVELS + 1), CLEW_OK);
    for (uint32_t i = 0; i < LEVELS; i++) {
        at = tree_child(&tree, at, 16);
    }
    assert_int_equal(tree_link(&tree), CLEW_OK);
    assert_int_equal(tree_sort(&tree, false, tree_by_total), CLEW_OK);
    double *costs = calloc(tree.count, sizeof *costs);
    assert_int_equal(tree_adjust(&tree, costs), CLEW_OK);
    free(costs);
    at = tree_next(&tree, TREE_ROOT, false, &depth);
    for (uint32_t i = 1; i < LEVELS; i++) {
        at = tree_next(&tree, at, false, &depth);
    }
    assert_int_equal(depth, LEVELS - 1);
    assert_int_equal(tree_next(&tree, at, false, &depth), TREE_ROOT);
    tree_fini(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_children_are_found_again),
        cmocka_unit_test(test_threads_merge_by_path),
        cmocka_unit_test(test_filters_fold_into_their_owner),
        cmocka_unit_test(test_wrong_parents_are_damage),
        cmocka_unit_test(test_nodes_are_visited_in_order),
        cmocka_unit_test(test_cpu_time_goes_up_to_the_thread),
        cmocka_unit_test(test_paths_are_found_without_being_made),
        cmocka_unit_test(test_adjusting_subtracts_costs_from_each_node_and_its_callers),
        cmocka_unit_test(test_over_the_cap_counts_stay_exact),
        cmocka_unit_test(test_deep_trees_need_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
