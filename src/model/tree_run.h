// Adds runs and places of await to the rows of a logical tree that is being made. Whoever makes one uses this: tree_logical.c from
// recorded trees, tree_chosen.c from another logical tree.
#ifndef CLEW_MODEL_TREE_RUN_H
#define CLEW_MODEL_TREE_RUN_H

#include "model/tree.h"

// All return NULL if memory ran out.
struct tree_logical *tree_logical_new(void);
// The entry of a node in runs_of.
uint32_t *tree_run_entry(struct tree_logical *logical, uint32_t node);
// The run of a node, made when it has none.
struct tree_run *tree_make_run(struct tree *tree, uint32_t node);
// The place where activations of a row wait in a state, made when it is new.
struct tree_place *tree_make_place(struct tree *tree, uint32_t row, uint32_t state);

#endif
