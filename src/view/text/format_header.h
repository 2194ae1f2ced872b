// The lines above a report.
#ifndef CLEW_VIEW_FORMAT_HEADER_H
#define CLEW_VIEW_FORMAT_HEADER_H

#include "view/text/view.h"

// Command, duration, clock, counts; then the caveats (format_caveats.h).
void format_header(const struct view *view, const struct model *model);
// "Share: of 1.234 ms, the time of all threads", a dim line above a table that has shares.
void format_whole(const struct view *view, const char *whole, const char *what);

#endif
