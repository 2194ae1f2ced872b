// The places where activations of an async row waited, as the source has them.
#ifndef CLEW_MODEL_WAITS_H
#define CLEW_MODEL_WAITS_H

#include "model/model.h"
#include "model/sites.h"

// A place of await of one row of a logical tree.
struct wait {
    struct text what;                          // what is awaited: `Repo.LoadAsync`; empty: not known
    const struct recording_document *document; // NULL: not known
    uint32_t line;                             // 0: not known
    uint64_t count, awaiting;                  // runs that continued there; ticks from the wait to the run
};

// Finds them. Not thread-safe; the model must outlive it.
struct waits;

// NO_MEMORY, and errors of reading the sites. A model that is not logical has no waits.
enum clew_error waits_open(const struct model *model, struct waits **out);
void waits_close(struct waits *waits);
// Those of a row, most time first; none if it is not async. They live until the next call.
enum clew_error waits_of(struct waits *waits, const struct model_tree *tree, uint32_t node, const struct wait **out,
                         uint32_t *count);
// The damage found while reading the sites.
struct recording_health waits_health(const struct waits *waits);

#endif
