// The reports of a recording: one format, one file.
#ifndef CLEW_VIEW_REPORTS_H
#define CLEW_VIEW_REPORTS_H

#include "view/text/view.h"

// Text.
enum clew_error view_overview(const struct view *view, struct model *model); // what `run` prints
enum clew_error view_tree(const struct view *view, struct model *model);
enum clew_error view_hot(const struct view *view, struct model *model);
enum clew_error view_methods(const struct view *view, struct model *model);
enum clew_error view_modules(const struct view *view, struct model *model);
enum clew_error view_threads(const struct view *view, struct model *model);
enum clew_error view_log(const struct view *view, struct model *model);     // the call stack in call order, with counts
enum clew_error view_summary(const struct view *view, struct model *model); // a line a function
enum clew_error view_lines(const struct view *view, struct model *model);   // source with counts; NOTHING_RECORDED
enum clew_error view_allocations(const struct view *view, struct model *model);
enum clew_error view_info(const struct view *view, struct model *model);

// JSON, as doc/json.md states it.
enum view_json {
    VIEW_JSON_ALL,
    VIEW_JSON_TREE,
    VIEW_JSON_HOT,
    VIEW_JSON_METHODS,
    VIEW_JSON_MODULES,
    VIEW_JSON_THREADS,
    VIEW_JSON_LOG,
    VIEW_JSON_SUMMARY,
    VIEW_JSON_LINES,
    VIEW_JSON_ALLOCATIONS
};
enum clew_error view_json(const struct view *view, struct model *model, enum view_json what);
enum clew_error view_info_json(const struct view *view, struct model *model);

#endif
