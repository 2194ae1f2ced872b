// See tree_figures.h.
#include "model/tree_figures.h"

#include "model/tree_run.h"

enum clew_error tree_pair_init(struct tree_pair *pair)
{
    CLEW_TRY(tree_init(&pair->to, UINT32_MAX));
    pair->to.over_cap = pair->from->over_cap;
    pair->to.logical = pair->from->logical ? tree_logical_new() : NULL;
    return pair->from->logical && !pair->to.logical ? CLEW_NO_MEMORY : CLEW_OK;
}

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

static enum clew_error add_places(struct tree_pair *pair, uint32_t into, const struct tree_run *run)
{
    const struct tree_logical *logical = pair->from->logical;
    for (uint32_t at = run->places; at; at = logical->places[at].next) {
        struct tree_place *place = tree_make_place(&pair->to, into, logical->places[at].state);
        if (!place) {
            return CLEW_NO_MEMORY;
        }
        place->count += logical->places[at].count;
        place->awaiting += logical->places[at].awaiting;
    }
    return CLEW_OK;
}

#define ADD(name, type, adds, kind, key) FIGURE_ADD_##adds(into->name, run->name);

static enum clew_error add_run(struct tree_pair *pair, uint32_t row, const struct tree_run *run)
{
    struct tree_run *into = tree_make_run(&pair->to, row);
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
    return CLEW_OK;
}

#undef ADD

static enum clew_error add_latencies(struct tree_pair *pair, uint32_t into, uint32_t node)
{
    const struct tree *from = pair->from;
    for (uint32_t at = tree_latencies(from, node); at; at = from->latencies[at].next) {
        struct recording_latency latency = {.bucket = from->latencies[at].bucket, .count = from->latencies[at].count};
        CLEW_TRY(tree_add_latencies(&pair->to, into, &latency, 1));
    }
    return CLEW_OK;
}

// A row whose single activations have no times keeps that.
static enum clew_error add_moved(struct tree_pair *pair, uint32_t into, uint32_t node)
{
    const struct tree_logical *logical = pair->from->logical;
    if (!logical || node >= logical->node_count || logical->runs_of[node] != TREE_MOVED) {
        return CLEW_OK;
    }
    uint32_t *entry = tree_run_entry(pair->to.logical, into);
    if (!entry) {
        return CLEW_NO_MEMORY;
    }
    *entry = *entry ? *entry : TREE_MOVED;
    return CLEW_OK;
}

enum clew_error tree_pair_add(struct tree_pair *pair, uint32_t into, uint32_t node)
{
    const struct tree_run *run = tree_run(pair->from, node);
    bool same = pair->to.nodes[into].method == pair->from->nodes[node].method;
    add_counts(&pair->to.nodes[into], &pair->from->nodes[node]);
    CLEW_TRY(run ? add_run(pair, into, run) : add_moved(pair, into, node));
    CLEW_TRY(run && same ? add_places(pair, into, run) : CLEW_OK);
    CLEW_TRY(tree_thrown_copy(&pair->to.thrown, into, &pair->from->thrown, node));
    return add_latencies(pair, into, node);
}
