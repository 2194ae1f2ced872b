// See tree.h. A child is found through its parent's hint (loops call the same method again), or else in one hash table
// of (parent, method) for the whole tree, whose lists go through the nodes themselves.
#include "model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

enum { FIRST_NODES = 64 };

enum clew_error tree_init(struct tree *tree, uint32_t nodes_max)
{
    *tree =
        (struct tree){.capacity = FIRST_NODES, .nodes_max = nodes_max, .count = 1, .cpu_count = 1, .latency_count = 1};
    tree->nodes = calloc(FIRST_NODES, sizeof *tree->nodes);
    tree->slots = calloc(FIRST_NODES, sizeof *tree->slots);
    if (!tree->nodes || !tree->slots || !array_grow(&tree->cpus, 0, &tree->cpu_room, sizeof *tree->cpus) ||
        !array_grow(&tree->latencies, 0, &tree->latency_room, sizeof *tree->latencies)) {
        tree_fini(tree);
        return CLEW_NO_MEMORY;
    }
    tree->nodes[TREE_ROOT] = (struct tree_node){FIGURES_OF_CALLS(FIGURE_FIRST)};
    tree->cpus[0] = (struct tree_cpu){0};
    return CLEW_OK;
}

void tree_fini(struct tree *tree)
{
    free(tree->nodes);
    free(tree->slots);
    free(tree->cpus);
    free(tree->latencies);
    free(tree->is_context);
    map_free(&tree->latencies_of);
    tree_logical_free(tree->logical);
    tree_thrown_free(&tree->thrown);
    *tree = (struct tree){0};
}

// -- Adding nodes -----------------------------------------------------------------------------------------------------

static uint32_t *slot_of(const struct tree *tree, uint32_t parent, uint32_t method)
{
    uint64_t key = (uint64_t)parent << 32 | method;
    key = (key ^ key >> 29) * 0xBF58476D1CE4E5B9u;
    return &tree->slots[(uint32_t)(key >> 32) & (tree->capacity - 1)];
}

// The child of `parent` for `method`; 0: there is none.
static uint32_t find(const struct tree *tree, uint32_t parent, uint32_t method)
{
    uint32_t node = *slot_of(tree, parent, method);
    while (node && (tree->nodes[node].parent != parent || tree->nodes[node].method != method)) {
        CLEW_ASSERT(tree->nodes[node].next < node && "a list goes back in time, so it ends");
        node = tree->nodes[node].next;
    }
    return node;
}

static void put_into_slot(struct tree *tree, uint32_t node)
{
    uint32_t *slot = slot_of(tree, tree->nodes[node].parent, tree->nodes[node].method);
    tree->nodes[node].next = *slot;
    *slot = node;
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

// Makes the table anew, with a slot for each node that there is room for.
static bool make_slots(struct tree *tree)
{
    CLEW_ASSERT(tree->capacity >= tree->count && (tree->capacity & (tree->capacity - 1)) == 0);
    free(tree->slots); // the nodes have all that is in it
    tree->slots = calloc(tree->capacity, sizeof *tree->slots);
    for (uint32_t node = 1; tree->slots && node < tree->count; node++) {
        put_into_slot(tree, node);
    }
    return tree->slots;
}

static uint32_t add_node(struct tree *tree, uint32_t parent, uint32_t method)
{
    CLEW_ASSERT(tree->count < tree->capacity && parent < tree->count && tree->slots);
    uint32_t node = tree->count++;
    tree->nodes[node] = (struct tree_node){.parent = parent, .method = method, FIGURES_OF_CALLS(FIGURE_FIRST)};
    put_into_slot(tree, node);
    return node;
}

// The slow path of tree_child(), without the limit of nodes.
static uint32_t find_or_add(struct tree *tree, uint32_t parent, uint32_t method)
{
    uint32_t node = find(tree, parent, method);
    if (node) {
        return node;
    }
    if (tree->count == tree->capacity && (!grow_nodes(tree) || !make_slots(tree))) {
        return TREE_NONE;
    }
    return add_node(tree, parent, method);
}

uint32_t tree_child_slow(struct tree *tree, uint32_t parent, uint32_t method)
{
    if (!tree->slots && !make_slots(tree)) { // it was linked; first children serve as hints
        return TREE_NONE;
    }
    uint32_t node = find(tree, parent, method);
    if (!node && tree->count >= tree->nodes_max) {
        // Further paths go to one node per method, so that counts stay exact and memory is bounded by the program's
        // code.
        tree->over_cap = true;
        uint32_t cap = find_or_add(tree, TREE_ROOT, METHOD_OVER_CAP);
        return cap == TREE_NONE ? TREE_NONE : find_or_add(tree, cap, method);
    }
    node = node ? node : find_or_add(tree, parent, method);
    if (node != TREE_NONE) {
        tree->nodes[parent].first_child = node;
    }
    return node;
}

uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t method)
{
    CLEW_ASSERT(tree->slots && "the tree is not linked yet");
    uint32_t node = find(tree, parent, method);
    uint32_t cap = node ? 0 : find(tree, TREE_ROOT, METHOD_OVER_CAP);
    node = cap ? find(tree, cap, method) : node;
    return node ? node : TREE_NONE;
}

// The CPU times of a node, which get a place if they have none. NULL: memory ran out.
static struct tree_cpu *cpu_of(struct tree *tree, uint32_t node)
{
    uint32_t *cpu = &tree->nodes[node].cpu;
    if (*cpu == 0) {
        if (!array_grow(&tree->cpus, tree->cpu_count, &tree->cpu_room, sizeof *tree->cpus)) {
            return NULL;
        }
        tree->cpus[tree->cpu_count] = (struct tree_cpu){0};
        *cpu = tree->cpu_count++;
    }
    return &tree->cpus[*cpu];
}

// -- Merging ----------------------------------------------------------------------------------------------------------

#define ADD(name, type, adds, kind, key) FIGURE_ADD_##adds(node->name, recorded->name);

// Adds a recorded node to the node `into`, whose parent is `caller`.
static void add_recorded(struct tree *tree, uint32_t into, uint32_t caller, const struct recording_node *recorded)
{
    struct tree_node *node = &tree->nodes[into];
    FIGURES_OF_CALLS(ADD)
    tree->nodes[caller].inside += recorded->total;
    if (caller == TREE_ROOT) {
        tree->nodes[TREE_ROOT].total += recorded->total;
    }
}

#undef ADD

#define HAS_ANY(name, type, adds, kind, key) recorded->name ||
#define ADD(name, type, adds, kind, key) cpu->own.name += recorded->name;

// Adds what was sampled in a recorded node: the only figures of a thread or a filter.
enum clew_error tree_add_cpu(struct tree *tree, uint32_t into, const struct recording_node *recorded)
{
    if (FIGURES_OF_CPU(HAS_ANY) false) {
        struct tree_cpu *cpu = cpu_of(tree, into);
        if (!cpu) {
            return CLEW_NO_MEMORY;
        }
        FIGURES_OF_CPU(ADD)
    }
    return CLEW_OK;
}

#undef HAS_ANY
#undef ADD

// Adds the kick-off that a node of a first run stands for, which becomes the caller.
static enum clew_error add_kickoff(struct tree_merge *merge, const struct recording_node *node, uint32_t *caller)
{
    uint32_t kickoff = merge->async ? async_started(merge->async, merge->process, node->method) : 0;
    uint32_t into = kickoff ? tree_child(merge->tree, *caller, kickoff) : *caller;
    if (into == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    if (kickoff) {
        add_recorded(merge->tree, into, *caller, node);
        merge->kickoffs += node->calls;
        merge->open_kickoffs += node->open;
    }
    *caller = into;
    return CLEW_OK;
}

// Adds the recorded node behind those that were added before.
static enum clew_error merge_node(struct tree_merge *merge, const struct recording_node *node)
{
    uint32_t *into = &merge->into[merge->count];
    if (merge->count == 0) {
        *into = TREE_ROOT;
        return tree_add_cpu(merge->tree, TREE_ROOT, node);
    }
    if (node->parent >= merge->count) {
        return CLEW_DAMAGED;
    }
    uint32_t caller = merge->into[node->parent];
    if (node->method == METHOD_COUNTED || caller == TREE_NONE) {
        *into = TREE_NONE;
        return CLEW_OK;
    }
    if (node->method == METHOD_FILTER || node->method == METHOD_AFTER_WAIT || node->method == METHOD_AFTER_END) {
        *into = caller;
        return tree_add_cpu(merge->tree, caller, node);
    }
    CLEW_TRY(add_kickoff(merge, node, &caller));
    *into = tree_child(merge->tree, caller, async_number(&merge->paths, node->method).method);
    if (*into == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    add_recorded(merge->tree, *into, caller, node);
    return tree_add_cpu(merge->tree, *into, node);
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

enum clew_error tree_merge_runs(struct tree_merge *merge, const struct recording_runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct recording_run *run = &runs->runs[i];
        uint32_t node = run->node < merge->count ? merge->into[run->node] : TREE_ROOT;
        bool alone = node != TREE_ROOT && node != TREE_NONE && merge->tree->nodes[node].parent == TREE_ROOT;
        if (alone && !(merge->async && async_find(merge->async, merge->process, merge->tree->nodes[node].method))) {
            CLEW_TRY(tree_add_latencies(merge->tree, node, runs->latencies + run->first_latency, run->latency_count));
        }
    }
    return CLEW_OK;
}

void tree_merge_end(struct tree_merge *merge)
{
    free(merge->into);
    *merge = (struct tree_merge){0};
}

// -- Links ------------------------------------------------------------------------------------------------------------

#define BEGIN(name, type, adds, kind, key) cpu->all.name = cpu->own.name;
#define ADD(name, type, adds, kind, key) above->all.name += tree->cpus[cpu].all.name;

// Adds each node's CPU time to all nodes above it, which get a place for it.
static enum clew_error add_up_cpu(struct tree *tree)
{
    for (struct tree_cpu *cpu = tree->cpus; cpu < tree->cpus + tree->cpu_count; cpu++) {
        FIGURES_OF_CPU(BEGIN)
    }
    for (uint32_t node = tree->count; node-- > 1;) {
        uint32_t cpu = tree->nodes[node].cpu;
        struct tree_cpu *above = cpu ? cpu_of(tree, tree->nodes[node].parent) : NULL;
        if (above) {
            FIGURES_OF_CPU(ADD)
        } else if (cpu) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

#undef BEGIN
#undef ADD

enum clew_error tree_link(struct tree *tree)
{
    if (!tree->slots) {
        return CLEW_OK;
    }
    CLEW_TRY(add_up_cpu(tree));
    free(tree->slots);
    tree->slots = NULL;
    for (uint32_t node = 0; node < tree->count; node++) {
        tree->nodes[node].first_child = tree->nodes[node].next = 0;
    }
    for (uint32_t node = 1; node < tree->count; node++) {
        struct tree_node *parent = &tree->nodes[tree->nodes[node].parent];
        tree->nodes[node].next = parent->first_child;
        parent->first_child = node;
    }
    return CLEW_OK;
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
    bool cpu_first;
    tree_compare *compare;
};

static int compare_children(const void *left, const void *right, void *context)
{
    const struct order *order = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t cpu_a = tree_cpu_ns(order->tree, a), cpu_b = tree_cpu_ns(order->tree, b);
    if (order->cpu_first && cpu_a != cpu_b) {
        return cpu_a > cpu_b ? -1 : 1;
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

enum clew_error tree_sort(struct tree *tree, bool cpu_first, tree_compare *compare)
{
    CLEW_ASSERT(!tree->slots && "the tree is linked");
    uint32_t *children = malloc((size_t)tree->count * sizeof *children);
    if (!children) {
        return CLEW_NO_MEMORY;
    }
    struct order order = {tree, cpu_first, compare};
    for (uint32_t node = 0; node < tree->count; node++) {
        sort_children(tree, node, &order, children);
    }
    free(children);
    return CLEW_OK;
}

uint32_t tree_next(const struct tree *tree, uint32_t node, bool skip, int64_t *depth)
{
    CLEW_ASSERT(node < tree->count && !tree->slots);
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
