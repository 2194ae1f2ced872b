// The reports of a recording. Each format is one file. All print to view->out; errors of writing show in ferror()
// there. Errors that they return are NO_MEMORY and those of reading the recording.
#ifndef CLEW_VIEW_REPORTS_H
#define CLEW_VIEW_REPORTS_H

#include "view/text/view.h"

// Reports as text.
enum clew_error view_overview(const struct view *view, struct model *model); // what `run` prints
enum clew_error view_tree(const struct view *view, struct model *model);
enum clew_error view_hot(const struct view *view, struct model *model);
enum clew_error view_methods(const struct view *view, struct model *model);
enum clew_error view_modules(const struct view *view, struct model *model);
enum clew_error view_threads(const struct view *view, struct model *model);
enum clew_error view_log(const struct view *view, struct model *model);     // paths in the order of calls, with counts
enum clew_error view_summary(const struct view *view, struct model *model); // one line per method
// The source with counts; NOTHING_RECORDED without lines
enum clew_error view_lines(const struct view *view, struct model *model);
enum clew_error view_allocations(const struct view *view, struct model *model);
enum clew_error view_info(const struct view *view, struct model *model);

// Reports as JSON; doc/json.md defines them.
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
