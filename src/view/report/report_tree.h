// Prints the call tree, for the reports that contain it.
#ifndef CLEW_VIEW_REPORT_TREE_H
#define CLEW_VIEW_REPORT_TREE_H

#include "model/waits.h"
#include "view/json/json.h"
#include "view/text/view.h"

// Prints all trees, one after the other. Paths below `share` of a tree's time are folded, unless the user gave a limit.
// With `brief`, such folds have no rows of their own but are counted in one line at the end.
enum clew_error tree_print(const struct view *view, struct model *model, double share, bool brief);
// Prints a tree that is none of the model's, in the same way.
enum clew_error tree_print_one(const struct view *view, const struct model *model, struct model_tree *from);
// Writes the nodes of a tree into the open array.
enum clew_error tree_write(const struct view *view, const struct model *model, struct json *json, struct waits *waits,
                           struct model_tree *from);
// Sorts children by the key that the user chose: own or total time, calls, or CPU time with everything below. Otherwise by CPU
// time if the tree has any, else by total time.
enum clew_error tree_order(const struct view *view, struct tree *tree);

#endif
