// Values in words: what was read and written.
#ifndef CLEW_VIEW_STORY_VALUE_H
#define CLEW_VIEW_STORY_VALUE_H

#include "view/replay/replay_context.h"

// The site that many numbers after the step's (before it, where negative) in the same method; NULL: there is none so near.
const struct site *story_neighbour(const struct replay_context *context, const struct timeline_step *step,
                                   int32_t distance);
// Appends `name = value`, of results and nameless conditions the value alone; nothing where the event is damaged. Names and
// texts are written as base/foreign.h does.
void story_value(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                 struct buffer *into);
// The same of the part of the value that a path of field names leads to: `name.Field = value`. False, and nothing: there is
// no such part.
bool story_part(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                struct text path, struct buffer *into);

#endif
