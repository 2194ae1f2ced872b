// Histograms of how long activations took (struct ring_histogram), one for each node that needs one.
#ifndef CLEW_AGENT_PROBE_HISTOGRAMS_H
#define CLEW_AGENT_PROBE_HISTOGRAMS_H

#include "agent/probe/probe_thread.h"

#pragma GCC visibility push(hidden)

// Gives the node a histogram. 0: all are taken.
uint32_t histogram_take(uint32_t node);
// Counts an activation of a synchronous method in a node right below the thread's root.
void histogram_count_root(uint32_t node, uint64_t ticks);

#pragma GCC visibility pop

// Counts an activation of the node.
static inline __attribute__((always_inline)) void histogram_count(uint32_t node, uint64_t ticks)
{
    uint32_t number = probe_node_histograms[node < probe_nodes_max ? node : 0];
    if (__builtin_expect(number - 1 >= RING_HISTOGRAMS_MAX - 1, 0)) {
        number = histogram_take(node);
        if (!number) {
            return;
        }
    }
    probe_histograms[number].counts[histogram_bucket(ticks)]++;
}

#endif
