// The lines at the top of a text report.
#ifndef CLEW_VIEW_FORMAT_HEADER_H
#define CLEW_VIEW_FORMAT_HEADER_H

#include "view/text/view.h"

// Prints the command, the duration, the clock and the counts, then the caveats (format_caveats.h).
void format_header(const struct view *view, const struct model *model);
// Prints "Share: of 1.234 ms, the time of all threads" in dim colour above a table with shares: what 100 % means.
void format_whole(const struct view *view, const char *whole, const char *what);

#endif
