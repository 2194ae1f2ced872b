// Call trees of libclew (clew/tree.h): the model's trees, one after the other below a node for the session.
#include <clew/tree.h>

#include <stdlib.h>

#include "base/assert.h"
#include "library/library.h"
#include "model/table.h"
#include "model/waits.h"

struct clew_tree {
    struct model *model;
    struct table_methods methods;
    bool has_methods;
    uint32_t *firsts;    // of each of the model's trees: the number of its first node here
    uint32_t count;      // of nodes, the session's included
    struct waits waits;  // of the node that was asked for last
    uint32_t waits_node; // 0: of none
};

// Each tree of the model gives its nodes but the root, whose place the session's node takes.
static uint32_t nodes_of(const struct model_tree *tree)
{
    CLEW_ASSERT(tree->tree.count > 0 && "a tree has its root");
    return tree->tree.count - 1;
}

static enum clew_error number_nodes(struct clew_tree *tree)
{
    uint64_t count = 1;
    tree->firsts = malloc(((size_t)tree->model->tree_count + 1) * sizeof *tree->firsts);
    if (!tree->firsts) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < tree->model->tree_count && count < CLEW_TREE_NONE; i++) {
        tree->firsts[i] = (uint32_t)count;
        count += nodes_of(&tree->model->trees[i]);
    }
    tree->count = (uint32_t)count;
    return count < CLEW_TREE_NONE ? CLEW_OK : CLEW_NO_MEMORY;
}

// Gives names to what nodes stand for and no definition names, so that clew_method() has them.
static enum clew_error name_nodes(struct model *named, const struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        const struct model_tree *from = &model->trees[i];
        for (uint32_t node = 1; node < from->tree.count; node++) {
            if (from->tree.nodes[node].method < METHOD_FIRST_REAL &&
                catalog_method(&named->catalog, from->process, from->tree.nodes[node].method) == CATALOG_NONE) {
                return CLEW_NO_MEMORY;
            }
        }
    }
    return CLEW_OK;
}

enum clew_error clew_tree_load(struct clew_recording *recording, const struct clew_tree_options *options,
                               struct clew_tree **out)
{
    struct clew_tree_options asked;
    CLEW_TRY(library_take(&asked, sizeof asked, options));
    bool logical = asked.view == CLEW_TREE_LOGICAL;
    if (!logical && asked.view != CLEW_TREE_PHYSICAL) {
        return CLEW_USAGE;
    }
    const struct model_options how = {
        .threads_apart = asked.threads_apart, .physical = !logical, .adjust = asked.adjust};
    struct clew_tree *tree = calloc(1, sizeof *tree);
    if (!tree) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = model_load(recording->file, &how, &tree->model);
    if (error == CLEW_OK) {
        recording_meet(&recording->model->health, &tree->model->health);
    }
    error = error == CLEW_OK ? number_nodes(tree) : error;
    if (error == CLEW_OK && !tree->model->has_tree && !tree->model->has_stream) {
        error = CLEW_NOTHING_RECORDED;
    }
    if (error == CLEW_OK && logical && tree->model->view != MODEL_LOGICAL) {
        error = CLEW_UNSUPPORTED;
    }
    error = error == CLEW_OK ? name_nodes(recording->model, tree->model) : error;
    if (error != CLEW_OK) {
        clew_tree_free(tree);
        return error;
    }
    *out = tree;
    return CLEW_OK;
}

void clew_tree_free(struct clew_tree *tree)
{
    if (!tree) {
        return;
    }
    waits_fini(&tree->waits);
    free(tree->methods.rows);
    free(tree->firsts);
    model_free(tree->model);
    free(tree);
}

uint32_t clew_tree_count(const struct clew_tree *tree)
{
    return tree->count;
}

// The node of the session: the sum of the threads.
static struct clew_node session_node(const struct model *model)
{
    struct clew_node sum = {.parent = CLEW_TREE_NONE};
    for (uint32_t i = 0; i < model->tree_count; i++) {
        sum.total_ns += model_ns(model, model->trees[i].tree.nodes[TREE_ROOT].total);
        sum.awaiting_ns += model_ns(model, tree_awaiting(&model->trees[i].tree, TREE_ROOT));
    }
    return sum;
}

// A member of a public structure, of the figure of a node or a row `from`, whose own time is `own`.
#define GIVEN(name, type, adds, kind, key) .key = GIVEN_##kind(name),
#define GIVEN_COUNT(name) from->name
#define GIVEN_TICKS(name) model_ns(model, from->name)
#define GIVEN_TICKS_OF_ENDED(name) from->shortest == UINT64_MAX ? 0 : model_ns(model, from->name)
#define GIVEN_OWN(name) model_ns(model, name)
#define GIVEN_CPU(name) cpu->own.name

// Adds what a row of an async method has beside the figures of all rows.
static void add_run(const struct model *model, const struct tree *tree, uint32_t index, struct clew_node *out)
{
    const struct tree_run *run = tree_run(tree, index);
    out->awaiting_ns = model_ns(model, tree_awaiting(tree, index));
    if (!run) {
        return;
    }
    out->async = true;
    out->parallel = run->parallel;
    out->runs = run->runs;
    out->pending = tree_pending(&tree->nodes[index], run);
    out->cancelled = run->cancelled;
    out->ended = tree_ended(run);
    out->latency_ns = model_ns(model, run->latency);
    out->latency_min_ns = out->ended ? model_ns(model, run->latency_shortest) : 0;
    out->latency_max_ns = out->ended ? model_ns(model, run->latency_longest) : 0;
    out->own_awaiting_ns = model_ns(model, run->own_awaiting);
    for (uint32_t place = run->places; place; place = tree->logical->places[place].next) {
        out->awaits++;
    }
}

static struct clew_node node_of(const struct model *model, const struct model_tree *tree, uint32_t index,
                                uint32_t first)
{
    const struct tree_node *from = &tree->tree.nodes[index];
    const struct tree_cpu *cpu = tree_cpu(&tree->tree, index);
    uint64_t own = tree_own(from);
    struct clew_node given = {.parent = from->parent == TREE_ROOT ? 0 : first + from->parent - 1,
                              .process = tree->process,
                              .thread = tree->thread,
                              .method = from->method,
                              FIGURES_SHOWN(GIVEN)};
    add_run(model, &tree->tree, index, &given);
    return given;
}

// The tree that has the node: the last whose first node is not behind it.
static uint32_t tree_with(const struct clew_tree *tree, uint32_t node)
{
    uint32_t low = 0, high = tree->model->tree_count;
    CLEW_ASSERT(node > 0 && node < tree->count && high > 0 && "a tree has it, and the first one begins with node 1");
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->firsts[middle] <= node) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

bool clew_tree_node(const struct clew_tree *tree, uint32_t node, struct clew_node *out)
{
    const struct model *model = tree->model;
    struct clew_node given;
    if (node >= tree->count) {
        return false;
    }
    if (node == 0) {
        given = session_node(model);
    } else {
        uint32_t index = tree_with(tree, node), first = tree->firsts[index];
        given = node_of(model, &model->trees[index], node - first + 1, first);
    }
    library_give(out, &given, sizeof given);
    return true;
}

enum clew_error clew_tree_await(struct clew_tree *tree, uint32_t node, uint32_t index, struct clew_await *out)
{
    const struct model *model = tree->model;
    if (node == 0 || node >= tree->count) {
        return CLEW_NOT_FOUND;
    }
    if (tree->waits_node != node) {
        uint32_t with = tree_with(tree, node);
        tree->waits_node = 0;
        CLEW_TRY(waits_of(model, &model->trees[with], node - tree->firsts[with] + 1, &tree->waits));
        tree->waits_node = node;
    }
    if (index >= tree->waits.count) {
        return CLEW_NOT_FOUND;
    }
    const struct wait *wait = &tree->waits.waits[index];
    struct clew_await given = {.what = library_text(wait->what),
                               .file = library_text(wait->document ? wait->document->path : (struct text){0}),
                               .line = wait->line,
                               .count = wait->count,
                               .awaiting_ns = model_ns(model, wait->awaiting)};
    library_give(out, &given, sizeof given);
    return CLEW_OK;
}

enum clew_error clew_tree_methods(struct clew_tree *tree, enum clew_method_order order, uint32_t *count)
{
    static const enum table_key keys[] = {
        [CLEW_BY_OWN_TIME] = TABLE_OWN,
        [CLEW_BY_TOTAL_TIME] = TABLE_TOTAL,
        [CLEW_BY_CALLS] = TABLE_CALLS,
        [CLEW_BY_NAME] = TABLE_NAME,
    };
    if ((unsigned)order >= sizeof keys / sizeof *keys) {
        return CLEW_USAGE;
    }
    if (!tree->has_methods) {
        CLEW_TRY(table_methods(tree->model, &tree->methods));
        tree->has_methods = true;
    }
    table_sort(tree->model, &tree->methods, keys[order]);
    *count = tree->methods.count;
    return CLEW_OK;
}

bool clew_tree_method(const struct clew_tree *tree, uint32_t index, struct clew_method_row *out)
{
    const struct model *model = tree->model;
    if (index >= tree->methods.count) {
        return false;
    }
    const struct table_method *from = &tree->methods.rows[index];
    const struct recording_method *method = &model->catalog.methods[from->method].record;
    uint64_t own = from->own;
    struct clew_method_row given = {.process = method->process,
                                    .method = method->method,
                                    .mean_ns = from->calls ? model_ns(model, from->sum / from->calls) : 0,
                                    FIGURES_UNSAMPLED(GIVEN)};
    library_give(out, &given, sizeof given);
    return true;
}
