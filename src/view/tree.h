// The call tree as text, for the views that contain one.
#ifndef CLEW_VIEW_TREE_H
#define CLEW_VIEW_TREE_H

#include "view/view.h"

// All trees, one after the other; paths below `share` of a tree's time are folded unless the view says otherwise.
enum clew_error tree_print(const struct view *view, struct model *model, double share);
// Orders children as the view wishes.
enum clew_error tree_order(const struct view *view, struct tree *tree);

#endif
