// The report `allocations` as members of a JSON object.
#ifndef CLEW_VIEW_REPORT_ALLOCATIONS_H
#define CLEW_VIEW_REPORT_ALLOCATIONS_H

#include "view/json/json.h"
#include "view/text/view.h"

// Writes the members `types` and `allocations`, arrays with one object per type, and per type and place.
enum clew_error allocations_json(const struct view *view, const struct model *model, struct json *json);

#endif
