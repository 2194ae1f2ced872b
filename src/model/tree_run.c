// What rows of logical trees have besides their nodes: see tree.h and tree_run.h.
#include "model/tree_run.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

void tree_logical_free(struct tree_logical *logical)
{
    if (!logical) {
        return;
    }
    free(logical->runs_of);
    free(logical->runs);
    free(logical->places);
    map_free(&logical->place_of);
    free(logical->path_rows);
    free(logical->levels);
    free(logical->awaiting);
    free(logical);
}

const struct tree_run *tree_run(const struct tree *tree, uint32_t node)
{
    const struct tree_logical *logical = tree->logical;
    uint32_t entry = logical && node < logical->node_count ? logical->runs_of[node] : 0;
    return entry == 0 || entry == TREE_MOVED ? NULL : &logical->runs[entry];
}

uint64_t tree_pending(const struct tree_node *node, const struct tree_run *run)
{
    uint64_t known = run->completed + run->faulted + run->cancelled + node->open;
    return node->calls > known ? node->calls - known : 0;
}

uint64_t tree_unknown_ends(const struct tree_node *node, const struct tree_run *run)
{
    return run->fails_unseen ? tree_pending(node, run) : 0;
}

uint64_t tree_ended(const struct tree_run *run)
{
    return run->completed + run->faulted + run->cancelled;
}

uint64_t tree_latency(const struct tree_run *run)
{
    uint64_t ended = tree_ended(run);
    return ended ? run->latency / ended : 0;
}

enum clew_error tree_add_latencies(struct tree *tree, uint32_t node, const struct recording_latency *latencies,
                                   uint32_t count)
{
    uint32_t newest = tree_latencies(tree, node);
    for (uint32_t i = 0; i < count; i++) {
        if (!array_grow(&tree->latencies, tree->latency_count, &tree->latency_room, sizeof *tree->latencies)) {
            return CLEW_NO_MEMORY;
        }
        CLEW_ASSERT(latencies[i].bucket < HISTOGRAM_BUCKETS && newest < tree->latency_count);
        tree->latencies[tree->latency_count] =
            (struct tree_latency){.bucket = latencies[i].bucket, .next = newest, .count = latencies[i].count};
        newest = tree->latency_count++;
    }
    return count == 0 || map_put(&tree->latencies_of, node, newest) ? CLEW_OK : CLEW_NO_MEMORY;
}

uint32_t tree_latencies(const struct tree *tree, uint32_t node)
{
    uint64_t newest = 0;
    (void)map_get(&tree->latencies_of, node, &newest);
    return (uint32_t)newest;
}

struct tree_logical *tree_logical_new(void)
{
    struct tree_logical *made = calloc(1, sizeof *made);
    if (made && array_grow(&made->runs, 0, &made->run_room, sizeof *made->runs) &&
        array_grow(&made->places, 0, &made->place_room, sizeof *made->places)) {
        made->runs[made->run_count++] = (struct tree_run){0};
        made->places[made->place_count++] = (struct tree_place){0};
        return made;
    }
    tree_logical_free(made);
    return NULL;
}

uint32_t *tree_run_entry(struct tree_logical *logical, uint32_t node)
{
    while (logical->node_count <= node) {
        if (!array_grow(&logical->runs_of, logical->node_count, &logical->node_room, sizeof *logical->runs_of)) {
            return NULL;
        }
        logical->runs_of[logical->node_count++] = 0;
    }
    return &logical->runs_of[node];
}

struct tree_run *tree_make_run(struct tree *tree, uint32_t node)
{
    struct tree_logical *logical = tree->logical;
    uint32_t *entry = tree_run_entry(logical, node);
    if (!entry) {
        return NULL;
    }
    if (*entry == 0 || *entry == TREE_MOVED) {
        if (!array_grow(&logical->runs, logical->run_count, &logical->run_room, sizeof *logical->runs)) {
            return NULL;
        }
        logical->runs[logical->run_count] = (struct tree_run){FIGURES_OF_RUNS(FIGURE_FIRST)};
        *entry = logical->run_count++;
    }
    return &logical->runs[*entry];
}

struct tree_place *tree_make_place(struct tree *tree, uint32_t row, uint32_t state)
{
    struct tree_logical *logical = tree->logical;
    uint64_t key = (uint64_t)row << 32 | state, index;
    if (map_get(&logical->place_of, key, &index)) {
        return &logical->places[index];
    }
    struct tree_run *run = tree_make_run(tree, row);
    if (!run || !array_grow(&logical->places, logical->place_count, &logical->place_room, sizeof *logical->places) ||
        !map_put(&logical->place_of, key, logical->place_count)) {
        return NULL;
    }
    logical->places[logical->place_count] = (struct tree_place){.state = state, .next = run->places};
    run->places = logical->place_count;
    return &logical->places[logical->place_count++];
}
