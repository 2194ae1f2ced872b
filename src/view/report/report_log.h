// The rows of the report `log`: every path of calls in the order of first calls. Text (report_log.c) and JSON
// (report_json.c) print the same rows.
#ifndef CLEW_VIEW_REPORT_LOG_H
#define CLEW_VIEW_REPORT_LOG_H

#include "view/text/view.h"

// One path of calls: the method at its end, and how often it was called on this path.
struct log_row {
    struct text name; // name of the method as recorded; borrowed from the model
    uint32_t id;      // the method's number in its process
    uint32_t depth;   // 0: the caller, if any, was not recorded
    uint64_t calls;
};

typedef void log_visit(void *context, const struct log_row *row);

// Sorts the model's trees by first call and visits their nodes, parents first, down to view->depth levels (0: all).
enum clew_error log_each(const struct view *view, struct model *model, log_visit *visit, void *context);

#endif
