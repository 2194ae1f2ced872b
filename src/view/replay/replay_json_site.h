// Statements and values in the format json.
#ifndef CLEW_VIEW_REPLAY_JSON_SITE_H
#define CLEW_VIEW_REPLAY_JSON_SITE_H

#include "view/json/json.h"
#include "view/replay/replay_context.h"

// Prints the event of a SITE step as one line. Prints nothing if its site is not defined.
enum clew_error replay_json_site(struct replay_context *context, const struct timeline_step *step);

// Writes the member `call`: the number of the activation that the step is of, if the recording has numbers there.
void replay_json_call(struct json *json, const struct timeline_step *step);

#endif
