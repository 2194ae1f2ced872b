// What rows of logical trees have besides their nodes: see tree.h.
#include "model/tree.h"

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
