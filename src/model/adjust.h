// Subtracts what the probes cost from the times of a model's call trees (--adjust).
#ifndef CLEW_MODEL_ADJUST_H
#define CLEW_MODEL_ADJUST_H

#include "model/model.h"

// The costs are those that each process measured when its recording started. Calls are counted in the trees. Statements and
// values come from the streams, which are read once more: a number costs less than a reference, and the first reference to an
// object more than later ones. The counters of `lines` have no paths, so a method's lines are divided among its nodes by their
// calls; a selection takes no lines, since counters are of the whole session. Sets model->adjusted. NO_MEMORY or IO.
enum clew_error adjust_trees(struct model *model);

#endif
