// Copies of a growing tree as changes: a reader that joins them has each copy, whatever order its nodes come in.
#include "collector/drain/tree_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "recording/tree_changes.h"
#include "ring/segment.h"
#include "trace/instrument.h"

enum { M = METHOD_FIRST_REAL, NODES = 1 << 14 };

struct fixture {
    struct ring_header *ring;
    struct tree_copy copy;
    struct tree_chains chains;
    struct tree_chain chain;
    struct recording_kept_tree kept;
    uint32_t root, next;
    uint64_t seed;
};

static uint32_t random_below(struct fixture *fixture, uint32_t limit)
{
    fixture->seed ^= fixture->seed << 13;
    fixture->seed ^= fixture->seed >> 7;
    fixture->seed ^= fixture->seed << 17;
    return (uint32_t)(fixture->seed >> 20) % limit;
}

static uint32_t add(struct fixture *fixture, uint32_t parent)
{
    struct ring_node *nodes = ring_nodes(fixture->ring);
    uint32_t number = fixture->next++;
    nodes[number] = (struct ring_node){.parent = parent, .method = parent ? M + number : 0, .shortest = UINT64_MAX};
    if (parent) {
        nodes[number].next_sibling = nodes[parent].first_child;
        nodes[parent].first_child = number;
    }
    atomic_store(&fixture->ring->nodes_used, (number / RING_NODE_BLOCK + 1) * RING_NODE_BLOCK);
    return number;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct ring_options options = {.process = 1, .nodes_max = NODES, .instruments = INSTRUMENT_TREE};
    int fd;
    if (!fixture || segment_create(&options, &fd, &fixture->ring) != CLEW_OK) {
        return -1;
    }
    (void)close(fd);
    fixture->next = RING_NODE_BLOCK;
    fixture->seed = 88172645463325252u;
    fixture->root = add(fixture, 0);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    tree_copy_free(&fixture->copy);
    tree_chain_end(&fixture->chains, &fixture->chain);
    assert_int_equal(fixture->chains.nodes, 0);
    tree_chains_free(&fixture->chains);
    recording_tree_free(&fixture->kept);
    segment_unmap(fixture->ring);
    free(fixture);
    return 0;
}

static void copy(struct fixture *fixture)
{
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, fixture->root, 0, 0), CLEW_OK);
}

static void begin(struct fixture *fixture)
{
    const struct recording_tree tree = {
        .count = fixture->copy.count,
        .nodes = (const struct recording_node *)(const void *)fixture->copy.nodes.data,
        .sequence = 100,
    };
    tree_chain_begin(&fixture->chains, &fixture->chain, &fixture->copy, NODES);
    assert_int_equal(recording_tree_keep(&fixture->kept, &tree), CLEW_OK);
}

// False: the tree has to be written whole.
static bool advance(struct fixture *fixture)
{
    struct recording_tree_changes changes;
    if (!tree_chain_continue(&fixture->chains, &fixture->chain, &fixture->copy, &changes)) {
        return false;
    }
    changes.sequence = fixture->kept.tree.sequence + 1;
    assert_int_equal(recording_tree_change(&fixture->kept, &changes), CLEW_OK);
    return true;
}

// The joined tree has the nodes of the segment, under the numbers of the chain.
static void expect_equal(const struct fixture *fixture)
{
    const struct ring_node *nodes = ring_nodes(fixture->ring);
    assert_int_equal(fixture->kept.tree.count, fixture->copy.count);
    assert_int_equal(fixture->kept.tree.count, fixture->next - RING_NODE_BLOCK);
    for (uint32_t i = 0; i < fixture->kept.tree.count; i++) {
        const struct recording_node *joined = &fixture->kept.nodes[i];
        const struct ring_node *node = &nodes[fixture->chain.sources[i]];
        assert_int_equal(joined->method, node->method);
        assert_int_equal(joined->calls, node->calls);
        assert_int_equal(joined->total, node->total);
        assert_int_equal(joined->shortest, node->shortest);
        assert_int_equal(joined->longest, node->longest);
        assert_int_equal(joined->exceptions, node->exceptions);
        assert_true(i == 0 || joined->parent < i);
        assert_int_equal(fixture->chain.sources[joined->parent], i ? node->parent : fixture->root);
    }
}

static void run(struct fixture *fixture)
{
    uint32_t number = fixture->root + 1 + random_below(fixture, fixture->next - fixture->root - 1);
    struct ring_node *node = &ring_nodes(fixture->ring)[number];
    uint64_t ticks = random_below(fixture, 1000);
    node->calls++;
    node->total += ticks;
    node->shortest = ticks < node->shortest ? ticks : node->shortest;
    node->longest = ticks > node->longest ? ticks : node->longest;
    node->exceptions += random_below(fixture, 4) == 0;
}

static void grow(struct fixture *fixture, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add(fixture, fixture->root + random_below(fixture, fixture->next - fixture->root));
    }
}

static void each_copy_can_be_joined(void **state)
{
    struct fixture *fixture = *state;
    uint32_t whole = 0;
    grow(fixture, 500);
    copy(fixture);
    begin(fixture);
    for (int round = 0; round < 100; round++) {
        grow(fixture, random_below(fixture, 20));
        for (uint32_t i = random_below(fixture, 60); i > 0; i--) {
            run(fixture);
        }
        copy(fixture);
        if (!advance(fixture)) {
            begin(fixture);
            whole++;
        }
        expect_equal(fixture);
    }
    assert_true(whole >= 100 / (CHAIN_CHANGES_MAX + 1) - 1 && whole <= 100 / CHAIN_CHANGES_MAX + 1);
}

// A copy has the children of a node in the order of their first calls; the chain has new nodes behind all others.
static void runs_have_the_nodes_numbers_in_the_chain(void **state)
{
    struct fixture *fixture = *state;
    grow(fixture, 100);
    copy(fixture);
    begin(fixture);
    for (int round = 0; round < 10; round++) {
        grow(fixture, 10);
        for (uint32_t i = fixture->root + 1; i < fixture->next; i += 7) {
            ring_nodes(fixture->ring)[i].method |= RING_METHOD_RUNS;
            ring_node_runs(fixture->ring)[i].completed = i;
        }
        copy(fixture);
        assert_true(advance(fixture));
        tree_chain_number_runs(&fixture->chains, &fixture->copy);
        const struct recording_run *runs = (const struct recording_run *)(const void *)fixture->copy.runs.data;
        uint32_t count = (uint32_t)(fixture->copy.runs.size / sizeof *runs);
        assert_int_equal(count, (fixture->next - fixture->root - 1 + 6) / 7);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(i == 0 || runs[i].node > runs[i - 1].node);
            assert_int_equal(fixture->chain.sources[runs[i].node], runs[i].completed);
        }
    }
}

static void a_tree_is_whole_every_16_copies(void **state)
{
    struct fixture *fixture = *state;
    grow(fixture, 100);
    copy(fixture);
    begin(fixture);
    for (int i = 0; i < 15; i++) {
        run(fixture);
        copy(fixture);
        assert_true(advance(fixture));
    }
    run(fixture);
    copy(fixture);
    assert_false(advance(fixture));
    begin(fixture);
    for (int i = 0; i < 100; i++) { // copies without a change write nothing, and do not count
        copy(fixture);
        assert_true(advance(fixture));
        assert_int_equal(fixture->chain.changes, 0);
    }
}

static void a_tree_that_has_changed_much_is_whole(void **state)
{
    struct fixture *fixture = *state;
    grow(fixture, 100);
    copy(fixture);
    begin(fixture);
    grow(fixture, 50);
    copy(fixture);
    assert_false(advance(fixture));
    begin(fixture);
    expect_equal(fixture);
}

// A broken program: what it does to the links changes no other tree, and the tree is written whole.
static void links_that_change_end_the_chain(void **state)
{
    struct fixture *fixture = *state;
    struct ring_node *nodes = ring_nodes(fixture->ring);
    grow(fixture, 100);
    copy(fixture);
    begin(fixture);
    uint32_t root = fixture->root;
    fixture->root = root + 1; // another root
    copy(fixture);
    assert_false(advance(fixture));
    fixture->root = root;
    copy(fixture);
    begin(fixture);
    nodes[root].first_child = nodes[nodes[root].first_child].next_sibling; // a path is gone
    copy(fixture);
    assert_false(advance(fixture));
}

static void a_chain_over_the_limit_holds_no_memory(void **state)
{
    struct fixture *fixture = *state;
    grow(fixture, 100);
    copy(fixture);
    begin(fixture);
    assert_non_null(fixture->chain.nodes);
    uint64_t others = CHAIN_NODES_MAX - 100; // nodes of other threads; this one has 101
    fixture->chains.nodes += others;
    begin(fixture);
    assert_null(fixture->chain.nodes);
    assert_null(fixture->chain.sources);
    assert_int_equal(fixture->chains.nodes, others);
    assert_false(advance(fixture));
    fixture->chains.nodes -= others;
    begin(fixture);
    assert_true(advance(fixture));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_copy_can_be_joined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_have_the_nodes_numbers_in_the_chain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tree_is_whole_every_16_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tree_that_has_changed_much_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_chain_over_the_limit_holds_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_that_change_end_the_chain, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
