// The callers of some methods, as a tree that grows from them upwards.
#ifndef CLEW_MODEL_TREE_CALLERS_H
#define CLEW_MODEL_TREE_CALLERS_H

#include "model/tree.h"

enum { TREE_CALLERS_LEVELS_MAX = 64 }; // of callers above a method: a back trace ends there

// Replaces the tree by one whose first rows are the methods of the nodes that have the mark, and in which the rows below a row are
// what has called it. All figures of a row are those of the calls of its first row that came from there. So the rows below add up
// to it, but for calls from a thread's start and for recursion: a total is that of calls that were not made within another call of
// the same method, and further ones count in the rows of their callers with their own time. NO_MEMORY is the only error; the tree
// is as it was then.
enum clew_error tree_turn(struct tree *tree, const uint8_t *marks, uint8_t mark);

#endif
