#include "collector/drain/tree_chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/tree_changes.h"

static const struct recording_node *nodes_of(const struct tree_copy *copy)
{
    return (const struct recording_node *)(const void *)copy->nodes.data;
}

static const uint32_t *sources_of(const struct tree_copy *copy)
{
    return (const uint32_t *)(const void *)copy->sources.data;
}

// Appends a node; false without memory.
static bool append(struct tree_chains *chains, struct tree_chain *chain, struct recording_node node, uint32_t source)
{
    if (!array_grow(&chain->nodes, chain->count, &chain->nodes_room, sizeof *chain->nodes) ||
        !array_grow(&chain->sources, chain->count, &chain->sources_room, sizeof *chain->sources)) {
        return false;
    }
    chain->nodes[chain->count] = node;
    chain->sources[chain->count++] = source;
    chains->numbers[source] = chain->count;
    chains->nodes++;
    return true;
}

void tree_chain_end(struct tree_chains *chains, struct tree_chain *chain)
{
    CLEW_ASSERT(chains->nodes >= chain->count);
    chains->nodes -= chain->count;
    free(chain->nodes);
    free(chain->sources);
    *chain = (struct tree_chain){0};
}

void tree_chains_free(struct tree_chains *chains)
{
    free(chains->numbers);
    buffer_free(&chains->copied);
    buffer_free(&chains->changes);
    *chains = (struct tree_chains){0};
}

void tree_chain_begin(struct tree_chains *chains, struct tree_chain *chain, const struct tree_copy *copy,
                      uint32_t nodes_max)
{
    const struct recording_node *nodes = nodes_of(copy);
    const uint32_t *sources = sources_of(copy);
    CLEW_ASSERT(chains->nodes >= chain->count);
    chains->nodes -= chain->count;
    chain->count = 0;
    chain->changes = 0;
    if (chains->nodes + copy->count > CHAIN_NODES_MAX) {
        tree_chain_end(chains, chain);
        return;
    }
    // Pages of it that belong to no chain stay untouched.
    chains->numbers = chains->numbers ? chains->numbers : calloc(nodes_max, sizeof *chains->numbers);
    bool whole = chains->numbers != NULL;
    for (uint32_t i = 0; i < copy->count && whole; i++) {
        CLEW_ASSERT(sources[i] < nodes_max && "tree_copy() has checked each link");
        whole = append(chains, chain, nodes[i], sources[i]);
    }
    if (!whole) {
        tree_chain_end(chains, chain);
    }
}

// The number of the copy's node i, which gets one if it is new. UINT32_MAX: it can have none.
static uint32_t number_of(struct tree_chains *chains, struct tree_chain *chain, const struct tree_copy *copy,
                          uint32_t i)
{
    uint32_t source = sources_of(copy)[i], number = chains->numbers[source];
    if (number > 0 && number <= chain->count && chain->sources[number - 1] == source) {
        return number - 1; // else the number is that of an ended thread, whose nodes were used again
    }
    if (i == 0) {
        return UINT32_MAX; // a broken program has changed the thread's root
    }
    const struct recording_node *node = &nodes_of(copy)[i];
    struct recording_node fresh = recording_node_before();
    uint32_t parent = sources_of(copy)[node->parent];
    CLEW_ASSERT(node->parent < i && "a parent is copied before its children");
    fresh.parent = chains->numbers[parent] - 1;
    fresh.method = node->method;
    return append(chains, chain, fresh, source) ? chain->count - 1 : UINT32_MAX;
}

// Fills chains->copied, and numbers new nodes. A node that is missing in the copy, or that comes twice, is a broken
// program's: then the numbers do not fit.
static bool number_all(struct tree_chains *chains, struct tree_chain *chain, const struct tree_copy *copy)
{
    buffer_clear(&chains->copied);
    uint32_t *copied = (uint32_t *)(void *)buffer_extend(&chains->copied, copy->count * sizeof(uint32_t));
    if (!copied) {
        return false;
    }
    memset(copied, 0xff, copy->count * sizeof *copied);
    for (uint32_t i = 0; i < copy->count; i++) {
        uint32_t number = number_of(chains, chain, copy, i);
        if (number >= copy->count || copied[number] != UINT32_MAX) {
            return false;
        }
        copied[number] = i;
    }
    return chain->count == copy->count;
}

static bool is_equal(const struct recording_node *a, const struct recording_node *b)
{
#define IS_EQUAL(name, type, adds, kind, key) a->name == b->name &&
    return FIGURES(IS_EQUAL) true;
#undef IS_EQUAL
}

// Adds the change of node `number` to chains->changes, if it has changed or is new.
static void note_change(struct tree_chains *chains, struct tree_chain *chain, const struct recording_node *now,
                        uint32_t number, uint32_t before)
{
    struct recording_node *last = &chain->nodes[number], after = *now;
    if (number < before && is_equal(last, now)) {
        return;
    }
    after.parent = last->parent;
    struct recording_node_change change = {.node = number, .by = recording_node_difference(last, &after)};
    buffer_append(&chains->changes, &change, sizeof change);
    *last = after;
}

bool tree_chain_continue(struct tree_chains *chains, struct tree_chain *chain, const struct tree_copy *copy,
                         struct recording_tree_changes *changes)
{
    uint32_t before = chain->count;
    if (before == 0 || chain->changes == CHAIN_CHANGES_MAX || copy->count < before ||
        chains->nodes + (copy->count - before) > CHAIN_NODES_MAX || !number_all(chains, chain, copy)) {
        return false;
    }
    const uint32_t *copied = (const uint32_t *)(const void *)chains->copied.data;
    buffer_clear(&chains->changes);
    for (uint32_t number = 0; number < chain->count; number++) {
        note_change(chains, chain, &nodes_of(copy)[copied[number]], number, before);
    }
    *changes = (struct recording_tree_changes){
        .before = before,
        .after = chain->count,
        .count = (uint32_t)(chains->changes.size / sizeof(struct recording_node_change)),
        .changes = (const struct recording_node_change *)(const void *)chains->changes.data,
    };
    chain->changes += changes->count > 0;
    return !chains->changes.failed && changes->count <= RECORDING_CHANGES_MAX &&
           changes->count <= chain->count / CHAIN_CHANGED_PART;
}

static int compare_runs(const void *a, const void *b)
{
    const struct recording_run *first = a, *second = b;
    return (first->node > second->node) - (first->node < second->node);
}

void tree_chain_number_runs(const struct tree_chains *chains, struct tree_copy *copy)
{
    struct recording_run *runs = (struct recording_run *)(void *)copy->runs.data;
    size_t count = copy->runs.size / sizeof *runs;
    for (size_t i = 0; i < count; i++) {
        CLEW_ASSERT(runs[i].node < copy->count);
        runs[i].node = chains->numbers[sources_of(copy)[runs[i].node]] - 1;
    }
    if (count > 1) {
        qsort(runs, count, sizeof *runs, compare_runs);
    }
}

void tree_chain_number_throws(const struct tree_chains *chains, struct tree_copy *copy)
{
    struct recording_throw *throws = (struct recording_throw *)(void *)copy->throws.data;
    const uint32_t *sources = sources_of(copy);
    for (size_t i = 0; i < copy->throws.size / sizeof *throws; i++) {
        CLEW_ASSERT(throws[i].node <= copy->count && throws[i].caught_node <= copy->count);
        throws[i].node = chains->numbers[sources[throws[i].node - 1]];
        throws[i].caught_node = throws[i].caught_node ? chains->numbers[sources[throws[i].caught_node - 1]] : 0;
    }
}
