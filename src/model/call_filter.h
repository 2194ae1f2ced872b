// Chooses the EVENTS blocks that may hold steps of chosen calls, so that a story of few calls is read without the rest of the file:
// those in which such a call begins or runs, and those in which one of its callers begins or ends.
#ifndef CLEW_MODEL_CALL_FILTER_H
#define CLEW_MODEL_CALL_FILTER_H

#include "model/catalog.h"
#include "model/excluded_blocks.h"
#include "recording/reader.h"

// Excludes those that need not be read among the blocks that have events from `from` to `to`. `marks`: of each method of the
// catalog, as choices_marks() makes them; the calls that CHOICE_METHOD or CHOICE_UNDER takes are chosen. A block that is damaged, or
// has events of async activations, stays. NO_MEMORY or IO.
enum clew_error call_filter_choose(struct excluded_blocks *excluded, const struct catalog *catalog,
                                   const uint8_t *marks, struct recording *recording, uint64_t from, uint64_t to);

#endif
