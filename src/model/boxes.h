// What is in boxes, values of value types that have become objects, as an event finds it. A box can be written to, so what
// a recording tells of one holds for the events from there on, and is told anew in each block (struct recording_box).
#ifndef CLEW_MODEL_BOXES_H
#define CLEW_MODEL_BOXES_H

#include <stdbool.h>

#include "recording/recording.h"

// Of one block, while its events are gone through.
struct boxes;

// Copies what the block tells for its events from..to, and what holds where they begin. *out is NULL where that is nothing,
// which the other functions take as well.
enum clew_error boxes_new(const struct recording_events *block, uint32_t from, uint32_t to, struct boxes **out);
// Bytes that this takes, at most.
size_t boxes_size(const struct recording_events *block, uint32_t from, uint32_t to);
void boxes_free(struct boxes *boxes);

// Takes what is told for the block's event `event`; events are gone through in order. False: memory ran out.
bool boxes_reach(struct boxes *boxes, uint32_t event);
// Events are missing here: what was told before them holds no more.
void boxes_forget(struct boxes *boxes);
// Nothing is known of what is in the object: false. *cells has its *size bytes, as in a VALUE_STRUCT; 0: they were too many.
bool boxes_find(const struct boxes *boxes, uint32_t object, const uint32_t **cells, uint32_t *size);

#endif
