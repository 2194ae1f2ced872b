// Copies a thread's call tree out of the shared memory, while the thread may be building it.
//
// A thread links a node to its parent with release once the node is complete, and nodes are never unlinked. So a walk
// with acquire loads finds complete nodes only; counts and times of running activations may be a few calls apart.
#ifndef CLEW_COLLECTOR_TREE_COPY_H
#define CLEW_COLLECTOR_TREE_COPY_H

#include <stdint.h>

#include "base/error.h"
#include "recording/recording.h"
#include "ring/ring.h"

// Zero-initialise; the memory is used again for every copy.
struct tree_copy {
    struct buffer nodes;     // struct recording_node, parents before children
    struct buffer sources;   // uint32_t: of each, its node in the segment
    struct buffer runs;      // struct recording_run: of those nodes that have figures of runs, or latencies; ascending
    struct buffer latencies; // struct recording_latency: of these runs
    struct buffer throws;    // struct recording_throw: of all nodes
    struct buffer pending;   // nodes whose children are still to come
    uint32_t count;
    uint32_t visited;  // nodes of the segment that the walk has met; some are folded into others
    uint64_t entries;  // entries and exits of real methods that the tree counts and no stream has
    uint64_t passages; // entries and exits of all real methods
    uint64_t unwinds;  // activations of real methods that an exception ended
};

// `now` is the session's clock; running activations get their time up to then. `others` is how many nodes of the
// process are known to be in other trees. MALFORMED when there is no root, when a link leads to no node, or when the
// tree has more nodes than the others leave.
enum clew_error tree_copy(struct tree_copy *copy, struct ring_header *ring, uint32_t root, uint64_t others,
                          uint64_t now);
void tree_copy_free(struct tree_copy *copy);

// The node under which a copy shows `node`. That is the node itself, except where calls exceed the cap of the tree:
// they all run in one node outside of the tree, and are shown in `(over the cap)` below the root.
uint32_t tree_shown_node(struct ring_header *ring, uint32_t root, uint32_t node);

// The method of a node, or of the nearest one above that has one. 0: there is none.
uint32_t tree_method(struct ring_header *ring, uint32_t node);

// Clears the nodes of an ended thread and gives their blocks back to the agent. Only the collector may still use the
// thread's slot. False when memory ran out; then the blocks stay taken.
bool tree_recycle(struct tree_copy *scratch, struct ring_header *ring, const struct ring_thread *thread);

#endif
