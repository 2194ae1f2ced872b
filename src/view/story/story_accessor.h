// Accessors of properties on one line: `Shop.Customer.Points → 407  this = Customer #3`, or `Shop.Customer.Points = 19`. An accessor
// that calls recorded code, throws, or has more than one statement is shown like any method.
#ifndef CLEW_VIEW_STORY_ACCESSOR_H
#define CLEW_VIEW_STORY_ACCESSOR_H

#include "view/story/story.h"

// Whether the step is kept, because it is of an accessor that may fit on one line, or was printed on that line. Otherwise the caller
// prints it; an accessor that it shows to be none of these was printed up to there. Takes steps that are shown.
bool story_accessor_takes(struct replay_context *context, const struct event_step *step,
                          const struct story_printer *printer);
// Prints what is kept of accessors that have not ended.
void story_accessor_flush(struct replay_context *context, const struct story_printer *printer);
void story_accessor_free(struct story_accessors *accessors);

#endif
