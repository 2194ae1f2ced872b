// The places where activations of an async row waited, as the source has them.
#ifndef CLEW_MODEL_WAITS_H
#define CLEW_MODEL_WAITS_H

#include "model/model.h"

// A place of await.
struct wait {
    struct text what;                          // what is awaited: `Repo.LoadAsync`; empty: not known
    const struct recording_document *document; // NULL: not known
    uint32_t line;                             // 0: not known
    uint32_t state;                            // of the body, which tells its places apart
    uint64_t count, awaiting;                  // of a row: runs that continued there; ticks from the wait to the run
};

// The place where a body waits in this state. It refers to the model.
struct wait waits_place(const struct model *model, uint32_t process, uint32_t body, uint32_t state);

// Those of one row of a logical tree, most time first. Zero-initialise; waits_fini() releases it.
struct waits {
    struct wait *waits;
    uint32_t count;
    size_t room;
};

// Replaces them by those of a row: none if it is not async. They refer to the model. NO_MEMORY is the only error.
enum clew_error waits_of(const struct model *model, const struct model_tree *tree, uint32_t node, struct waits *out);
void waits_fini(struct waits *waits);

#endif
