// Groups of members that several JSON outputs share. doc/json.md defines them.
#ifndef CLEW_VIEW_JSON_ROWS_H
#define CLEW_VIEW_JSON_ROWS_H

#include "model/waits.h"
#include "view/json/json.h"

// Describes the recording: command, clock, totals, completeness.
void json_session(struct json *json, const struct model *model);
// Writes ticks as nanoseconds; null if not known, or if the session has no times.
void json_ticks(struct json *json, const struct model *model, const char *key, uint64_t ticks, bool known);
// Writes a moment as nanoseconds since the session's start; null if `clock` is 0.
void json_moment(struct json *json, const struct model *model, const char *key, uint64_t clock);
// Writes the name, module and kind of a method, by its index in the catalog.
void json_method(struct json *json, const struct model *model, uint32_t index);
// The same without the name.
void json_method_place(struct json *json, const struct model *model, uint32_t index);
// Writes the member `awaits`: places where activations waited.
void json_awaits(struct json *json, const struct model *model, const struct wait *waits, uint32_t count);

#endif
