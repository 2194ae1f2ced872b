// See tree_callers.h.
#include "model/tree_callers.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/tree_figures.h"

struct turning {
    struct tree_pair pair;
    uint64_t *awaiting; // by row of the new tree: of the calls whose back trace ends there
    size_t count, room;
};

// The nearest caller that is a method, and not where the JIT made a loop of one.
static uint32_t caller_of(const struct tree *tree, uint32_t node)
{
    CLEW_ASSERT(node != TREE_ROOT);
    do {
        node = tree->nodes[node].parent;
    } while (node != TREE_ROOT && tree->nodes[node].method == METHOD_CONTINUES);
    return node;
}

// Whether the node's calls were made within another call of its method.
static bool is_nested(const struct tree *tree, uint32_t node)
{
    uint32_t above = tree->nodes[node].parent;
    while (above != TREE_ROOT && tree->nodes[above].method != tree->nodes[node].method) {
        above = tree->nodes[above].parent;
    }
    return above != TREE_ROOT;
}

static enum clew_error await_at(struct turning *turning, uint32_t row, uint64_t awaiting)
{
    while (turning->count <= row) {
        if (!array_grow(&turning->awaiting, turning->count, &turning->room, sizeof *turning->awaiting)) {
            return CLEW_NO_MEMORY;
        }
        turning->awaiting[turning->count++] = 0;
    }
    turning->awaiting[row] += awaiting;
    return CLEW_OK;
}

// What is added up over the rows below: CPU time and waits belong to the last row of a back trace.
static enum clew_error add_end(struct turning *turning, uint32_t row, uint32_t node)
{
    const struct tree_cpu_times *cpu = &tree_cpu(turning->pair.from, node)->all;
    const struct recording_node sampled = {.cpu_user_ns = cpu->cpu_user_ns, .cpu_kernel_ns = cpu->cpu_kernel_ns};
    CLEW_TRY(await_at(turning, row, tree_awaiting(turning->pair.from, node)));
    return tree_add_cpu(&turning->pair.to, row, &sampled);
}

static void add_time(struct tree_node *row, uint64_t total, uint64_t own)
{
    row->total += total;
    row->inside += total - own; // wraps around where a nested call adds own time to a row that has its total
}

// Adds the back trace of a node.
static enum clew_error add_trace(struct turning *turning, uint32_t node)
{
    const struct tree *from = turning->pair.from;
    struct tree *to = &turning->pair.to;
    bool nested = is_nested(from, node);
    uint64_t own = tree_own(&from->nodes[node]), total = nested ? 0 : from->nodes[node].total;
    uint32_t row = TREE_ROOT, at = node;
    for (uint32_t level = 0; at != TREE_ROOT && level <= TREE_CALLERS_LEVELS_MAX; level++, at = caller_of(from, at)) {
        row = tree_child(to, row, from->nodes[at].method);
        if (row == TREE_NONE) {
            return CLEW_NO_MEMORY;
        }
        CLEW_TRY(tree_pair_add(&turning->pair, row, node));
        add_time(&to->nodes[row], nested && level > 0 ? own : total, own);
    }
    add_time(&to->nodes[TREE_ROOT], total, 0);
    return nested ? CLEW_OK : add_end(turning, row, node);
}

// Adds up the waits of the rows below.
static enum clew_error add_up(struct turning *turning)
{
    struct tree *to = &turning->pair.to;
    if (!to->logical) {
        return CLEW_OK;
    }
    CLEW_TRY(await_at(turning, to->count - 1, 0));
    for (uint32_t i = to->count; i-- > 1;) {
        turning->awaiting[to->nodes[i].parent] += turning->awaiting[i];
    }
    to->logical->awaiting = turning->awaiting;
    turning->awaiting = NULL;
    return CLEW_OK;
}

static enum clew_error turn(struct turning *turning, const uint8_t *marks, uint8_t mark)
{
    CLEW_TRY(tree_pair_init(&turning->pair));
    for (uint32_t node = 1; node < turning->pair.from->count; node++) {
        CLEW_TRY(marks[node] & mark ? add_trace(turning, node) : CLEW_OK);
    }
    return add_up(turning);
}

enum clew_error tree_turn(struct tree *tree, const uint8_t *marks, uint8_t mark)
{
    struct turning turning = {.pair.from = tree};
    CLEW_TRY(tree_link(tree)); // adds up CPU times
    enum clew_error error = turn(&turning, marks, mark);
    free(turning.awaiting);
    if (error != CLEW_OK) {
        tree_fini(&turning.pair.to);
        return error;
    }
    tree_fini(tree);
    *tree = turning.pair.to;
    return CLEW_OK;
}
