// Adds what a node of one tree has to a node of another: for trees that are made of others (tree_chosen.h, tree_callers.h).
#ifndef CLEW_MODEL_TREE_FIGURES_H
#define CLEW_MODEL_TREE_FIGURES_H

#include "model/tree.h"

// Two trees of one kind: both are logical, or both physical.
struct tree_pair {
    const struct tree *from;
    struct tree to;
};

// Makes `to`, as a tree of the kind of `from`. The caller finishes it, also after an error.
enum clew_error tree_pair_init(struct tree_pair *pair);

// Adds the node's calls and how they ended, by which exceptions, their longest and shortest times and their latencies, and of an
// async row its runs; to a row of the same method also the places where it waited. The caller adds total and CPU time. NO_MEMORY
// is the only error, here and above.
enum clew_error tree_pair_add(struct tree_pair *pair, uint32_t into, uint32_t node);

#endif
