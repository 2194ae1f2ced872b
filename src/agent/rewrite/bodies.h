// Hands new method bodies to the runtime and owns their memory.
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
    struct bytes original; // the body that the runtime had before, which belongs to the module
};
// Gives the runtime a method's new body: il_encode() wrote `encoded` from `body`, which maps old offsets to new ones.
// During JITCompilationStarted of the method. *lines: false if the method is so large that
// its stack traces may show earlier lines than those that ran; NULL: the caller does not ask.
enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded,
                               bool *lines);
// Whether the body of a method of the core library, which gets no new signatures, is still valid.
bool body_is_valid(const struct body_owner *owner, const struct il_body *body);
// The body of a method that was handed over and lies at `il`; NULL: there is none. Lock-free.
struct module_body *body_find(const struct module *module, uint32_t token, const uint8_t *il);
// Frees all bodies of a module that the runtime has unloaded.
void bodies_free(struct module *module);

#endif
