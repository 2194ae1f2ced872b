// See export_edges.h. Visits the nodes of each tree once, depth first, and counts how often each edge is on the path.
#include "view/export/export_edges.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

// One tree that is being added.
struct adding {
    struct export *export;
    struct export_edges *out;
    const struct model_tree *from;
    uint64_t *calls_below; // by node, itself included
    uint32_t *edge_of;     // by node
};

static uint32_t method_of(const struct adding *adding, uint32_t node)
{
    uint32_t method = adding->from->tree.nodes[node].method;
    return node == TREE_ROOT ? CATALOG_NONE : export_method(adding->export, adding->from->process, method);
}

// The index of an edge, made when new; SIZE_MAX: memory ran out.
static size_t edge_between(struct export_edges *out, uint32_t caller, uint32_t callee)
{
    uint64_t key = (uint64_t)caller << 32 | callee, found;
    if (map_get(&out->known, key, &found)) {
        return (size_t)found;
    }
    if (!array_grow(&out->edges, out->count, &out->room, sizeof *out->edges) ||
        !map_put(&out->known, key, out->count)) {
        return SIZE_MAX;
    }
    out->edges[out->count] = (struct export_edge){.caller = caller, .callee = callee};
    return out->count++;
}

static enum clew_error enter(struct adding *adding, uint32_t index)
{
    const struct tree_node *node = &adding->from->tree.nodes[index];
    size_t place = edge_between(adding->out, method_of(adding, node->parent), method_of(adding, index));
    if (place == SIZE_MAX) {
        return CLEW_NO_MEMORY;
    }
    struct export_edge *edge = &adding->out->edges[place];
    adding->edge_of[index] = (uint32_t)place;
    edge->calls += node->calls;
    if (edge->active++ == 0) {
        edge->total += node->total;
        edge->calls_below += adding->calls_below[index];
    }
    return CLEW_OK;
}

static enum clew_error walk(struct adding *adding)
{
    const struct tree *tree = &adding->from->tree;
    uint32_t node = TREE_ROOT;
    for (;;) {
        uint32_t next = tree->nodes[node].first_child;
        while (!next && node != TREE_ROOT) { // leave the path where there is no sibling
            CLEW_ASSERT(adding->out->edges[adding->edge_of[node]].active > 0 && "it is on the path");
            adding->out->edges[adding->edge_of[node]].active--;
            next = tree->nodes[node].next;
            node = tree->nodes[node].parent;
        }
        if (!next) {
            return CLEW_OK;
        }
        node = next;
        CLEW_TRY(enter(adding, node));
    }
}

static enum clew_error add_tree(struct adding *adding)
{
    const struct tree *tree = &adding->from->tree;
    adding->calls_below = calloc(tree->count, sizeof *adding->calls_below);
    adding->edge_of = calloc(tree->count, sizeof *adding->edge_of);
    enum clew_error error = adding->calls_below && adding->edge_of ? CLEW_OK : CLEW_NO_MEMORY;
    for (uint32_t i = tree->count; error == CLEW_OK && i-- > 1;) {
        CLEW_ASSERT(tree->nodes[i].parent < i && "a parent comes before its children");
        adding->calls_below[i] += tree_calls(&tree->nodes[i]);
        adding->calls_below[tree->nodes[i].parent] += adding->calls_below[i];
    }
    error = error == CLEW_OK ? walk(adding) : error;
    free(adding->calls_below);
    free(adding->edge_of);
    return error;
}

static int by_caller(const void *left, const void *right)
{
    const struct export_edge *a = left, *b = right;
    if (a->caller != b->caller) {
        return a->caller < b->caller ? -1 : 1;
    }
    return (a->callee > b->callee) - (a->callee < b->callee);
}

enum clew_error export_edges_load(struct export *export, struct export_edges *out)
{
    *out = (struct export_edges){0};
    for (uint32_t i = 0; i < export->model->tree_count; i++) {
        struct adding adding = {.export = export, .out = out, .from = &export->model->trees[i]};
        CLEW_TRY(add_tree(&adding));
    }
    if (out->count) {
        qsort(out->edges, out->count, sizeof *out->edges, by_caller);
    }
    return CLEW_OK;
}

void export_edges_free(struct export_edges *edges)
{
    free(edges->edges);
    map_free(&edges->known);
    *edges = (struct export_edges){0};
}
