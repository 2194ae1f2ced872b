// By which exceptions activations of a node ended, with the names of their types.
#ifndef CLEW_MODEL_ENDINGS_H
#define CLEW_MODEL_ENDINGS_H

#include "model/model.h"
#include "model/sites.h"

struct ending {
    struct text type; // its full name
    uint64_t count;   // activations that such exceptions ended
};

// Those of one node, the most frequent first. Zero-initialise; endings_fini() releases it.
struct endings {
    struct ending *endings;
    uint32_t count;
    size_t room;
    uint64_t known;      // the sum of their counts: as many as the node's `exceptions`, or less
    struct sites *sites; // has the names; loaded when a node needs them
};

// Replaces them by those of a node: none if nothing is known. They borrow from `out`.
enum clew_error endings_of(const struct model *model, const struct model_tree *tree, uint32_t node,
                           struct endings *out);
void endings_fini(struct endings *endings);

#endif
