// See tree_chosen.h. Parents have smaller numbers than their children, so three passes are enough: downwards, which nodes are
// chosen; upwards, which others are their callers; downwards again, the new tree.
#include "model/tree_chosen.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/tree_figures.h"
#include "model/tree_run.h"

struct choosing {
    struct tree_pair pair;
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
    const struct tree *from = choosing->pair.from;
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

// Adds what a node did by itself.
static enum clew_error add_own(struct choosing *choosing, uint32_t into, uint32_t node)
{
    const struct tree_cpu_times *cpu = &tree_cpu(choosing->pair.from, node)->own;
    const struct recording_node sampled = {.cpu_user_ns = cpu->cpu_user_ns, .cpu_kernel_ns = cpu->cpu_kernel_ns};
    choosing->pair.to.nodes[into].total += into == TREE_ROOT ? 0 : tree_own(&choosing->pair.from->nodes[node]);
    return tree_add_cpu(&choosing->pair.to, into, &sampled);
}

// -- The new tree -----------------------------------------------------------------------------------------------------

// What a hidden activation awaited by itself, its caller did.
static void add_hidden_wait(struct choosing *choosing, uint32_t into, const struct tree_run *run)
{
    struct tree_run *caller = tree_run(&choosing->pair.to, into) ? tree_make_run(&choosing->pair.to, into) : NULL;
    if (caller && run) {
        caller->own_awaiting += run->own_awaiting;
    } else if (run) {
        choosing->waits[into] += run->own_awaiting;
    }
}

static enum clew_error take_node(struct choosing *choosing, uint32_t node)
{
    const struct tree_node *of = &choosing->pair.from->nodes[node];
    struct chosen_call call = choosing->calls[node];
    uint32_t above = choosing->into[of->parent], *into = &choosing->into[node];
    *into = above;
    if (!choosing->needed[node] || !call.inside) {
        return CLEW_OK;
    }
    if (!call.hidden) {
        *into = tree_child(&choosing->pair.to, above, of->method);
        if (*into == TREE_NONE) {
            return CLEW_NO_MEMORY;
        }
    }
    if (call.taken && call.hidden) {
        add_hidden_wait(choosing, above, tree_run(choosing->pair.from, node));
    } else if (call.taken) {
        choosing->has_calls[*into] = true;
        CLEW_TRY(tree_pair_add(&choosing->pair, *into, node));
    }
    return call.taken ? add_own(choosing, *into, node) : CLEW_OK;
}

// Adds up the times, of which each node has its own until then.
static enum clew_error add_up(struct choosing *choosing)
{
    struct tree *tree = &choosing->pair.to;
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
    struct tree *tree = &choosing->pair.to;
    tree->is_context = calloc(tree->count, sizeof *tree->is_context);
    for (uint32_t i = 1; tree->is_context && i < tree->count; i++) {
        tree->is_context[i] = !choosing->has_calls[i];
    }
    return tree->is_context ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error make_tree(struct choosing *choosing)
{
    CLEW_TRY(tree_pair_init(&choosing->pair));
    if (choosing->calls[TREE_ROOT].taken) {
        CLEW_TRY(add_own(choosing, TREE_ROOT, TREE_ROOT));
    }
    for (uint32_t i = 1; i < choosing->pair.from->count; i++) {
        CLEW_TRY(take_node(choosing, i));
    }
    CLEW_TRY(add_up(choosing));
    return mark_context(choosing);
}

enum clew_error tree_choose(struct tree *tree, uint32_t kinds, const uint8_t *marks)
{
    struct choosing choosing = {.pair.from = tree, .kinds = kinds};
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
        *tree = choosing.pair.to;
    } else {
        tree_fini(&choosing.pair.to);
    }
    return error;
}
