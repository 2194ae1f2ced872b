// Chooses the EVENTS blocks that may hold steps of chosen calls, so that a story of few calls is read without the rest of the file:
// those in which such a call begins or runs, and those in which one of its callers begins or ends.
#ifndef CLEW_MODEL_CALL_FILTER_H
#define CLEW_MODEL_CALL_FILTER_H

#include "base/map.h"
#include "model/catalog.h"
#include "recording/reader.h"

// Zero-initialise: all blocks are wanted. The caller calls call_filter_free().
struct call_filter {
    struct map excluded; // offset of an EVENTS block that has none of the steps: its process
};

void call_filter_free(struct call_filter *filter);
// Chooses among the blocks that have events from `from` to `to`; others stay wanted. `marks`: of each method of the catalog, by index,
// 0 if its calls are not chosen. A block that is damaged, or has events of async activations, is wanted. NO_MEMORY or IO.
enum clew_error call_filter_choose(struct call_filter *filter, const struct catalog *catalog, const uint8_t *marks,
                                   struct recording *recording, uint64_t from, uint64_t to);
// Whether the block may have such a step.
bool call_filter_wants(const struct call_filter *filter, const struct recording_block *block);

#endif
