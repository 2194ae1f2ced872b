// Statements and values in the format json.
#ifndef CLEW_VIEW_REPLAY_JSON_SITE_H
#define CLEW_VIEW_REPLAY_JSON_SITE_H

#include "view/json/json.h"
#include "view/replay/replay_context.h"

// Writes the members of a SITE step, whose site is given. context->text.failed: memory ran out.
void replay_json_site(struct json *json, struct replay_context *context, const struct event_step *step,
                      const struct site *site);

// Opens the object of any step, and writes its members; the caller closes it. False: nothing was written, since the step's
// site is not defined.
bool replay_json_step(struct json *json, struct replay_context *replay, const struct event_step *step);

// Writes the member `call`: the number of the activation that the step is of, if the recording has numbers there.
void replay_json_call(struct json *json, const struct event_step *step);

// Writes the members of a statement's position; `line` is null without symbols.
void replay_json_range(struct json *json, const struct replay_context *context, const struct event_step *step,
                       const struct site *site);

#endif
