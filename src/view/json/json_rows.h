// Groups of members that several JSON outputs have in common; doc/json.md says what they mean.
#ifndef CLEW_VIEW_JSON_ROWS_H
#define CLEW_VIEW_JSON_ROWS_H

#include "model/model.h"
#include "view/json/json.h"

// What was recorded: command, clock, totals, how whole it is.
void json_session(struct json *json, const struct model *model);
// Ticks as ns; null when not known or the session has no times.
void json_ticks(struct json *json, const struct model *model, const char *key, uint64_t ticks, bool known);
// A moment as ns since the session's start; null when it is 0.
void json_moment(struct json *json, const struct model *model, const char *key, uint64_t clock);
// Name, module, kind of the method with that index in the catalog.
void json_method(struct json *json, const struct model *model, uint32_t index);
void json_thread(struct json *json, const struct model *model, const struct catalog_thread *row);

#endif
