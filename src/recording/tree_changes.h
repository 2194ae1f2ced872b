// Call trees that are stored as a whole tree and the changes since (doc/recording.md, TREE_CHANGES): joins them.
#ifndef CLEW_RECORDING_TREE_CHANGES_H
#define CLEW_RECORDING_TREE_CHANGES_H

#include <stddef.h>

#include "recording/recording.h"

// A tree that outlives the reader's record, and takes changes. Zero-initialise; recording_tree_free() releases it.
struct recording_kept_tree {
    struct recording_tree tree; // its nodes are `nodes`
    struct recording_node *nodes;
    size_t room;
};

// Copies a tree into `kept`. A tree without nodes has those that recording_tree_keep_part() has put there. NO_MEMORY.
enum clew_error recording_tree_keep(struct recording_kept_tree *kept, const struct recording_tree *tree);
// Appends nodes of a tree that is read part by part behind the kept->tree.count nodes before; the caller sets this number
// to 0 first. NO_MEMORY.
enum clew_error recording_tree_keep_part(struct recording_kept_tree *kept, const struct recording_node *nodes,
                                         uint32_t count);
// Applies the changes that follow the tree. DAMAGED, without an effect, when they belong to another tree or when a block
// between them is missing. NO_MEMORY.
enum clew_error recording_tree_change(struct recording_kept_tree *kept, const struct recording_tree_changes *changes);
void recording_tree_free(struct recording_kept_tree *kept);

// The node that changes of a new node are relative to: no calls, and no shortest time.
struct recording_node recording_node_before(void);
// The change that makes `after` of `before`; parent and method are those of `after`.
struct recording_node recording_node_difference(const struct recording_node *before,
                                                const struct recording_node *after);

#endif
