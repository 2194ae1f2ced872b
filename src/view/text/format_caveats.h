// The caveats of a recording: a reader of any view needs to know what was lost, still runs, was cut off, is damaged or
// was not recorded, since it affects the numbers shown.
#ifndef CLEW_VIEW_FORMAT_CAVEATS_H
#define CLEW_VIEW_FORMAT_CAVEATS_H

#include "view/text/view.h"

// Prints one line per caveat, each after `prefix`.
void format_caveats(const struct view *view, const struct model *model, const char *prefix);

#endif
