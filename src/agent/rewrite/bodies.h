// Hands new method bodies to the runtime.
#ifndef CLEW_AGENT_BODIES_H
#define CLEW_AGENT_BODIES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"
#include "base/bytes.h"
#include "base/error.h"
#include "clr/profiling.h"
#include "il/body.h"

struct body_owner {
    struct module *module;
    clr_id function;
    uint32_t token;
};
// Gives the runtime a method's new body: `encoded` by il_encode() from `body`, which says what went where. *lines: false
// if the method is so large that its stack traces may show lines before those that ran; NULL: the caller does not ask.
enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded,
                               bool *lines);
void bodies_free(struct module *module);

#endif
