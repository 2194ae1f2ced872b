// Lines as parts of other reports.
#ifndef CLEW_VIEW_REPORT_LINES_H
#define CLEW_VIEW_REPORT_LINES_H

#include "view/json/json.h"
#include "view/text/view.h"

// The `top` statements with the most own time, or count where there is no time; nothing where nothing was counted.
enum clew_error lines_hot_print(const struct view *view, struct model *model, uint32_t top);
// The members `lines_clock` and `lines`: an array with a row a statement.
enum clew_error lines_json(const struct view *view, const struct model *model, struct json *json);

#endif
