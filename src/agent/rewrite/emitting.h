// Tokens and signatures that woven code needs beside those that a module came with.
#ifndef CLEW_AGENT_EMITTING_H
#define CLEW_AGENT_EMITTING_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"
#include "base/bytes.h"
#include "base/error.h"
#include "il/body.h"

// At module load: opens the module's metadata for emitting, makes what all methods need, and those with sites. False: the
// runtime does not let it be extended.
bool emitting_prepare(struct module *module, bool for_sites);
void emitting_end(struct module *module);
// These need the module's lock.
// A TypeSpec for the type.
bool emitting_type_token(struct module *module, struct bytes signature, uint32_t *token);
// Gives the body a signature of its locals with `count` more of these types; *first is the first one's number.
enum clew_error emitting_append_locals(struct module *module, struct il_body *body, struct bytes types, uint32_t count,
                                       uint32_t *first);
// The blob of a signature that was made here; empty when it was not. `context`: the module, as struct il_tokens has it.
struct bytes emitting_blob(const void *context, uint32_t token);

#endif
