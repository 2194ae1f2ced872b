// The source text of a statement, for stories and the history of a variable.
#ifndef CLEW_VIEW_STORY_SOURCE_H
#define CLEW_VIEW_STORY_SOURCE_H

#include "view/replay/replay_context.h"

// Appends the source of a statement of the step's method as one line. If it is too long, `...` replaces the rest.
// Without symbols, appends the statement's IL offset.
void story_source(const struct replay_context *context, const struct event_step *step, const struct site *statement,
                  struct buffer *into);

#endif
