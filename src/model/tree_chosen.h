// The part of a call tree that a user has chosen (model/choice.h).
#ifndef CLEW_MODEL_TREE_CHOSEN_H
#define CLEW_MODEL_TREE_CHOSEN_H

#include "model/choice.h"
#include "model/tree.h"

// Replaces the tree, in which all times are added up, by what is chosen of it. `marks` has the mark of each node. A caller that
// is there as context (tree_is_context()) has neither calls nor time of its own. What a hidden call did by itself counts as done
// by its caller, or is left out where there is none. After an error the tree is as it was; NO_MEMORY is the only one.
enum clew_error tree_choose(struct tree *tree, uint32_t kinds, const uint8_t *marks);

#endif
