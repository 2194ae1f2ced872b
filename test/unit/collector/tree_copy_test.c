// Copies of call trees agree with the ring, broken links are found, and freed nodes are clear.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/drain/tree_copy.h"
#include "ring/segment.h"
#include "trace/instrument.h"

enum { M = METHOD_FIRST_REAL, NODES = 1 << 16 };

struct fixture {
    struct ring_header *ring;
    struct tree_copy copy;
    uint32_t next;
};

static int set_up_depth(void **state, uint32_t depth_max)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct ring_options options = {.process = 1, .nodes_max = NODES, .depth_max = depth_max};
    int fd;
    if (!fixture || segment_create(&options, &fd, &fixture->ring) != CLEW_OK) {
        return -1;
    }
    (void)close(fd);
    fixture->next = RING_NODE_BLOCK;
    *state = fixture;
    return 0;
}

static int set_up(void **state)
{
    return set_up_depth(state, 0);
}

static int set_up_shallow(void **state)
{
    return set_up_depth(state, 2);
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    tree_copy_free(&fixture->copy);
    segment_unmap(fixture->ring);
    free(fixture);
    return 0;
}

static uint32_t add(struct fixture *fixture, uint32_t parent, uint32_t method, uint64_t calls)
{
    struct ring_node *nodes = ring_nodes(fixture->ring);
    uint32_t number = fixture->next++;
    nodes[number] = (struct ring_node){
        .parent = parent, .method = method, .calls = calls, .total = calls * 10, .shortest = 1, .longest = 10};
    if (parent) {
        nodes[number].next_sibling = nodes[parent].first_child;
        nodes[parent].first_child = number;
    }
    atomic_store(&fixture->ring->nodes_used, (number / RING_NODE_BLOCK + 1) * RING_NODE_BLOCK);
    return number;
}

static const struct recording_node *node_of(const struct fixture *fixture, uint32_t method)
{
    const struct recording_node *nodes = (const struct recording_node *)(const void *)fixture->copy.nodes.data;
    for (uint32_t i = 0; i < fixture->copy.count; i++) {
        if (nodes[i].method == method) {
            return &nodes[i];
        }
    }
    return NULL;
}

static void parents_come_first(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t parents[200] = {root};
    for (uint32_t i = 1; i < 200; i++) {
        parents[i] = add(fixture, parents[i / 3], M + i, i);
    }
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    const struct recording_node *nodes = (const struct recording_node *)(const void *)fixture->copy.nodes.data;
    assert_int_equal(fixture->copy.count, 200);
    assert_int_equal(nodes[0].method, METHOD_ROOT);
    uint64_t calls = 0;
    for (uint32_t i = 1; i < 200; i++) {
        uint32_t number = nodes[i].method - M;
        assert_true(nodes[i].parent < i);
        assert_int_equal(nodes[nodes[i].parent].method, number < 3 ? METHOD_ROOT : M + number / 3);
        assert_int_equal(nodes[i].calls, number);
        calls += nodes[i].calls;
    }
    assert_int_equal(fixture->copy.entries, 2 * calls);
}

// `tree` and `calls` with different scopes: a node only for the stream is not copied, and streamed calls are not
// counted.
static void scopes_of_their_own(void **state)
{
    struct fixture *fixture = *state;
    fixture->ring->instruments = INSTRUMENT_TREE | INSTRUMENT_CALLS;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t both = add(fixture, root, M, 3);
    uint32_t only_calls = add(fixture, both, (M + 1) | RING_METHOD_NOT_IN_TREE, 5);
    (void)add(fixture, only_calls, (M + 2) | RING_METHOD_NOT_IN_CALLS, 7);
    ring_node_cpus(fixture->ring)[only_calls].user_ns = 9;
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    assert_int_equal(fixture->copy.count, 3);
    assert_null(node_of(fixture, M + 1));
    assert_int_equal(node_of(fixture, M)->cpu_user_ns, 9);
    assert_int_equal(node_of(fixture, M + 2)->calls, 7);
    assert_int_equal(node_of(fixture, M + 2)->parent, 1);
    assert_int_equal(fixture->copy.entries, 14);
    assert_int_equal(fixture->copy.passages, 2 * (3 + 7));
}

// They have no entries and exits, and no limit of the depth applies to them.
static void counted_calls_are_no_events(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t counted = add(fixture, root, METHOD_COUNTED, 0);
    fixture->ring->depth_max = 1;
    (void)add(fixture, root, M, 3);
    (void)add(fixture, counted, M + 1, 5);
    (void)add(fixture, counted, M + 2, 7);
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    assert_int_equal(fixture->copy.count, 5);
    assert_int_equal(node_of(fixture, M + 1)->calls, 5);
    assert_int_equal(node_of(fixture, M + 2)->calls, 7);
    assert_int_equal(fixture->copy.entries, 2 * 3);
    assert_int_equal(fixture->copy.passages, 2 * 3);
}

// A node that is not copied does not count as a level of the depth limit.
static void the_depth_is_that_of_the_tree(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t first = add(fixture, root, M, 1);
    uint32_t only_calls = add(fixture, first, (M + 1) | RING_METHOD_NOT_IN_TREE, 1);
    uint32_t second = add(fixture, only_calls, M + 2, 1);
    (void)add(fixture, second, M + 3, 1);
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    assert_int_equal(fixture->copy.count, 3);
    assert_non_null(node_of(fixture, M + 2));
}

// Calls over the cap run in a node outside of the tree; `(over the cap)` in the tree gets their CPU time.
static void calls_over_the_cap_are_shown_together(void **state)
{
    struct fixture *fixture = *state;
    struct ring_header *ring = fixture->ring;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t first = add(fixture, root, M, 1);
    uint32_t overflow = add(fixture, 0, METHOD_OVER_CAP, 0);
    ring_nodes(ring)[overflow].parent = first;
    assert_int_equal(tree_shown_node(ring, root, overflow), overflow); // no copied node shows it yet
    uint32_t over = add(fixture, root, METHOD_OVER_CAP, 1);
    (void)add(fixture, root, M + 1, 1);
    assert_int_equal(tree_shown_node(ring, root, overflow), over);
    assert_int_equal(tree_shown_node(ring, root, over), over);
    assert_int_equal(tree_shown_node(ring, root, first), first);
    assert_int_equal(tree_shown_node(ring, root, UINT32_MAX), UINT32_MAX);
    assert_int_equal(tree_shown_node(ring, UINT32_MAX, overflow), overflow);
    ring_nodes(ring)[first].next_sibling = first; // a broken program's
    ring_nodes(ring)[root].first_child = first;
    assert_int_equal(tree_shown_node(ring, root, overflow), overflow);
}

static void running_activations_have_their_time_so_far(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t node = add(fixture, root, M, 3);
    ring_nodes(fixture->ring)[node].started = 1000;
    ring_nodes(fixture->ring)[node].exceptions = 2;
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 1500), CLEW_OK);
    assert_int_equal(node_of(fixture, M)->open, 1);
    assert_int_equal(node_of(fixture, M)->total, 530);
    assert_int_equal(fixture->copy.entries, 5);
    assert_int_equal(fixture->copy.passages, 5);
    assert_int_equal(fixture->copy.unwinds, 2);
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 900),
                     CLEW_OK); // a clock that is behind takes nothing away
    assert_int_equal(node_of(fixture, M)->total, 30);
}

static void too_deep_ones_are_folded(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t parent = root;
    for (uint32_t i = 1; i <= 5; i++) {
        parent = add(fixture, parent, M + i, 1);
        ring_node_cpus(fixture->ring)[parent] = (struct ring_node_cpu){.user_ns = 100, .kernel_ns = 1};
    }
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    assert_int_equal(fixture->copy.count, 3);
    assert_int_equal(node_of(fixture, M + 2)->cpu_user_ns, 400);
    assert_int_equal(node_of(fixture, M + 2)->cpu_kernel_ns, 4);
}

static void wild_links_end(void **state)
{
    struct fixture *fixture = *state;
    struct ring_node *nodes = ring_nodes(fixture->ring);
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t a = add(fixture, root, M, 1), b = add(fixture, a, M + 1, 1);
    nodes[b].first_child = a; // a circle
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_MALFORMED);
    assert_true(fixture->copy.count <= atomic_load(&fixture->ring->nodes_used));
    nodes[b].first_child = UINT32_MAX;
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_MALFORMED);
    nodes[b].first_child = 0;
    nodes[a].next_sibling = NODES;
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_MALFORMED);
    nodes[a].next_sibling = a;
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_MALFORMED);
    nodes[a].next_sibling = 0;
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    assert_int_equal(fixture->copy.count, 3);
    uint32_t used = atomic_load(&fixture->ring->nodes_used);
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, used - 3, 0), CLEW_OK);
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, used - 2, 0),
                     CLEW_MALFORMED); // all the others' too
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, 0, 0, 0), CLEW_MALFORMED);
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, UINT32_MAX, 0, 0), CLEW_MALFORMED);
}

static uint32_t add_body(struct fixture *fixture, uint32_t parent, uint32_t method, struct ring_run run)
{
    uint32_t node = add(fixture, parent, method | RING_METHOD_RUNS, 1);
    ring_node_runs(fixture->ring)[node] = run;
    return node;
}

// Those of async bodies that have any. The numbers of nodes that continue activations are as the agent made them.
static void figures_of_runs_are_copied_beside_the_nodes(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t first = add_body(
        fixture, root, M,
        (struct ring_run){.completed = 3, .latency = 90, .latency_shortest = 20, .latency_longest = 40, .outer = 9});
    (void)add_body(fixture, first, M + 1,
                   (struct ring_run){.latency_shortest = UINT64_MAX, .activation = 5}); // none yet
    uint32_t plain = add(fixture, first, M + 2, 1);
    ring_node_runs(fixture->ring)[plain].completed = 1; // of no body: whatever is there is not looked at
    (void)add_body(fixture, root, METHOD_RESUMED | 7,
                   (struct ring_run){.faulted = 1,
                                     .cancelled = 2,
                                     .latency = 5,
                                     .latency_shortest = 1,
                                     .latency_longest = 3,
                                     .awaiting = 70,
                                     .own_awaiting = 60});
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    const struct recording_node *nodes = (const struct recording_node *)(const void *)fixture->copy.nodes.data;
    const struct recording_run *runs = (const struct recording_run *)(const void *)fixture->copy.runs.data;
    assert_int_equal(fixture->copy.runs.size, 2 * sizeof *runs);
    assert_int_equal(nodes[runs[0].node].method, M);
    assert_int_equal(nodes[runs[1].node].method, METHOD_RESUMED | 7);
    const struct recording_run expected[] = {
        {.node = runs[0].node, .completed = 3, .latency = 90, .latency_shortest = 20, .latency_longest = 40},
        {.node = runs[1].node,
         .faulted = 1,
         .cancelled = 2,
         .latency = 5,
         .latency_shortest = 1,
         .latency_longest = 3,
         .awaiting = 70,
         .own_awaiting = 60}};
    assert_memory_equal(runs, expected, sizeof expected);
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    assert_int_equal(fixture->copy.runs.size, 2 * sizeof *runs); // not both copies'
}

// A node that a later thread gets has no figures of the one before. Others have no page of memory for theirs.
static void figures_of_runs_are_cleared_with_their_nodes(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1);
    uint32_t body = add_body(fixture, root, M, (struct ring_run){.completed = 3, .latency = 90});
    uint32_t plain = add(fixture, body, M + 2, 1);
    ring_node_runs(fixture->ring)[plain].completed = 1; // as if its page had been touched
    struct ring_thread thread = {.root = root};
    assert_true(tree_recycle(&fixture->copy, fixture->ring, &thread));
    static const struct ring_run empty;
    assert_memory_equal(&ring_node_runs(fixture->ring)[body], &empty, sizeof empty);
    assert_int_equal(ring_node_runs(fixture->ring)[plain].completed, 1);
    assert_int_equal(ring_nodes(fixture->ring)[body].method, 0);
}

static void latencies_are_copied_and_cleared_with_their_nodes(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1), plain = add(fixture, root, M, 4);
    uint32_t body = add_body(fixture, root, M + 1, (struct ring_run){.completed = 3, .latency = 90});
    uint32_t *numbers = ring_node_histograms(fixture->ring);
    struct ring_histogram *histograms = ring_histograms(fixture->ring);
    numbers[plain] = 7;
    histograms[7].counts[0] = 3;
    histograms[7].counts[HISTOGRAM_BUCKETS - 1] = UINT32_MAX;
    numbers[body] = RING_HISTOGRAMS_MAX; // a broken program wrote it: no such histogram
    assert_int_equal(tree_copy(&fixture->copy, fixture->ring, root, 0, 0), CLEW_OK);
    const struct recording_run *runs = (const struct recording_run *)(const void *)fixture->copy.runs.data;
    const struct recording_latency *latencies =
        (const struct recording_latency *)(const void *)fixture->copy.latencies.data;
    assert_int_equal(fixture->copy.runs.size, 2 * sizeof *runs);
    assert_int_equal(fixture->copy.latencies.size, 2 * sizeof *latencies);
    assert_int_equal(runs[0].latency_count + runs[1].latency_count, 2);
    assert_int_equal(latencies[0].count, 3);
    assert_int_equal(latencies[1].bucket, HISTOGRAM_BUCKETS - 1);
    assert_int_equal(latencies[1].count, UINT32_MAX);
    struct ring_thread thread = {.root = root};
    assert_true(tree_recycle(&fixture->copy, fixture->ring, &thread));
    assert_int_equal(numbers[plain], 7); // for the node's next use
    assert_int_equal(histograms[7].counts[0], 0);
}

static uint32_t pop(struct ring_header *ring)
{
    uint64_t top = atomic_load(&ring->free_node_blocks);
    uint32_t block = (uint32_t)top;
    if (block) {
        atomic_store(&ring->free_node_blocks, ((top >> 32) + 1) << 32 | ring_nodes(ring)[block].next_sibling);
        ring_nodes(ring)[block].next_sibling = 0;
    }
    return block;
}

static void nodes_go_back(void **state)
{
    struct fixture *fixture = *state;
    uint32_t root = add(fixture, 0, METHOD_ROOT, 1), parent = root;
    for (uint32_t i = 0; i < 3 * RING_NODE_BLOCK; i++) { // with the root: four blocks, the last begun
        parent = add(fixture, i % 5 ? root : parent, M + i, 1);
    }
    ring_node_cpus(fixture->ring)[parent].user_ns = 5;
    struct ring_thread thread = {.root = root, .free_node = fixture->next, .free_nodes_left = RING_NODE_BLOCK - 1};
    assert_true(tree_recycle(&fixture->copy, fixture->ring, &thread));
    static const struct ring_node empty;
    bool seen[8] = {false};
    uint32_t count = 0;
    for (uint32_t block; (block = pop(fixture->ring)) != 0; count++) {
        assert_int_equal(block % RING_NODE_BLOCK, 0);
        assert_false(seen[block / RING_NODE_BLOCK]);
        seen[block / RING_NODE_BLOCK] = true;
        for (uint32_t i = 0; i < RING_NODE_BLOCK; i++) {
            assert_memory_equal(&ring_nodes(fixture->ring)[block + i], &empty, sizeof empty);
            assert_int_equal(ring_node_cpus(fixture->ring)[block + i].user_ns, 0);
        }
    }
    assert_int_equal(count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parents_come_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(running_activations_have_their_time_so_far, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_deep_ones_are_folded, set_up_shallow, tear_down),
        cmocka_unit_test_setup_teardown(calls_over_the_cap_are_shown_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scopes_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counted_calls_are_no_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_depth_is_that_of_the_tree, set_up_shallow, tear_down),
        cmocka_unit_test_setup_teardown(wild_links_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figures_of_runs_are_copied_beside_the_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figures_of_runs_are_cleared_with_their_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(latencies_are_copied_and_cleared_with_their_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_go_back, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
