// The logical view of call trees: the parent of an async activation is the activation that called it, whatever resumed its
// runs. Recorded trees are the stacks as they were; here each of their nodes adds its own time and its counts to the row
// where it belongs. A kick-off and the body of its async method are one row, the body's.
#ifndef CLEW_MODEL_TREE_LOGICAL_H
#define CLEW_MODEL_TREE_LOGICAL_H

#include "model/tree.h"

// A node of the recorded tree that is being added.
struct logical_node {
    uint32_t parent;
    uint32_t number; // as recorded
    uint32_t row;    // in the tree
    uint32_t owner;  // the node that its own time belongs to: a filter's belongs to the node whose filter it is
    uint64_t total;
    uint64_t below; // total of the nodes directly below
    uint32_t state; // of a run that continues an activation: where it waited
    uint8_t role;
    bool moved;        // it and all above it are marked TREE_MOVED
    bool is_caller;    // else nothing is known of the caller of the nodes below
    uint32_t around;   // the run around it on the stack, if that still runs for its activation; 0: none
    bool fails_unseen; // as in struct async_method
    bool catches;      // the body of an async method that the compiler has made, which catches all that ends it
};

// A recorded tree of one thread that is added part by part. Set `tree`, `process` and `async`, the rest to zero;
// logical_merge_fini() releases it.
struct logical_merge {
    struct tree *tree;
    uint32_t process;
    const struct async *async;
    struct async_paths paths; // of the process
    struct logical_node *nodes;
    uint32_t count;
    size_t room;
    uint64_t calls, open; // activations that the rows got
};

// Adds the next nodes. DAMAGED: a node's parent does not come before it; the nodes before that one were added.
enum clew_error logical_merge_part(struct logical_merge *merge, const struct recording_node *nodes, uint32_t count);
// Adds the own times, once all nodes are there.
void logical_merge_times(struct logical_merge *merge);
// Adds the figures of runs. Those of nodes that the tree does not have, or that are no runs, are left out.
enum clew_error logical_merge_runs(struct logical_merge *merge, const struct recording_runs *runs);
// The row that counts the activations of a node which an exception has ended; TREE_ROOT: none does. `catches`: as in struct
// thrown_node.
uint32_t logical_merge_ends(const struct logical_merge *merge, uint32_t node, bool *catches);
void logical_merge_fini(struct logical_merge *merge);

// Adds up the times of all rows, once all threads are there; until then each row's `total` is its own time.
enum clew_error tree_logical_finish(struct tree *tree);

#endif
