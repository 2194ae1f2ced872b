// The logical view of recorded trees: which row each run of an async activation belongs to, and what the row adds up.
#include "model/tree_logical.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// Main calls Get, which awaits Load in state 0, and Load awaits a timer in its states 0 and 1. Items is an async iterator that
// Get enumerates.
enum { MAIN = 16, GET, GET_BODY, LOAD, LOAD_BODY, ITEMS_BODY, PARSE, PUMP, START };
enum { IN_GET = PATH_FIRST, GET_WAITS, IN_LOAD, LOAD_WAITS, LOAD_WAITS_AGAIN, PATHS };

static struct async async;
static struct tree tree;

static const struct recording_path paths[] = {
    {PATH_NONE, 0},
    {PATH_NONE, 0},
    {PATH_NONE, 0},
    {PATH_UNKNOWN, GET_BODY},
    {IN_GET, PATH_AWAIT},
    {IN_GET, LOAD_BODY},
    {IN_LOAD, PATH_AWAIT | 0},
    {IN_LOAD, PATH_AWAIT | 1},
};

static void define_paths(const struct recording_path *of, uint32_t count)
{
    assert_int_equal(async_add_paths(&async, &(struct recording_paths){.process = 1, .count = count, .paths = of}),
                     CLEW_OK);
}

static void define_async(uint32_t body, uint32_t kickoff, uint32_t flags)
{
    const struct recording_async defined = {.process = 1, .body = body, .kickoff = kickoff, .flags = flags};
    assert_int_equal(async_add_method(&async, &defined), CLEW_OK);
}

// Main has called Get: its path is not that in `paths`, which begins where the caller is not known.
static int begin(void **state)
{
    (void)state;
    define_async(GET_BODY, GET, 0);
    define_async(LOAD_BODY, LOAD, 0);
    define_async(ITEMS_BODY, 0, 0);
    define_paths(paths, PATHS);
    return tree_init(&tree, 1000) == CLEW_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    tree_fini(&tree);
    async_fini(&async);
    return 0;
}

static struct recording_node node(uint32_t parent, uint32_t method, uint64_t calls, uint64_t total)
{
    return (struct recording_node){
        .parent = parent, .method = method, .calls = calls, .total = total, .shortest = 1, .longest = total};
}

#define RUN(...) ((struct recording_run){__VA_ARGS__})

static const struct recording_latency latencies[] = {{7, 2}, {9, 1}, {7, 5}};

// Adds a thread.
static enum clew_error merge(const struct recording_node *nodes, uint32_t count, const struct recording_run *runs,
                             uint32_t run_count)
{
    const struct recording_runs figures = {
        .count = run_count, .runs = runs, .latency_count = 3, .latencies = latencies};
    struct logical_merge merging = {.tree = &tree, .process = 1, .async = &async, .paths = async_paths(&async, 1)};
    enum clew_error error = logical_merge_part(&merging, nodes, count / 2);
    error = error == CLEW_OK ? logical_merge_part(&merging, nodes + count / 2, count - count / 2) : error;
    logical_merge_times(&merging);
    error = error == CLEW_OK ? logical_merge_runs(&merging, &figures) : error;
    logical_merge_fini(&merging);
    return error;
}

#define MERGE(nodes) assert_int_equal(merge(nodes, sizeof nodes / sizeof *(nodes), NULL, 0), CLEW_OK)
#define MERGE_RUNS(nodes, runs) \
    assert_int_equal(merge(nodes, sizeof nodes / sizeof *(nodes), runs, sizeof runs / sizeof *(runs)), CLEW_OK)

// The row of a path from the root; fails if there is none.
static uint32_t row(const uint32_t *path, uint32_t depth)
{
    uint32_t at = TREE_ROOT, before = tree.count;
    for (uint32_t i = 0; i < depth; i++) {
        at = tree_child(&tree, at, path[i]);
    }
    assert_int_equal(tree.count, before);
    return at;
}

#define ROW(...) row((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define NODE(...) (&tree.nodes[ROW(__VA_ARGS__)])
#define RUNS(...) tree_run(&tree, ROW(__VA_ARGS__))

static void finish(void)
{
    assert_int_equal(tree_logical_finish(&tree), CLEW_OK);
}

static void synchronous_methods_are_as_recorded(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, MAIN, 1, 100), node(1, PARSE, 3, 60),
                                           node(1, METHOD_FILTER, 1, 20), node(3, PUMP, 2, 15)};
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(MAIN)->total, 100);
    assert_int_equal(tree_own(NODE(MAIN)), 100 - 60 - 15);
    assert_int_equal(NODE(MAIN, PARSE)->calls, 3);
    assert_int_equal(NODE(MAIN, PARSE)->shortest, 1);
    assert_int_equal(NODE(MAIN, PARSE)->longest, 60);
    assert_int_equal(NODE(MAIN, PUMP)->total, 15);
    assert_int_equal(tree.nodes[TREE_ROOT].total, 100);
    assert_null(RUNS(MAIN));
}

static void kickoff_and_body_are_one_row(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, MAIN, 1, 100), node(1, GET, 3, 60),
                                     node(2, GET_BODY, 3, 50), node(3, PARSE, 1, 10)};
    const struct recording_run runs[] = {RUN(.node = 3, .completed = 1, .faulted = 1, .cancelled = 1, .latency = 40,
                                             .latency_shortest = 5, .latency_longest = 20)};
    nodes[2].exceptions = 2; // of the kick-off: it has no row
    MERGE_RUNS(nodes, runs);
    finish();
    const struct tree_node *get = NODE(MAIN, GET_BODY);
    assert_int_equal(get->calls, 3);
    assert_int_equal(get->total, 60);
    assert_int_equal(tree_own(get), 10 + 40); // of both
    assert_int_equal(get->shortest, UINT64_MAX);
    assert_int_equal(get->exceptions, 1);
    assert_int_equal(NODE(MAIN, GET_BODY, PARSE)->total, 10);
    assert_int_equal(RUNS(MAIN, GET_BODY)->kickoffs, 3);
    assert_int_equal(RUNS(MAIN, GET_BODY)->runs, 3);
    assert_int_equal(RUNS(MAIN, GET_BODY)->latency_shortest, 5);
    assert_int_equal(RUNS(MAIN, GET_BODY)->latency_longest, 20);
    assert_int_equal(tree_pending(get, RUNS(MAIN, GET_BODY)), 0);
    assert_int_equal(tree.count, 4);
}

// Load's timer fires on a pool thread. Load completes, and its completion resumes Get.
static void a_resumed_run_is_in_the_row_of_its_path(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0),
                                           node(0, METHOD_RESUMED | LOAD_WAITS, 1, 100),
                                           node(1, PARSE, 1, 20),
                                           node(1, METHOD_AFTER_WAIT, 1, 70),
                                           node(3, METHOD_RESUMED | GET_WAITS, 1, 60),
                                           node(4, PARSE, 1, 5)};
    const struct recording_run runs[] = {
        RUN(.node = 1, .completed = 1, .latency = 900, .latency_shortest = 900, .awaiting = 800, .own_awaiting = 800),
        RUN(.node = 4, .completed = 1, .latency = 1000, .latency_shortest = 1000, .awaiting = 850, .own_awaiting = 1)};
    MERGE_RUNS(nodes, runs);
    finish();
    const struct tree_node *get = NODE(METHOD_UNKNOWN_CALLER, GET_BODY);
    const struct tree_node *load = NODE(METHOD_UNKNOWN_CALLER, GET_BODY, LOAD_BODY);
    assert_int_equal(tree_own(load), 100 - 20 - 70); // the runtime's part of the completion is in no row
    assert_int_equal(load->total, 30);
    assert_int_equal(tree_own(get), 55);
    assert_int_equal(get->total, 60 + 30);
    assert_int_equal(get->calls, 0); // they began elsewhere
    assert_int_equal(RUNS(METHOD_UNKNOWN_CALLER, GET_BODY)->runs, 1);
    assert_int_equal(RUNS(METHOD_UNKNOWN_CALLER, GET_BODY)->latency, 1000);
    assert_int_equal(tree_awaiting(&tree, ROW(METHOD_UNKNOWN_CALLER, GET_BODY, LOAD_BODY)), 800);
    assert_int_equal(tree_awaiting(&tree, ROW(METHOD_UNKNOWN_CALLER, GET_BODY)), 801);
    assert_int_equal(NODE(METHOD_UNKNOWN_CALLER, GET_BODY, LOAD_BODY, PARSE)->total, 20);
    assert_int_equal(NODE(METHOD_UNKNOWN_CALLER, GET_BODY, PARSE)->total, 5);
    assert_int_equal(tree.nodes[TREE_ROOT].total, 90);
}

static void places_say_how_often_and_how_long(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, METHOD_RESUMED | LOAD_WAITS, 5, 10),
                                           node(0, METHOD_RESUMED | LOAD_WAITS_AGAIN, 2, 10)};
    const struct recording_run runs[] = {RUN(.node = 1, .awaiting = 100), RUN(.node = 2, .awaiting = 30)};
    MERGE_RUNS(nodes, runs);
    MERGE_RUNS(nodes, runs); // another thread
    finish();
    const struct tree_run *run = RUNS(METHOD_UNKNOWN_CALLER, GET_BODY, LOAD_BODY);
    const struct tree_place *second = &tree.logical->places[run->places], *first = &tree.logical->places[second->next];
    assert_int_equal(run->resumed, 14);
    assert_int_equal(first->state, 0);
    assert_int_equal(first->count, 10);
    assert_int_equal(first->awaiting, 200);
    assert_int_equal(first->next, 0);
    assert_int_equal(second->state, 1);
    assert_int_equal(second->count, 4);
    assert_int_equal(second->awaiting, 60);
}

// Main's pump runs what is resumed: the run's time is in its callers' rows, and in none on its stack.
static void time_of_a_resumed_run_is_taken_out_of_the_stack(void **state)
{
    (void)state;
    const struct recording_path main_paths[] = {{PATH_ROOT, MAIN}, {IN_GET, GET_BODY}, {GET_WAITS, PATH_AWAIT}};
    assert_int_equal(
        async_add_paths(&async, &(struct recording_paths){.process = 1, .first = 3, .count = 3, .paths = main_paths}),
        CLEW_OK);
    const struct recording_node nodes[] = {node(0, 0, 0, 0),
                                           node(0, MAIN, 1, 100),
                                           node(1, GET, 1, 10),
                                           node(2, GET_BODY, 1, 10),
                                           node(1, PUMP, 1, 80),
                                           node(4, PARSE, 1, 7),
                                           node(4, METHOD_RESUMED | 5, 1, 50),
                                           node(6, PARSE, 1, 20)};
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(MAIN, PUMP)->total, 30);
    assert_int_equal(tree_own(NODE(MAIN, PUMP)), 80 - 7 - 50);
    assert_int_equal(NODE(MAIN, GET_BODY)->total, 60);
    assert_int_equal(NODE(MAIN)->total, 100);
    assert_int_equal(NODE(MAIN, PUMP)->shortest, UINT64_MAX); // its activations' own times have the run in them
    assert_int_equal(NODE(MAIN, PUMP)->longest, 0);
    assert_int_equal(NODE(MAIN)->longest, 0);
    assert_int_equal(NODE(MAIN, PUMP, PARSE)->longest, 7);
    assert_int_equal(RUNS(MAIN, GET_BODY)->runs, 2);
    assert_int_equal(NODE(MAIN, GET_BODY)->calls, 1);
}

static void a_builder_may_be_between_kickoff_and_body(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0),     node(0, GET, 1, 100),  node(1, START, 1, 90),
                                           node(2, PUMP, 1, 80), node(3, PARSE, 1, 70), node(4, GET_BODY, 1, 60)};
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(GET_BODY)->calls, 1);
    assert_int_equal(NODE(GET_BODY)->total, 100);
    assert_int_equal(NODE(GET_BODY, START, PUMP, PARSE)->total, 10);
    assert_int_equal(NODE(GET_BODY, START)->longest, 0);
    assert_int_equal(tree.count, 5);
}

static void a_first_run_may_stand_for_its_kickoff(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, MAIN, 1, 100), node(1, GET_BODY, 3, 60),
                                           node(2, PARSE, 1, 10)};
    define_async(GET_BODY, GET, ASYNC_FLAG_STARTS);
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(MAIN, GET_BODY)->calls, 3);
    assert_int_equal(NODE(MAIN, GET_BODY)->total, 60);
    assert_int_equal(RUNS(MAIN, GET_BODY)->kickoffs, 0);
    assert_int_equal(RUNS(MAIN, GET_BODY)->runs, 3);
    assert_int_equal(NODE(MAIN)->longest, 100);
}

// The code that waited for an activation runs below its end: who called it is not known.
static void what_an_end_releases_has_no_known_caller(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0),
                                     node(0, MAIN, 1, 100),
                                     node(1, GET, 1, 90),
                                     node(2, GET_BODY, 1, 85),
                                     node(3, METHOD_AFTER_END, 1, 70),
                                     node(4, PARSE, 1, 20),
                                     node(4, LOAD, 1, 30),
                                     node(6, LOAD_BODY, 1, 25),
                                     node(4, METHOD_FILTER, 1, 9),
                                     node(8, PUMP, 1, 5),
                                     node(3, METHOD_AFTER_WAIT, 1, 4),
                                     node(10, START, 1, 3)};
    nodes[4].cpu_user_ns = 7;
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(METHOD_UNKNOWN_CALLER, PARSE)->total, 20);
    assert_int_equal(NODE(METHOD_UNKNOWN_CALLER, LOAD_BODY)->total, 30);
    assert_int_equal(NODE(METHOD_UNKNOWN_CALLER, PUMP)->total, 5);
    assert_int_equal(NODE(MAIN, GET_BODY, START)->total, 3); // the await itself has called it
    assert_int_equal(tree_own(NODE(MAIN, GET_BODY)), 5 + 85 - 70 - 4);
    assert_int_equal(tree_cpu(&tree, ROW(MAIN, GET_BODY))->own.cpu_user_ns, 7);
    assert_int_equal(NODE(MAIN)->longest, 0);
    assert_int_equal(tree.count, 8);
}

static void an_end_alone_makes_no_row(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET, 1, 90), node(1, GET_BODY, 1, 85),
                                           node(2, METHOD_AFTER_END, 1, 70)};
    MERGE(nodes);
    finish();
    assert_int_equal(tree.count, 2);
}

static void too_far_above_is_no_kickoff(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0),        node(0, GET, 1, 100),  node(1, START, 1, 90),
                                           node(2, PUMP, 1, 80),    node(3, PARSE, 1, 70), node(4, PARSE, 1, 65),
                                           node(5, GET_BODY, 1, 60)};
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(METHOD_UNKNOWN_CALLER, GET_BODY)->calls, 1);
    assert_int_equal(NODE(GET_BODY)->calls, 0); // it was called, and did not run yet
    assert_int_equal(RUNS(GET_BODY)->kickoffs, 1);
    assert_int_equal(NODE(GET_BODY)->total, 40);
}

// Nor is one with another async body between: a lazy builder starts the body from somewhere else.
static void another_body_between_hides_the_kickoff(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET, 1, 100), node(1, LOAD, 1, 90),
                                           node(2, LOAD_BODY, 1, 80), node(3, GET_BODY, 1, 60)};
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(METHOD_UNKNOWN_CALLER, GET_BODY)->total, 60);
    assert_int_equal(NODE(GET_BODY, LOAD_BODY)->total, 30);
}

static void an_iterator_is_below_its_consumer(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET, 1, 100), node(1, GET_BODY, 1, 90),
                                           node(2, ITEMS_BODY, 1, 10), node(2, METHOD_CONTINUED | ITEMS_BODY, 7, 20)};
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(GET_BODY, ITEMS_BODY)->calls, 1);
    assert_int_equal(NODE(GET_BODY, ITEMS_BODY)->total, 30);
    assert_int_equal(RUNS(GET_BODY, ITEMS_BODY)->runs, 8);
    assert_int_equal(RUNS(GET_BODY, ITEMS_BODY)->resumed, 0);
    assert_int_equal(tree.count, 3);
}

static void open_runs_are_open_and_waiting_ones_pending(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET, 5, 100), node(1, GET_BODY, 5, 90),
                                     node(2, METHOD_AFTER_WAIT, 5, 10)};
    const struct recording_run runs[] = {RUN(.node = 2, .completed = 1)};
    nodes[1].open = nodes[2].open = 1; // the kick-off's is the same activation
    MERGE_RUNS(nodes, runs);
    assert_int_equal(NODE(GET_BODY)->open, 1);
    assert_int_equal(tree_pending(NODE(GET_BODY), RUNS(GET_BODY)), 3);
    nodes[3].open = 1; // it has announced to wait, and its thread has not returned yet
    MERGE_RUNS(nodes, runs);
    finish();
    assert_int_equal(NODE(GET_BODY)->open, 1);
    assert_int_equal(tree_pending(NODE(GET_BODY), RUNS(GET_BODY)), 10 - 2 - 1);
    assert_int_equal(tree_pending(&(struct tree_node){.calls = 1, .open = 1}, &(struct tree_run){.completed = 1}), 0);
}

// Get awaits two of Load at once: together they wait longer than it takes.
static void callees_that_overlap_make_a_row_parallel(void **state)
{
    (void)state;
    const struct recording_path more[] = {{PATH_ROOT, GET_BODY}, {PATHS, LOAD_BODY}, {PATHS + 1, PATH_AWAIT}};
    assert_int_equal(
        async_add_paths(&async, &(struct recording_paths){.process = 1, .first = PATHS, .count = 3, .paths = more}),
        CLEW_OK);
    define_async(GET_BODY, GET, ASYNC_FLAG_STARTS);
    define_async(LOAD_BODY, LOAD, ASYNC_FLAG_STARTS);
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET_BODY, 1, 30), node(1, LOAD_BODY, 2, 20),
                                           node(0, METHOD_RESUMED | (PATHS + 2), 2, 10)};
    struct recording_run runs[] = {RUN(.node = 1, .completed = 1, .latency = 130),
                                   RUN(.node = 3, .completed = 2, .latency = 120, .own_awaiting = 90)};
    MERGE_RUNS(nodes, runs);
    finish();
    assert_false(RUNS(GET_BODY)->parallel); // 30 + 10 + 90 follow one another
    assert_false(RUNS(GET_BODY, LOAD_BODY)->parallel);
    tree_fini(&tree);
    assert_int_equal(tree_init(&tree, 1000), CLEW_OK);
    runs[0].latency = 129;
    MERGE_RUNS(nodes, runs);
    finish();
    assert_true(RUNS(GET_BODY)->parallel);
    assert_false(RUNS(GET_BODY, LOAD_BODY)->parallel);
}

// A kick-off returns after its activation has ended, which is no overlap; and of one that has not ended nothing is known.
static void kickoffs_and_pending_activations_make_no_row_parallel(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET, 1, 60), node(1, GET_BODY, 1, 50),
                                           node(0, ITEMS_BODY, 2, 50)};
    const struct recording_run runs[] = {RUN(.node = 2, .completed = 1, .latency = 55),
                                         RUN(.node = 3, .completed = 1, .latency = 10)};
    MERGE_RUNS(nodes, runs);
    finish();
    assert_false(RUNS(GET_BODY)->parallel);
    assert_false(RUNS(ITEMS_BODY)->parallel);
}

static void cpu_time_is_that_of_the_row(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET, 1, 100), node(1, GET_BODY, 1, 90),
                                     node(2, METHOD_AFTER_WAIT, 1, 50), node(3, METHOD_RESUMED | LOAD_WAITS, 1, 40)};
    for (uint32_t i = 0; i < 5; i++) {
        nodes[i].cpu_user_ns = 1 << i;
    }
    MERGE(nodes);
    finish();
    assert_int_equal(tree_cpu(&tree, TREE_ROOT)->own.cpu_user_ns, 1);
    assert_int_equal(tree_cpu(&tree, ROW(GET_BODY))->own.cpu_user_ns, 2 + 4 + 8);
    assert_int_equal(tree_cpu(&tree, ROW(METHOD_UNKNOWN_CALLER, GET_BODY, LOAD_BODY))->own.cpu_user_ns, 16);
}

static void over_the_cap_bodies_have_no_callers(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, METHOD_OVER_CAP, 3, 0), node(1, GET, 1, 0),
                                           node(1, GET_BODY, 1, 0), node(1, METHOD_RESUMED | LOAD_WAITS, 1, 0)};
    MERGE(nodes);
    finish();
    assert_int_equal(NODE(METHOD_OVER_CAP, GET_BODY)->calls, 1);
    assert_int_equal(RUNS(METHOD_UNKNOWN_CALLER, GET_BODY, LOAD_BODY)->runs, 1);
}

// -- Damage -----------------------------------------------------------------------------------------------------------

static void runs_without_a_path_are_lost_ones(void **state)
{
    (void)state;
    const struct recording_path more[] = {{PATHS, GET_BODY},       {PATHS + 2, GET_BODY},  {PATHS + 1, LOAD_BODY},
                                          {PATHS + 1, PATH_AWAIT}, {77, GET_BODY},         {PATHS + 4, PATH_AWAIT},
                                          {PATH_ROOT, PATH_AWAIT}, {LOAD_WAITS, GET_BODY}, {PATHS + 7, PATH_AWAIT}};
    assert_int_equal(
        async_add_paths(&async, &(struct recording_paths){.process = 1, .first = PATHS, .count = 9, .paths = more}),
        CLEW_OK);
    const struct recording_node nodes[] = {
        node(0, 0, 0, 0),
        node(0, METHOD_RESUMED | 99, 1, 1),           // not defined
        node(0, METHOD_RESUMED | IN_GET, 2, 1),       // a path, and no place of await
        node(0, METHOD_RESUMED | 0, 4, 1),            // of nothing
        node(0, METHOD_RESUMED | (PATHS + 6), 8, 1),  // an await outside methods
        node(0, METHOD_RESUMED | (PATHS + 3), 16, 1), // below a later path, which is below it
        node(0, METHOD_RESUMED | (PATHS + 5), 32, 1), // below one that is not defined
        node(0, METHOD_RESUMED | (PATHS + 8), 64, 1), // below an await
    };
    MERGE(nodes);
    finish();
    assert_int_equal(RUNS(METHOD_UNKNOWN_CALLER, METHOD_MISSING)->runs, 15);
    assert_int_equal(RUNS(METHOD_UNKNOWN_CALLER, METHOD_MISSING)->places, 0);
    assert_int_equal(RUNS(METHOD_UNKNOWN_CALLER, METHOD_MISSING, GET_BODY)->runs, 16 + 32 + 64);
}

static void wrong_parents_are_damage(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, MAIN, 1, 100), node(2, PARSE, 1, 70)};
    assert_int_equal(merge(nodes, 3, NULL, 0), CLEW_DAMAGED);
    assert_int_equal(tree.count, 2);
}

static void figures_of_other_nodes_are_left_out(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, MAIN, 1, 100), node(1, GET, 1, 70)};
    const struct recording_run runs[] = {RUN(.node = 0, .completed = 1), RUN(.node = 1, .completed = 1),
                                         RUN(.node = 2, .completed = 1), RUN(.node = 3, .completed = 1)};
    MERGE_RUNS(nodes, runs);
    finish();
    assert_int_equal(RUNS(MAIN, GET_BODY)->completed, 0);
    assert_null(RUNS(MAIN));
}

static uint64_t latencies_in(uint32_t of, uint32_t bucket)
{
    uint64_t count = 0;
    for (uint32_t at = tree_latencies(&tree, of); at; at = tree.latencies[at].next) {
        count += tree.latencies[at].bucket == bucket ? tree.latencies[at].count : 0;
    }
    return count;
}

static void latencies_of_threads_and_runs_add_up_in_a_row(void **state)
{
    (void)state;
    const struct recording_node thread[] = {node(0, 0, 0, 0), node(0, MAIN, 4, 100), node(1, GET, 8, 60),
                                            node(2, GET_BODY, 8, 50)};
    const struct recording_run figures[] = {RUN(.node = 1, .latency_count = 1),
                                            RUN(.node = 2, .latency_count = 1, .first_latency = 1),
                                            RUN(.node = 3, .latency_count = 2, .first_latency = 1)};
    MERGE_RUNS(thread, figures);
    MERGE_RUNS(thread, figures);
    assert_int_equal(latencies_in(ROW(MAIN), 7), 4);
    assert_int_equal(latencies_in(ROW(MAIN), 9), 0);
    assert_int_equal(latencies_in(ROW(MAIN, GET_BODY), 7), 10); // without those of the kick-off alone
    assert_int_equal(latencies_in(ROW(MAIN, GET_BODY), 9), 2);
}

static void a_deep_path_takes_no_stack(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    struct recording_path *deep = malloc((DEEP + 1) * sizeof *deep);
    assert_non_null(deep);
    for (uint32_t i = 0; i < DEEP; i++) {
        deep[i] = (struct recording_path){i ? PATH_FIRST + i - 1 : PATH_ROOT, i < DEEP - 1 ? PUMP : GET_BODY};
    }
    deep[DEEP] = (struct recording_path){PATH_FIRST + DEEP - 1, PATH_AWAIT};
    struct recording_paths all = {.process = 1, .first = PATH_FIRST, .count = DEEP + 1, .paths = deep};
    assert_int_equal(async_add_paths(&async, &all), CLEW_OK);
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, METHOD_RESUMED | (PATH_FIRST + DEEP), 1, 10)};
    tree.nodes_max = 2 * DEEP;
    MERGE(nodes);
    finish();
    assert_int_equal(tree.count, DEEP + 1);
    assert_int_equal(tree.nodes[1].total, 10);
    free(deep);
}

// Get calls Get, which calls Load, which calls Get, and so on; in each, one run after an await. The last one is an iterator.
static void a_recursion_folds_below_many_async_activations(void **state)
{
    (void)state;
    enum { DEEP = 3 * TREE_ASYNC_LEVELS_MAX };
    struct recording_path *deep = malloc(2 * DEEP * sizeof *deep);
    struct recording_node *nodes = malloc((DEEP + 1) * sizeof *nodes);
    assert_true(deep && nodes);
    nodes[0] = node(0, 0, 0, 0);
    for (uint32_t i = 0; i < DEEP; i++) {
        uint32_t path = PATH_FIRST + 2 * i;
        deep[2 * i] = (struct recording_path){i ? path - 2 : PATH_ROOT, i == DEEP - 1 ? ITEMS_BODY
                                                                        : i % 3 == 2  ? LOAD_BODY
                                                                                      : GET_BODY};
        deep[2 * i + 1] = (struct recording_path){path, PATH_AWAIT};
        nodes[1 + i] = node(0, METHOD_RESUMED | (path + 1), 1, 10);
    }
    struct recording_paths all = {.process = 1, .first = PATH_FIRST, .count = 2 * DEEP, .paths = deep};
    assert_int_equal(async_add_paths(&async, &all), CLEW_OK);
    tree.nodes_max = 2 * DEEP;
    assert_int_equal(merge(nodes, DEEP + 1, NULL, 0), CLEW_OK);
    finish();
    uint64_t runs[METHOD_FIRST_REAL * 2] = {0};
    for (uint32_t i = 1; i < tree.count; i++) {
        runs[tree.nodes[i].method] += tree_run(&tree, i)->runs;
    }
    assert_in_range(tree.count, 1 + TREE_ASYNC_LEVELS_MAX, 1 + TREE_ASYNC_LEVELS_MAX + 4);
    assert_int_equal(runs[GET_BODY], DEEP / 3 * 2);
    assert_int_equal(runs[LOAD_BODY], DEEP / 3 - 1);
    assert_int_equal(runs[ITEMS_BODY], 1);
    assert_int_equal(tree.nodes[tree.count - 1].method, ITEMS_BODY); // folded, since what it is below is
    assert_int_equal(tree.nodes[TREE_ROOT].total, 10 * DEEP);
    assert_false(tree_run(&tree, 1)->folded);
    assert_false(tree_run(&tree, TREE_ASYNC_LEVELS_MAX / 2)->folded);
    assert_true(tree_run(&tree, TREE_ASYNC_LEVELS_MAX)->folded);
    assert_true(tree_run(&tree, tree.count - 1)->folded);
    free(deep);
    free(nodes);
}

// -- Physical ---------------------------------------------------------------------------------------------------------

// The stacks as they were: each run counts as a call of the body.
static void the_physical_view_has_the_bodies_methods(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0),
                                           node(0, METHOD_RESUMED | LOAD_WAITS, 1, 100),
                                           node(1, METHOD_AFTER_WAIT, 1, 70),
                                           node(2, METHOD_RESUMED | GET_WAITS, 1, 60),
                                           node(3, METHOD_CONTINUED | ITEMS_BODY, 1, 9),
                                           node(0, METHOD_RESUMED | LOAD_WAITS_AGAIN, 2, 50),
                                           node(0, METHOD_RESUMED | 99, 2, 50)};
    struct tree_merge physical = {.tree = &tree, .process = 1, .async = &async, .paths = async_paths(&async, 1)};
    assert_int_equal(tree_merge_part(&physical, nodes, 7), CLEW_OK);
    tree_merge_end(&physical);
    assert_int_equal(NODE(LOAD_BODY)->calls, 3);
    assert_int_equal(NODE(LOAD_BODY)->total, 150);
    assert_int_equal(tree_own(NODE(LOAD_BODY)), 90);
    assert_int_equal(NODE(LOAD_BODY, GET_BODY)->total, 60);
    assert_int_equal(NODE(LOAD_BODY, GET_BODY, ITEMS_BODY)->calls, 1);
    assert_int_equal(NODE(METHOD_MISSING)->calls, 2);
    assert_null(RUNS(LOAD_BODY));
    assert_int_equal(tree_awaiting(&tree, ROW(LOAD_BODY)), 0);
}

static void a_physical_kickoff_has_the_times_of_the_first_run(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, MAIN, 1, 100), node(1, GET_BODY, 3, 60),
                                     node(2, PARSE, 1, 10), node(2, METHOD_AFTER_END, 1, 9)};
    struct tree_merge physical = {.tree = &tree, .process = 1, .async = &async, .paths = async_paths(&async, 1)};
    define_async(GET_BODY, GET, ASYNC_FLAG_STARTS);
    nodes[2].cpu_user_ns = 4;
    assert_int_equal(tree_merge_part(&physical, nodes, 5), CLEW_OK);
    assert_int_equal(physical.kickoffs, 3);
    tree_merge_end(&physical);
    assert_int_equal(NODE(MAIN, GET)->calls, 3);
    assert_int_equal(NODE(MAIN, GET)->longest, 60);
    assert_int_equal(tree_own(NODE(MAIN, GET)), 0);
    assert_int_equal(tree_own(NODE(MAIN)), 40);
    assert_int_equal(NODE(MAIN, GET, GET_BODY)->calls, 3);
    assert_int_equal(tree_own(NODE(MAIN, GET, GET_BODY)), 50);
    assert_int_equal(tree_cpu(&tree, ROW(MAIN, GET))->own.cpu_user_ns, 0);
    assert_int_equal(tree_cpu(&tree, ROW(MAIN, GET, GET_BODY))->own.cpu_user_ns, 4);
}

// One activation of three is complete. The JIT suspends the method: an exception may have ended the others without a run.
static void without_an_end_it_may_have_failed_unseen(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET_BODY, 3, 60)};
    const struct recording_run runs[] = {RUN(.node = 1, .completed = 1)};
    define_async(GET_BODY, 0, ASYNC_FLAG_SUSPENDED);
    MERGE_RUNS(nodes, runs);
    assert_int_equal(tree_pending(NODE(GET_BODY), RUNS(GET_BODY)), 2);
    assert_int_equal(tree_unknown_ends(NODE(GET_BODY), RUNS(GET_BODY)), 2);
}

static void where_each_end_is_seen_it_is_pending(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0), node(0, GET_BODY, 3, 60)};
    const struct recording_run runs[] = {RUN(.node = 1, .completed = 1)};
    define_async(GET_BODY, 0, ASYNC_FLAG_SUSPENDED | ASYNC_FLAG_EXACT);
    MERGE_RUNS(nodes, runs);
    assert_int_equal(tree_pending(NODE(GET_BODY), RUNS(GET_BODY)), 2);
    assert_int_equal(tree_unknown_ends(NODE(GET_BODY), RUNS(GET_BODY)), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(synchronous_methods_are_as_recorded),
        TEST(kickoff_and_body_are_one_row),
        TEST(a_resumed_run_is_in_the_row_of_its_path),
        TEST(places_say_how_often_and_how_long),
        TEST(time_of_a_resumed_run_is_taken_out_of_the_stack),
        TEST(a_builder_may_be_between_kickoff_and_body),
        TEST(a_first_run_may_stand_for_its_kickoff),
        TEST(what_an_end_releases_has_no_known_caller),
        TEST(an_end_alone_makes_no_row),
        TEST(too_far_above_is_no_kickoff),
        TEST(another_body_between_hides_the_kickoff),
        TEST(an_iterator_is_below_its_consumer),
        TEST(open_runs_are_open_and_waiting_ones_pending),
        TEST(callees_that_overlap_make_a_row_parallel),
        TEST(kickoffs_and_pending_activations_make_no_row_parallel),
        TEST(cpu_time_is_that_of_the_row),
        TEST(over_the_cap_bodies_have_no_callers),
        TEST(runs_without_a_path_are_lost_ones),
        TEST(wrong_parents_are_damage),
        TEST(figures_of_other_nodes_are_left_out),
        TEST(latencies_of_threads_and_runs_add_up_in_a_row),
        TEST(a_deep_path_takes_no_stack),
        TEST(a_recursion_folds_below_many_async_activations),
        TEST(the_physical_view_has_the_bodies_methods),
        TEST(a_physical_kickoff_has_the_times_of_the_first_run),
        TEST(without_an_end_it_may_have_failed_unseen),
        TEST(where_each_end_is_seen_it_is_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
