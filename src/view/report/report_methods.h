// Rows of methods as text, for the views that contain them.
#ifndef CLEW_VIEW_REPORT_METHODS_H
#define CLEW_VIEW_REPORT_METHODS_H

#include "view/text/view.h"

// Makes and sorts the rows: by the view's key, else by `key`. The caller frees out->rows.
enum clew_error methods_sorted(const struct view *view, const struct model *model, enum table_key key,
                               struct table_methods *out);
// The same with statements where the recording has any: whether it has, and whether lines have times.
struct methods_counted {
    struct table_methods methods;
    bool statements, line_times;
    enum clock_kind line_clock;
};
enum clew_error methods_counted(const struct view *view, const struct model *model, enum table_key key,
                                struct methods_counted *out);
// The hottest `top` methods: share of the own time of all, own, total, calls, name.
enum clew_error hot_print(const struct view *view, const struct model *model, uint32_t top);

#endif
