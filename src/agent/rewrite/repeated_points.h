// Sequence points of F# that repeat a statement's range for what the compiler appends to it.
#ifndef CLEW_AGENT_REPEATED_POINTS_H
#define CLEW_AGENT_REPEATED_POINTS_H

#include "agent/loaded/modules.h"
#include "il/body.h"
#include "metadata/pdb/pdb.h"
#include "weave/plan/method.h"

// Hides the points of a method that are no statements of their own. Needs the module's lock.
void points_hide_repeated(struct module *module, const struct pdb *pdb, uint32_t token, const struct il_body *body,
                          struct weave_point *points, uint32_t count);

#endif
