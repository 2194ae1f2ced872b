// Contents of boxes (value types stored as objects) as of an event. A box can be written to, so a record of its
// contents applies from its event on, until the next record of the same box. Each block repeats the contents of the
// boxes that it uses (struct recording_box), so a block can be read alone.
#ifndef CLEW_MODEL_BOXES_H
#define CLEW_MODEL_BOXES_H

#include <stdbool.h>

#include "recording/recording.h"

// The boxes of one block, while its events are read in order.
struct boxes;

// Copies the block's records that apply to any of the events from..to. *out is NULL if there are none; the other
// functions accept NULL. NO_MEMORY is the only error. boxes_free() releases it.
enum clew_error boxes_new(const struct recording_events *block, uint32_t from, uint32_t to, struct boxes **out);
// An upper limit of the bytes that boxes_new() takes for these events, so that a part can bound its memory
// beforehand.
size_t boxes_size(const struct recording_events *block, uint32_t from, uint32_t to);
void boxes_free(struct boxes *boxes);

// Advances to event `event` of the block. Call it for each event, in order. False: memory ran out.
bool boxes_reach(struct boxes *boxes, uint32_t event);
// To be called where events are lost: earlier records no longer apply.
void boxes_forget(struct boxes *boxes);
// A state that boxes_return() goes back to, or on to. False: memory ran out.
struct boxes_mark {
    uint32_t passed, forgotten;
};
struct boxes_mark boxes_mark(const struct boxes *boxes);
bool boxes_return(struct boxes *boxes, struct boxes_mark to);
// Finds the contents of box `object` as of the event reached. False: unknown. *cells holds *size bytes, laid out like a
// VALUE_STRUCT; *size is 0 if the contents were too large to record. Valid until boxes_free().
bool boxes_find(const struct boxes *boxes, uint32_t object, const uint32_t **cells, uint32_t *size);

#endif
