// Lines within other reports.
#ifndef CLEW_VIEW_REPORT_LINES_H
#define CLEW_VIEW_REPORT_LINES_H

#include "view/text/view.h"

// Prints the `top` statements with the most own time, or the highest count if there are no times. Prints nothing if
// nothing was counted.
enum clew_error lines_hot_print(const struct view *view, struct model *model, uint32_t top);
// Why a document has no source text; empty for VERIFIED. `state` is not SAME.
const char *lines_no_source(enum source_state state);

#endif
