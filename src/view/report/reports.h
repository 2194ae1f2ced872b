// The reports that are no tables, and what `info` prints. Each format is one file. All print to view->out; errors of
// writing show in ferror() there. Errors that they return are NO_MEMORY and those of reading the recording.
#ifndef CLEW_VIEW_REPORTS_H
#define CLEW_VIEW_REPORTS_H

#include "view/json/json.h"
#include "view/text/view.h"

// Reports as text.
enum clew_error view_overview(const struct view *view, struct model *model); // what `run` prints
enum clew_error view_tree(const struct view *view, struct model *model);
enum clew_error view_hot(const struct view *view, struct model *model);
enum clew_error view_log(const struct view *view, struct model *model);     // paths in the order of calls, with counts
enum clew_error view_summary(const struct view *view, struct model *model); // one line per method
// The source with counts; NOTHING_RECORDED without lines
enum clew_error view_lines(const struct view *view, struct model *model);
// The requests that took longest, with their trees: view->top of them; NOTHING_RECORDED without streams
enum clew_error view_slowest(const struct view *view, struct model *model);
enum clew_error view_info(const struct view *view, struct model *model);

// Reports as members of a JSON object; doc/json.md defines them.
enum clew_error overview_json(const struct view *view, struct model *model, struct json *json); // several reports
enum clew_error tree_json(const struct view *view, struct model *model, struct json *json);
enum clew_error requests_json(const struct view *view, struct model *model, struct json *json);
enum clew_error slowest_json(const struct view *view, struct model *model, struct json *json);
enum clew_error log_json(const struct view *view, struct model *model, struct json *json);
enum clew_error summary_json(const struct view *view, struct model *model, struct json *json);
// A whole object.
enum clew_error view_info_json(const struct view *view, struct model *model);

#endif
