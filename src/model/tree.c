// See tree.h. A child is found through its parent's hint (loops call the same method again), or else in one hash table
// of (parent, method) with open addressing for the whole tree.
#include "model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/catalog.h"

enum { FIRST_NODES = 64, FIRST_SLOTS = 128 };

enum clew_error tree_init(struct tree *tree, uint32_t nodes_max)
{
    *tree = (struct tree){.capacity = FIRST_NODES, .slot_count = FIRST_SLOTS, .nodes_max = nodes_max, .count = 1};
    tree->nodes = calloc(FIRST_NODES, sizeof *tree->nodes);
    tree->slots = calloc(FIRST_SLOTS, sizeof *tree->slots);
    if (!tree->nodes || !tree->slots) {
        tree_fini(tree);
        return CLEW_NO_MEMORY;
    }
    tree->nodes[TREE_ROOT] = (struct tree_node){FIGURES(FIGURE_FIRST)};
    return CLEW_OK;
}

void tree_fini(struct tree *tree)
{
    free(tree->nodes);
    free(tree->slots);
    *tree = (struct tree){0};
}

// The slot of (parent, method), or the free slot for it. The table is at most half full.
static uint32_t slot_of(const struct tree *tree, uint32_t parent, uint32_t method)
{
    CLEW_ASSERT(tree->count <= tree->slot_count / 2 && "a free slot ends each search");
    uint64_t key = (uint64_t)parent << 32 | method;
    key = (key ^ key >> 29) * 0xBF58476D1CE4E5B9u;
    uint32_t slot = (uint32_t)(key >> 32) & (tree->slot_count - 1);
    while (tree->slots[slot]) {
        const struct tree_node *node = &tree->nodes[tree->slots[slot]];
        if (node->parent == parent && node->method == method) {
            break;
        }
        slot = (slot + 1) & (tree->slot_count - 1);
    }
    return slot;
}

// Nodes and slots double, so that adding nodes takes constant time on average.
static bool grow_nodes(struct tree *tree)
{
    if (tree->capacity > UINT32_MAX / 2) {
        return false;
    }
    uint32_t capacity = tree->capacity * 2;
    struct tree_node *nodes = realloc(tree->nodes, (size_t)capacity * sizeof *nodes);
    if (!nodes) {
        return false;
    }
    tree->nodes = nodes;
    tree->capacity = capacity;
    return true;
}

// Builds a table of twice the size from the nodes; the old one has nothing else.
static bool grow_slots(struct tree *tree)
{
    struct tree larger = *tree;
    larger.slot_count = tree->slot_count * 2;
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots) {
        return false;
    }
    for (uint32_t node = 1; node < tree->count; node++) {
        larger.slots[slot_of(&larger, tree->nodes[node].parent, tree->nodes[node].method)] = node;
    }
    free(tree->slots);
    *tree = larger;
    return true;
}

static uint32_t add_node(struct tree *tree, uint32_t slot, uint32_t parent, uint32_t method)
{
    CLEW_ASSERT(tree->count < tree->capacity && parent < tree->count && tree->slots[slot] == 0);
    uint32_t node = tree->count++;
    tree->nodes[node] = (struct tree_node){
        .parent = parent, .method = method, .next = tree->nodes[parent].first_child, FIGURES(FIGURE_FIRST)};
    tree->nodes[parent].first_child = node;
    tree->slots[slot] = node;
    return node;
}

// The slow path of tree_child(), without the limit of nodes.
static uint32_t find_or_add(struct tree *tree, uint32_t parent, uint32_t method)
{
    if (tree->count == tree->capacity && !grow_nodes(tree)) {
        return TREE_NONE;
    }
    if (tree->count >= tree->slot_count / 2 && !grow_slots(tree)) {
        return TREE_NONE;
    }
    uint32_t slot = slot_of(tree, parent, method);
    return tree->slots[slot] ? tree->slots[slot] : add_node(tree, slot, parent, method);
}

uint32_t tree_child_slow(struct tree *tree, uint32_t parent, uint32_t method)
{
    uint32_t slot = slot_of(tree, parent, method);
    uint32_t node = tree->slots[slot];
    if (!node && tree->count >= tree->nodes_max) {
        // Further paths go to one node per method, so that counts stay exact and memory is bounded by the program's
        // code.
        tree->over_cap = true;
        uint32_t cap = find_or_add(tree, TREE_ROOT, METHOD_OVER_CAP);
        return cap == TREE_NONE ? TREE_NONE : find_or_add(tree, cap, method);
    }
    node = node ? node : find_or_add(tree, parent, method);
    if (node != TREE_NONE) {
        tree->nodes[parent].hint = node;
    }
    return node;
}

uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t method)
{
    uint32_t node = tree->slots[slot_of(tree, parent, method)];
    uint32_t cap = node ? 0 : tree->slots[slot_of(tree, TREE_ROOT, METHOD_OVER_CAP)];
    node = cap ? tree->slots[slot_of(tree, cap, method)] : node;
    return node ? node : TREE_NONE;
}

#define ADD(name, type, adds, kind, key) FIGURE_ADD_##adds(node->name, recorded->name);

// Adds a recorded node to the node `into`, whose parent is `caller`.
static void add_recorded(struct tree *tree, uint32_t into, uint32_t caller, const struct recording_node *recorded)
{
    struct tree_node *node = &tree->nodes[into];
    FIGURES(ADD)
    tree->nodes[caller].inside += recorded->total;
    if (caller == TREE_ROOT) {
        tree->nodes[TREE_ROOT].total += recorded->total;
    }
}

// Adds a recorded node that has no calls of its own: a thread or a filter.
static void add_cpu(struct tree_node *node, const struct recording_node *recorded)
{
    FIGURES_OF_CPU(ADD)
}

#undef ADD

// Adds the recorded node behind those that were added before.
static enum clew_error merge_node(struct tree_merge *merge, const struct recording_node *node)
{
    uint32_t *into = &merge->into[merge->count];
    if (merge->count == 0) {
        *into = TREE_ROOT;
        add_cpu(&merge->tree->nodes[TREE_ROOT], node);
        return CLEW_OK;
    }
    if (node->parent >= merge->count) {
        return CLEW_DAMAGED;
    }
    uint32_t caller = merge->into[node->parent];
    if (node->method == METHOD_FILTER) {
        *into = caller;
        add_cpu(&merge->tree->nodes[caller], node);
        return CLEW_OK;
    }
    *into = tree_child(merge->tree, caller, node->method);
    if (*into == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    add_recorded(merge->tree, *into, caller, node);
    return CLEW_OK;
}

enum clew_error tree_merge_part(struct tree_merge *merge, const struct recording_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!array_grow(&merge->into, merge->count, &merge->room, sizeof *merge->into)) {
            return CLEW_NO_MEMORY;
        }
        CLEW_TRY(merge_node(merge, &nodes[i]));
        merge->count++;
    }
    return CLEW_OK;
}

void tree_merge_end(struct tree_merge *merge)
{
    free(merge->into);
    *merge = (struct tree_merge){0};
}

int tree_by_total(const struct tree_node *a, const struct tree_node *b)
{
    if (a->total != b->total) {
        return a->total > b->total ? -1 : 1;
    }
    return a->calls == b->calls ? 0 : a->calls > b->calls ? -1 : 1;
}

struct order {
    const struct tree *tree;
    const uint64_t *first;
    tree_compare *compare;
};

static int compare_children(const void *left, const void *right, void *context)
{
    const struct order *order = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (order->first && order->first[a] != order->first[b]) {
        return order->first[a] > order->first[b] ? -1 : 1;
    }
    int result = order->compare ? order->compare(&order->tree->nodes[a], &order->tree->nodes[b]) : 0;
    return result ? result : (a > b) - (a < b);
}

// Sorts the children of one node and links them in the new order. `children` is scratch space for all nodes.
static void sort_children(struct tree *tree, uint32_t parent, struct order *order, uint32_t *children)
{
    uint32_t count = 0;
    for (uint32_t child = tree->nodes[parent].first_child; child; child = tree->nodes[child].next) {
        CLEW_ASSERT(child > parent && "a parent comes before its children");
        children[count++] = child;
    }
    if (count < 2) {
        return;
    }
    qsort_r(children, count, sizeof *children, compare_children, order);
    tree->nodes[parent].first_child = children[0];
    for (uint32_t i = 0; i < count; i++) {
        tree->nodes[children[i]].next = i + 1 < count ? children[i + 1] : 0;
    }
}

enum clew_error tree_sort(struct tree *tree, const uint64_t *first, tree_compare *compare)
{
    uint32_t *children = malloc((size_t)tree->count * sizeof *children);
    if (!children) {
        return CLEW_NO_MEMORY;
    }
    struct order order = {tree, first, compare};
    for (uint32_t node = 0; node < tree->count; node++) {
        sort_children(tree, node, &order, children);
    }
    free(children);
    return CLEW_OK;
}

uint32_t tree_next(const struct tree *tree, uint32_t node, bool skip, int64_t *depth)
{
    CLEW_ASSERT(node < tree->count);
    if (!skip && tree->nodes[node].first_child) {
        ++*depth;
        return tree->nodes[node].first_child;
    }
    while (node != TREE_ROOT && !tree->nodes[node].next) {
        node = tree->nodes[node].parent;
        --*depth;
    }
    return node == TREE_ROOT ? TREE_ROOT : tree->nodes[node].next;
}

static uint64_t less(uint64_t ticks, double cost)
{
    return (double)ticks > cost ? ticks - (uint64_t)cost : 0;
}

enum clew_error tree_adjust(struct tree *tree, const double *costs)
{
    // Children have larger numbers than their parents, so this goes bottom-up. `taken` collects the ticks that were
    // subtracted in each node's children.
    uint64_t *taken = calloc(tree->count, sizeof *taken);
    if (!taken) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = tree->count; i-- > 0;) {
        struct tree_node *node = &tree->nodes[i];
        uint64_t before = node->total, own = tree_own(node), below = taken[i] < node->inside ? taken[i] : node->inside;
        uint64_t all = below + (i == TREE_ROOT ? 0 : own - less(own, costs[i]));
        node->inside -= below;
        node->total = all < before ? before - all : 0;
        // Only the average is known for single activations.
        double each = node->calls ? (double)(before - node->total) / (double)node->calls : 0;
        node->longest = less(node->longest, each);
        node->shortest = node->shortest == UINT64_MAX ? UINT64_MAX : less(node->shortest, each);
        if (i != TREE_ROOT) {
            CLEW_ASSERT(node->parent < i && "a parent comes before its children");
            taken[node->parent] += before - node->total;
        }
    }
    free(taken);
    return CLEW_OK;
}
