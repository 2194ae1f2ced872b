// Decides which statements and values a story leaves out, so that it reads like the source.
#ifndef CLEW_VIEW_STORY_LEFT_OUT_H
#define CLEW_VIEW_STORY_LEFT_OUT_H

#include "view/story/story_methods.h"

// Leaves out braces, words of loops that are statements of their own, variables and objects that only the compiler needs (except conditions), reads of `this`, and
// values that the call's line has shown. `step` is a SITE step. Overwrites context->text.
bool story_leaves_out(struct replay_context *context, const struct story_methods *methods,
                      const struct event_step *step, const struct site *site);

#endif
