// Recordings with links between the runs of async methods: which view a model has, and what its trees and tables say.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"

#include "../made_awaits.h"
#include "../recording_path.h"
#include "loading.h"
#include "model/table.h"
#include "tree_rows.h"

static const struct model_options adjusted = {.adjust = true};

static void trees_are_logical(void **state)
{
    (void)state;
    make_awaits(path, MADE_ALL);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(model->view, MODEL_LOGICAL);
    assert_int_equal(model->health.damaged + model->health.unknown, 0);
    const struct tree_node *serve = NODE(tree, MAIN, SERVE_BODY), *loaded = NODE(tree, MAIN, SERVE_BODY, LOAD_BODY);
    assert_int_equal(tree_own(NODE(tree, MAIN)), 8400);
    assert_int_equal(tree_own(serve), 100 + 170 + 450);
    assert_int_equal(tree_own(loaded), 50 + 250 + 100 + 200);
    assert_int_equal(NODE(tree, MAIN, SERVE_BODY, LOAD_BODY, PARSE)->total, 400);
    assert_int_equal(serve->total, 720 + 600 + 400);
    assert_int_equal(serve->calls, 3);
    assert_int_equal(serve->exceptions, 1);
    assert_int_equal(RUNS(tree, MAIN, SERVE_BODY)->runs, 5);
    assert_int_equal(tree_pending(serve, RUNS(tree, MAIN, SERVE_BODY)), 1);
    assert_int_equal(tree_pending(loaded, RUNS(tree, MAIN, SERVE_BODY, LOAD_BODY)), 0);
    assert_int_equal(tree_awaiting(tree, ROW(tree, MAIN, SERVE_BODY)), 4700);
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY)->calls, 1);
    assert_int_equal(tree->nodes[TREE_ROOT].total, 8400 + 1720 + 40);
    assert_int_equal(model->calls, 1 + 3 + 3 + 3 + 1); // activations
    assert_int_equal(model->events, 46);
    model_free(model);
}

// As the page loads it.
static void listed_blocks_are_enough(void **state)
{
    (void)state;
    make_awaits(path, MADE_ALL);
    struct model *model = load((struct model_options){.unchecked = true});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(model->view, MODEL_LOGICAL);
    assert_int_equal(RUNS(tree, MAIN, SERVE_BODY)->latency, 7000);
    model_free(model);
}

static void the_physical_view_is_as_without_links(void **state)
{
    (void)state;
    for (int linked = 0; linked < 2; linked++) {
        make_awaits(path, linked ? MADE_ALL : MADE_WITHOUT_LINKS);
        struct model *model = load((struct model_options){.physical = linked});
        const struct tree *tree = &model->trees[0].tree;
        assert_int_equal(model->view, linked ? MODEL_PHYSICAL : MODEL_UNLINKED);
        assert_int_equal(NODE(tree, MAIN, SERVE, SERVE_BODY, LOAD, LOAD_BODY)->total, 250);
        assert_int_equal(NODE(tree, MAIN, SERVE, SERVE_BODY)->longest, 250);
        assert_int_equal(NODE(tree, LOAD_BODY)->calls, 5);
        assert_int_equal(NODE(tree, LOAD_BODY)->total, 1240);
        assert_int_equal(tree_own(NODE(tree, LOAD_BODY)), 390);
        assert_int_equal(NODE(tree, LOAD_BODY)->longest, 500);
        assert_int_equal(NODE(tree, LOAD_BODY, PARSE)->total, 400);
        assert_int_equal(NODE(tree, LOAD_BODY, SERVE_BODY)->calls, 2);
        assert_null(RUNS(tree, LOAD_BODY));
        model_free(model);
    }
}

static void without_figures_of_runs_they_are_zero(void **state)
{
    (void)state;
    make_awaits(path, MADE_WITHOUT_RUNS);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(model->view, MODEL_LOGICAL);
    assert_int_equal(NODE(tree, MAIN, SERVE_BODY)->total, 1720);
    assert_int_equal(RUNS(tree, MAIN, SERVE_BODY)->latency, 0);
    assert_int_equal(RUNS(tree, MAIN, SERVE_BODY)->latency_shortest, UINT64_MAX);
    assert_int_equal(tree_pending(NODE(tree, MAIN, SERVE_BODY), RUNS(tree, MAIN, SERVE_BODY)), 3);
    model_free(model);
}

static void damaged_figures_of_runs_are_zero(void **state)
{
    (void)state;
    make_awaits(path, MADE_ALL);
    damage_block(RECORDING_RUNS, 0);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_true(model_damaged(model));
    assert_int_equal(NODE(tree, MAIN, SERVE_BODY)->total, 1720);
    assert_int_equal(RUNS(tree, MAIN, SERVE_BODY)->latency, 0);
    assert_int_equal(model->calls, 11);
    model_free(model);
}

// A later tree of the thread has none of the runs before it.
static void a_later_tree_drops_the_figures_of_runs(void **state)
{
    (void)state;
    const struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, SERVE, 1, 50, 50, 50),
                                           node(1, SERVE_BODY, 1, 40, 40, 40)};
    const struct recording_run older[] = {{.node = 2, .completed = 1}}, newer[] = {{.node = 2, .completed = 5}};
    for (int later = 0; later < 2; later++) {
        create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
        define();
        define_async_methods(true);
        write_thread(1, nodes, 3, older, 1);
        if (later) {
            write_thread(1, nodes, 3, NULL, 0);
        } else {
            must(recording_write_runs(
                writer,
                &(struct recording_runs){.process = 1, .thread = 1, .clock = START, .count = 1, .runs = newer}));
        }
        finish(4, 0, 1, true);
        struct model *model = load((struct model_options){0});
        const struct tree *tree = &model->trees[0].tree;
        assert_int_equal(RUNS(tree, SERVE_BODY)->completed, later ? 0 : 5);
        model_free(model);
    }
}

static void parts_of_a_recording_are_physical(void **state)
{
    (void)state;
    const struct model_thread worker = {.thread = 2}, all = {.process = 1};
    make_awaits(path, MADE_ALL);
    struct model *model = load((struct model_options){.threads_apart = true});
    assert_int_equal(model->view, MODEL_PARTIAL);
    assert_int_equal(model->tree_count, 2);
    model_free(model);
    model = load((struct model_options){.threads = {&worker, 1}});
    assert_int_equal(model->view, MODEL_PARTIAL);
    assert_int_equal(NODE(&model->trees[0].tree, LOAD_BODY)->calls, 5);
    model_free(model);
    model = load((struct model_options){.to_ns = 5000});
    assert_int_equal(model->view, MODEL_PARTIAL);
    model_free(model);
    model = load((struct model_options){.threads = {&all, 1}});
    assert_int_equal(model->view, MODEL_LOGICAL);
    model_free(model);
}

static void a_thread_without_a_tree_is_added_from_its_stream(void **state)
{
    (void)state;
    make_awaits(path, MADE_WITH_STREAM);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(model->view, MODEL_LOGICAL);
    assert_int_equal(NODE(tree, MAIN, SERVE_BODY, LOAD_BODY)->calls, 3);
    assert_int_equal(NODE(tree, MAIN)->calls, 2);
    assert_int_equal(NODE(tree, MAIN)->open, 1);
    model_free(model);
}

static const struct table_method *find(const struct model *model, const struct table_methods *methods, uint32_t method)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        if (model->catalog.methods[methods->rows[i].method].record.method == method) {
            return &methods->rows[i];
        }
    }
    return NULL;
}

static void tables_count_activations_once(void **state)
{
    (void)state;
    struct table_methods methods;
    make_awaits(path, MADE_ALL);
    struct model *model = load((struct model_options){0});
    assert_int_equal(table_methods(model, &methods), CLEW_OK);
    assert_null(find(model, &methods, SERVE));
    assert_null(find(model, &methods, METHOD_UNKNOWN_CALLER));
    const struct table_method *load_row = find(model, &methods, LOAD_BODY);
    assert_int_equal(load_row->calls, 4);
    assert_int_equal(load_row->own, 600 + 40);
    assert_int_equal(load_row->shortest, UINT64_MAX);
    free(methods.rows);
    model_free(model);
}

// A probe takes 10 ns in its activation and 30 around it: 10 entries of the row of LoadAsync, three of them in its kick-off.
static void adjusting_counts_runs(void **state)
{
    (void)state;
    make_awaits(path, MADE_ALL);
    struct model *model = load(adjusted);
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(tree_own(NODE(tree, MAIN)), 8400 - 10 - 3 * 30);                               // calls three times
    assert_int_equal(tree_own(NODE(tree, MAIN, SERVE_BODY)), 720 - (3 + 5) * 10 - 3 * 30 - 3 * 30); // likewise
    assert_int_equal(tree_own(NODE(tree, MAIN, SERVE_BODY, LOAD_BODY)), 600 - (3 + 7) * 10 - 3 * 30 - 3 * 30);
    assert_int_equal(tree_own(NODE(tree, MAIN, SERVE_BODY, LOAD_BODY, PARSE)), 400 - 3 * 10);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_logical),
        cmocka_unit_test(listed_blocks_are_enough),
        cmocka_unit_test(the_physical_view_is_as_without_links),
        cmocka_unit_test(without_figures_of_runs_they_are_zero),
        cmocka_unit_test(damaged_figures_of_runs_are_zero),
        cmocka_unit_test(a_later_tree_drops_the_figures_of_runs),
        cmocka_unit_test(parts_of_a_recording_are_physical),
        cmocka_unit_test(a_thread_without_a_tree_is_added_from_its_stream),
        cmocka_unit_test(tables_count_activations_once),
        cmocka_unit_test(adjusting_counts_runs),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
