// The call tree as text, for the views that contain one.
#ifndef CLEW_VIEW_REPORT_TREE_H
#define CLEW_VIEW_REPORT_TREE_H

#include "view/text/view.h"

// All trees, one after the other; paths below `share` of a tree's time are folded unless the view says otherwise. Brief:
// those folds have no lines of their own, only one at the end.
enum clew_error tree_print(const struct view *view, struct model *model, double share, bool brief);
// Orders children as the view wishes.
enum clew_error tree_order(const struct view *view, struct tree *tree);

#endif
