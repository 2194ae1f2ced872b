// The lines of a report in JSON.
#ifndef CLEW_VIEW_LINES_H
#define CLEW_VIEW_LINES_H

#include "view/json.h"
#include "view/view.h"

// The member `lines`: an array with a row a statement.
enum clew_error lines_json(const struct view *view, const struct model *model, struct json *json);

#endif
