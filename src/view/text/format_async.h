// What text says of async activations.
#ifndef CLEW_VIEW_FORMAT_ASYNC_H
#define CLEW_VIEW_FORMAT_ASYNC_H

#include "model/waits.h"
#include "view/text/view.h"

// Appends the times of an async row: "latency 1.2 ms, awaiting 1.9 s, parallel". The latency is the mean of the activations
// that ended. Nothing for other rows, and without times.
void format_latency(struct buffer *into, const struct model *model, const struct tree *tree, uint32_t node);
// Appends a place of await: "await Repo.LoadAsync  Repo.cs:41  212 times  1.9 s", or "await Repo.LoadAsync  Repo.cs:41".
void format_wait(struct buffer *into, const struct model *model, const struct wait *wait, bool place_alone);

// Appends "Repo.LoadAsync (Repo.cs:41)", "at Repo.cs:41", or as much of it as is known.
void format_awaited(struct buffer *into, const struct wait *wait);

#endif
