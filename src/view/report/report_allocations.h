// The allocations of a report in JSON.
#ifndef CLEW_VIEW_REPORT_ALLOCATIONS_H
#define CLEW_VIEW_REPORT_ALLOCATIONS_H

#include "view/json/json.h"
#include "view/text/view.h"

// The members `allocations`, an array with a row a type and place, and `types`.
enum clew_error allocations_json(const struct view *view, const struct model *model, struct json *json);

#endif
