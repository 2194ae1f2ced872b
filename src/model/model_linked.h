// A pass over the events of all threads of a process, in which what happens to async activations comes in the order of time.
#ifndef CLEW_MODEL_MODEL_LINKED_H
#define CLEW_MODEL_MODEL_LINKED_H

#include "model/model.h"
#include "model/stream_runs.h"

// Passes the events on to `runs`, from runs_init(). All threads count, and the model stays as it is. Damage is added to *health,
// which may be NULL. NO_MEMORY or IO.
enum clew_error linked_pass(const struct model *model, struct runs *runs, struct recording_health *health);

#endif
