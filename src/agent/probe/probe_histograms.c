// See probe_histograms.h. A node whose thread has ended keeps its histogram for the node's next use, so the number of
// histograms is bounded by that of nodes in use at one time.
#include "agent/probe/probe_histograms.h"

#include "agent/probe/bounded.h"
#include "ring/publish.h"

uint32_t histogram_take(uint32_t node)
{
    uint32_t number;
    if (node >= probe_nodes_max || !bounded_take(&probe_ring->histograms_used, 1, RING_HISTOGRAMS_MAX, &number) ||
        number == 0) {
        return 0;
    }
    // Pairs with the collector's load of the number, which then finds the counts below it.
    RING_PUBLISH(probe_node_histograms[node], number);
    return number;
}

void histogram_count_root(uint32_t node, uint64_t ticks)
{
    uint32_t method = node_at(node)->method;
    if (method >= METHOD_FIRST_REAL && !(method & RING_METHOD_RUNS)) {
        histogram_count(node, ticks);
    }
}
