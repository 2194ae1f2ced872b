// Call trees of libclew (clew/tree.h): the model's trees, one after the other below a node for the session.
#include <clew/tree.h>

#include <stdlib.h>

#include "base/assert.h"
#include "library/library.h"
#include "model/table.h"

struct clew_tree {
    struct model *model;
    struct table_methods methods;
    bool has_methods;
    uint32_t *firsts; // of each of the model's trees: the number of its first node here
    uint32_t count;   // of nodes, the session's included
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

enum clew_error clew_tree_load(struct clew_recording *recording, const struct clew_tree_options *options,
                               struct clew_tree **out)
{
    struct clew_tree_options asked;
    CLEW_TRY(library_take(&asked, sizeof asked, options));
    if (asked.view != CLEW_TREE_PHYSICAL) {
        return asked.view == CLEW_TREE_LOGICAL ? CLEW_UNSUPPORTED : CLEW_USAGE;
    }
    const struct model_options how = {.threads_apart = asked.threads_apart, .physical = true, .adjust = asked.adjust};
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

static struct clew_node node_of(const struct model *model, const struct model_tree *tree, uint32_t index,
                                uint32_t first)
{
    const struct tree_node *from = &tree->tree.nodes[index];
    const struct tree_cpu *cpu = tree_cpu(&tree->tree, index);
    uint64_t own = tree_own(from);
    return (struct clew_node){.parent = from->parent == TREE_ROOT ? 0 : first + from->parent - 1,
                              .process = tree->process,
                              .thread = tree->thread,
                              .method = from->method,
                              FIGURES_SHOWN(GIVEN)};
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
