// Writes values as `name = value`, for stories and the history of a variable.
#ifndef CLEW_VIEW_STORY_VALUE_H
#define CLEW_VIEW_STORY_VALUE_H

#include "view/replay/replay_context.h"

// The site `distance` numbers after the step's site (before it, if negative) in the same method. NULL: the method has
// none there, or it is too far.
const struct site *story_neighbour(const struct replay_context *context, const struct event_step *step,
                                   int32_t distance);
// Appends `name = value`. For results and unnamed conditions it appends only the value; for a damaged event nothing.
// Names and texts are escaped (base/foreign.h).
void story_value(struct replay_context *context, const struct event_step *step, const struct site *site,
                 struct buffer *into);
// The same for the part of the value that a path of field names selects: `name.Field = value`. False: there is no such
// part, and nothing was appended.
bool story_part(struct replay_context *context, const struct event_step *step, const struct site *site,
                struct text path, struct buffer *into);

#endif
