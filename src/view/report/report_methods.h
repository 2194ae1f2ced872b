// Tables of methods, for the views that contain one.
#ifndef CLEW_VIEW_REPORT_METHODS_H
#define CLEW_VIEW_REPORT_METHODS_H

#include "view/text/view.h"

// Makes the rows and sorts them by the user's key, or else by `key`; without times, by calls. The caller frees
// out->rows.
enum clew_error methods_sorted(const struct view *view, const struct model *model, enum table_key key,
                               struct table_methods *out);
// The same, with statements if the recording counted any: `statements` says so, and `line_times` whether lines have
// times.
struct methods_counted {
    struct table_methods methods;
    bool statements, line_times;
    enum clock_kind line_clock;
};
enum clew_error methods_counted(const struct view *view, const struct model *model, enum table_key key,
                                struct methods_counted *out);
// Prints the `top` methods with the most own time.
enum clew_error hot_print(const struct view *view, const struct model *model, uint32_t top);

#endif
