// The source text of a statement.
#ifndef CLEW_VIEW_STORY_SOURCE_H
#define CLEW_VIEW_STORY_SOURCE_H

#include "view/replay/replay_context.h"

// Appends the source of a statement of the step's method as it is, on one line: `...` stands for the lines for which there is
// no room. Without symbols it is the statement's offset in IL.
void story_source(const struct replay_context *context, const struct timeline_step *step, const struct site *statement,
                  struct buffer *into);

#endif
