// The last copy of a thread's call tree, from which the next one is written as changes. Nodes keep the numbers of the
// whole tree that began the chain; new ones come behind them.
#ifndef CLEW_COLLECTOR_TREE_CHAIN_H
#define CLEW_COLLECTOR_TREE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/drain/tree_copy.h"
#include "recording/recording.h"

enum {
    CHAIN_CHANGES_MAX = 15,    // blocks of changes behind a whole tree
    CHAIN_NODES_MAX = 1 << 20, // of all threads of a process: 68 to 136 bytes each, since arrays grow by doubling
    CHAIN_CHANGED_PART = 4,    // a tree of which more than one node in so many has changed is written whole
};

// Zero-initialise: no chain.
struct tree_chain {
    struct recording_node *nodes; // as in the file
    uint32_t *sources;            // of each: its node in the segment
    uint32_t count;
    size_t nodes_room, sources_room;
    uint32_t changes; // blocks since the whole tree
};

// What the chains of a process share. Zero-initialise.
struct tree_chains {
    uint32_t *numbers; // by node of the segment: 1 + its number in its thread's chain; may be stale
    uint64_t nodes;    // of all chains
    // Of the copy at hand:
    struct buffer copied;  // uint32_t, by number: its index in the copy
    struct buffer changes; // struct recording_node_change
};

// After a whole tree was written: begins a chain with it. Without memory, or when all chains have too many nodes, there is
// none, it holds no memory, and the next tree is written whole too.
void tree_chain_begin(struct tree_chains *chains, struct tree_chain *chain, const struct tree_copy *copy,
                      uint32_t nodes_max);
// Brings the chain up to this copy. True: *changes is what has changed; nothing if its count is 0. Borrowed until the next
// call. False: the tree has to be written whole.
bool tree_chain_continue(struct tree_chains *chains, struct tree_chain *chain, const struct tree_copy *copy,
                         struct recording_tree_changes *changes);
// Gives the runs of that copy the nodes' numbers in the chain, in ascending order.
void tree_chain_number_runs(const struct tree_chains *chains, struct tree_copy *copy);
// The same of its throws.
void tree_chain_number_throws(const struct tree_chains *chains, struct tree_copy *copy);
void tree_chain_end(struct tree_chains *chains, struct tree_chain *chain);
void tree_chains_free(struct tree_chains *chains);

#endif
