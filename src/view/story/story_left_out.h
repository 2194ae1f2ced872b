// Which statements and values a story leaves out.
#ifndef CLEW_VIEW_STORY_LEFT_OUT_H
#define CLEW_VIEW_STORY_LEFT_OUT_H

#include "view/story/story_methods.h"

// Left out are braces, what a compiler needed a variable or an object for that the source has not (but not conditions), reads
// of `this`, and what the call has shown already. `step` is a SITE step. Changes context->text.
bool story_leaves_out(struct replay_context *context, const struct story_methods *methods,
                      const struct timeline_step *step, const struct site *site);

#endif
