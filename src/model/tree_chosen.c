// See tree_chosen.h. Parents have smaller numbers than their children, so three passes are enough: downwards, which nodes are
// chosen; upwards, which others are their callers; downwards again, the new tree.
#include "model/tree_chosen.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/tree_run.h"

struct choosing {
    const struct tree *from;
    struct tree to;
    bool *has_calls;           // by node of `to`: it is taken, so no context
    struct chosen_call *calls; // by node of `from`
    bool *needed;              // it is taken, or a caller of a node that is
    uint32_t *into;            // the node of `to` that has it, or what is below it
    uint64_t *waits;           // by node of `to` that is not async: what hidden calls of it awaited by themselves
    uint32_t kinds;
};

// -- What is chosen ---------------------------------------------------------------------------------------------------

static void mark_nodes(struct choosing *choosing, const uint8_t *marks)
{
    const struct tree *from = choosing->from;
    choosing->calls[TREE_ROOT] = choices_root(choosing->kinds);
    for (uint32_t i = 1; i < from->count; i++) {
        CLEW_ASSERT(from->nodes[i].parent < i && "a parent comes before its children");
        choosing->calls[i] = choices_call(choosing->kinds, choosing->calls[from->nodes[i].parent], marks[i]);
    }
    for (uint32_t i = from->count; i-- > 1;) {
        choosing->needed[i] = choosing->needed[i] || choosing->calls[i].taken;
        choosing->needed[from->nodes[i].parent] |= choosing->needed[i];
    }
}

// -- Figures ----------------------------------------------------------------------------------------------------------

#define ADD(name, type, adds, kind, key) FIGURE_ADD_##adds(into->name, node->name);

static void add_counts(struct tree_node *into, const struct tree_node *node)
{
    FIGURES_RUNNING(ADD)
    FIGURES_ENDED(ADD)
    FIGURES_BEGUN(ADD)
    FIGURE_ADD_MIN(into->shortest, node->shortest);
    FIGURE_ADD_MAX(into->longest, node->longest);
}

#undef ADD

static enum clew_error add_places(struct choosing *choosing, uint32_t into, const struct tree_run *run)
{
    const struct tree_logical *logical = choosing->from->logical;
    for (uint32_t at = run->places; at; at = logical->places[at].next) {
        struct tree_place *place = tree_make_place(&choosing->to, into, logical->places[at].state);
        if (!place) {
            return CLEW_NO_MEMORY;
        }
        place->count += logical->places[at].count;
        place->awaiting += logical->places[at].awaiting;
    }
    return CLEW_OK;
}

#define ADD(name, type, adds, kind, key) FIGURE_ADD_##adds(into->name, run->name);

static enum clew_error add_run(struct choosing *choosing, uint32_t row, const struct tree_run *run)
{
    struct tree_run *into = tree_make_run(&choosing->to, row);
    if (!into) {
        return CLEW_NO_MEMORY;
    }
    into->kickoffs += run->kickoffs;
    into->runs += run->runs;
    into->resumed += run->resumed;
    into->folded |= run->folded;
    into->fails_unseen |= run->fails_unseen;
    into->parallel |= run->parallel;
    FIGURES_OF_RUNS(ADD)
    return add_places(choosing, row, run);
}

#undef ADD

static enum clew_error add_latencies(struct choosing *choosing, uint32_t into, uint32_t node)
{
    const struct tree *from = choosing->from;
    for (uint32_t at = tree_latencies(from, node); at; at = from->latencies[at].next) {
        struct recording_latency latency = {.bucket = from->latencies[at].bucket, .count = from->latencies[at].count};
        CLEW_TRY(tree_add_latencies(&choosing->to, into, &latency, 1));
    }
    return CLEW_OK;
}

// Adds what a node did by itself.
static enum clew_error add_own(struct choosing *choosing, uint32_t into, uint32_t node)
{
    const struct tree_cpu_times *cpu = &tree_cpu(choosing->from, node)->own;
    const struct recording_node sampled = {.cpu_user_ns = cpu->cpu_user_ns, .cpu_kernel_ns = cpu->cpu_kernel_ns};
    choosing->to.nodes[into].total += into == TREE_ROOT ? 0 : tree_own(&choosing->from->nodes[node]);
    return tree_add_cpu(&choosing->to, into, &sampled);
}

// A row whose single activations have no times keeps that.
static enum clew_error add_moved(struct choosing *choosing, uint32_t into, uint32_t node)
{
    const struct tree_logical *logical = choosing->from->logical;
    if (!logical || node >= logical->node_count || logical->runs_of[node] != TREE_MOVED) {
        return CLEW_OK;
    }
    uint32_t *entry = tree_run_entry(choosing->to.logical, into);
    if (!entry) {
        return CLEW_NO_MEMORY;
    }
    *entry = *entry ? *entry : TREE_MOVED;
    return CLEW_OK;
}

static enum clew_error add_node(struct choosing *choosing, uint32_t into, uint32_t node)
{
    const struct tree_run *run = tree_run(choosing->from, node);
    add_counts(&choosing->to.nodes[into], &choosing->from->nodes[node]);
    CLEW_TRY(run ? add_run(choosing, into, run) : add_moved(choosing, into, node));
    CLEW_TRY(tree_thrown_copy(&choosing->to.thrown, into, &choosing->from->thrown, node));
    return add_latencies(choosing, into, node);
}

// -- The new tree -----------------------------------------------------------------------------------------------------

// What a hidden activation awaited by itself, its caller did.
static void add_hidden_wait(struct choosing *choosing, uint32_t into, const struct tree_run *run)
{
    struct tree_run *caller = tree_run(&choosing->to, into) ? tree_make_run(&choosing->to, into) : NULL;
    if (caller && run) {
        caller->own_awaiting += run->own_awaiting;
    } else if (run) {
        choosing->waits[into] += run->own_awaiting;
    }
}

static enum clew_error take_node(struct choosing *choosing, uint32_t node)
{
    const struct tree_node *of = &choosing->from->nodes[node];
    struct chosen_call call = choosing->calls[node];
    uint32_t above = choosing->into[of->parent], *into = &choosing->into[node];
    *into = above;
    if (!choosing->needed[node] || !call.inside) {
        return CLEW_OK;
    }
    if (!call.hidden) {
        *into = tree_child(&choosing->to, above, of->method);
        if (*into == TREE_NONE) {
            return CLEW_NO_MEMORY;
        }
    }
    if (call.taken && call.hidden) {
        add_hidden_wait(choosing, above, tree_run(choosing->from, node));
    } else if (call.taken) {
        choosing->has_calls[*into] = true;
        CLEW_TRY(add_node(choosing, *into, node));
    }
    return call.taken ? add_own(choosing, *into, node) : CLEW_OK;
}

// Adds up the times, of which each node has its own until then.
static enum clew_error add_up(struct choosing *choosing)
{
    struct tree *tree = &choosing->to;
    struct tree_logical *logical = tree->logical;
    if (logical) {
        logical->awaiting = calloc(tree->count, sizeof *logical->awaiting);
        if (!logical->awaiting) {
            return CLEW_NO_MEMORY;
        }
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        struct tree_node *node = &tree->nodes[i];
        const struct tree_run *run = tree_run(tree, i);
        node->total += node->inside;
        tree->nodes[node->parent].inside += node->total;
        if (logical) {
            logical->awaiting[i] += choosing->waits[i] + (run ? run->own_awaiting : 0);
            logical->awaiting[node->parent] += logical->awaiting[i];
        }
    }
    tree->nodes[TREE_ROOT].total = tree->nodes[TREE_ROOT].inside;
    return CLEW_OK;
}

static enum clew_error mark_context(struct choosing *choosing)
{
    struct tree *tree = &choosing->to;
    tree->is_context = calloc(tree->count, sizeof *tree->is_context);
    for (uint32_t i = 1; tree->is_context && i < tree->count; i++) {
        tree->is_context[i] = !choosing->has_calls[i];
    }
    return tree->is_context ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error make_tree(struct choosing *choosing)
{
    CLEW_TRY(tree_init(&choosing->to, UINT32_MAX));
    choosing->to.over_cap = choosing->from->over_cap;
    if (choosing->from->logical) {
        choosing->to.logical = tree_logical_new();
        if (!choosing->to.logical) {
            return CLEW_NO_MEMORY;
        }
    }
    if (choosing->calls[TREE_ROOT].taken) {
        CLEW_TRY(add_own(choosing, TREE_ROOT, TREE_ROOT));
    }
    for (uint32_t i = 1; i < choosing->from->count; i++) {
        CLEW_TRY(take_node(choosing, i));
    }
    CLEW_TRY(add_up(choosing));
    return mark_context(choosing);
}

enum clew_error tree_choose(struct tree *tree, uint32_t kinds, const uint8_t *marks)
{
    struct choosing choosing = {.from = tree, .kinds = kinds};
    choosing.calls = calloc(tree->count, sizeof *choosing.calls);
    choosing.needed = calloc(tree->count, sizeof *choosing.needed);
    choosing.into = calloc(tree->count, sizeof *choosing.into);
    choosing.waits = calloc(tree->count, sizeof *choosing.waits);
    choosing.has_calls = calloc(tree->count, sizeof *choosing.has_calls);
    bool fits = choosing.calls && choosing.needed && choosing.into && choosing.waits && choosing.has_calls;
    enum clew_error error = fits ? CLEW_OK : CLEW_NO_MEMORY;
    if (error == CLEW_OK) {
        mark_nodes(&choosing, marks);
        error = make_tree(&choosing);
    }
    free(choosing.calls);
    free(choosing.needed);
    free(choosing.into);
    free(choosing.waits);
    free(choosing.has_calls);
    if (error == CLEW_OK) {
        tree_fini(tree);
        *tree = choosing.to;
    } else {
        tree_fini(&choosing.to);
    }
    return error;
}
