// What rows of logical trees have besides their nodes: see tree.h.
#include <stdlib.h>

#include "model/tree.h"

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

uint64_t tree_latency(const struct tree_run *run)
{
    uint64_t ended = run->completed + run->faulted + run->cancelled;
    return ended ? run->latency / ended : 0;
}
