// What a reader has to know about a recording: lost, open, cut, damaged, not recorded.
#ifndef CLEW_VIEW_FORMAT_CAVEATS_H
#define CLEW_VIEW_FORMAT_CAVEATS_H

#include "view/text/view.h"

// A line for each thing, each behind `prefix`.
void format_caveats(const struct view *view, const struct model *model, const char *prefix);

#endif
