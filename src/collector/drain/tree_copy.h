// Copies a thread's call tree out of the shared memory, while the thread may go on building it.
#ifndef CLEW_COLLECTOR_TREE_COPY_H
#define CLEW_COLLECTOR_TREE_COPY_H

#include <stdint.h>

#include "base/error.h"
#include "recording/recording.h"
#include "ring/ring.h"

// Zero-initialise; the memory is used again for every copy.
struct tree_copy {
    struct buffer nodes;   // struct recording_node, parents before children
    struct buffer pending; // nodes whose children are still to come
    uint32_t count;
    uint32_t visited; // nodes of the segment; some are folded into others
    uint64_t entries; // entries and exits that the tree stands for and no stream: of real methods
};

// `now` is the session's clock; running activations get their time up to then. MALFORMED: there is no root, or links lead to
// no node, or to more than the process has, less the `others` that the caller knows to be in other trees.
enum clew_error tree_copy(struct tree_copy *copy, struct ring_header *ring, uint32_t root, uint64_t others,
                          uint64_t now);
void tree_copy_free(struct tree_copy *copy);

// The node that stands for `node` in copies: itself, but that calls over the cap run at one that is in no tree, and show
// in `(over the cap)` under the root.
uint32_t tree_shown_node(struct ring_header *ring, uint32_t root, uint32_t node);

// Gives the blocks of an ended thread's nodes back to the agent, zeroed. Nobody else may use the thread's slot.
// False when memory ran out: they stay taken then.
bool tree_recycle(struct tree_copy *scratch, struct ring_header *ring, const struct ring_thread *thread);

#endif
