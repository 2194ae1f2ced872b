// Adds tokens and signatures to a module's metadata that woven code needs beside those that the module came with: signatures of
// the probes, local variables, types of values. Additions exist in the running program only.
#ifndef CLEW_AGENT_EMITTING_H
#define CLEW_AGENT_EMITTING_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"
#include "base/bytes.h"
#include "base/error.h"
#include "il/body.h"

// At module load: opens the module's metadata for writing (5 ms and 8 MB for the first module) and adds the signatures of the
// probes; with `for_sites` those of site probes too. False: the runtime refuses, and no method of the module is changed.
bool emitting_prepare(struct module *module, bool for_sites);
void emitting_end(struct module *module);
// These need the module's lock.

// The token of a TypeSpec with this signature, added if the module has none. False: refused, or memory ran out.
bool emitting_type_token(struct module *module, struct bytes signature, uint32_t *token);
// Appends `count` locals of these types to the body's local signature; *first is the index of the first one.
enum clew_error emitting_append_locals(struct module *module, struct il_body *body, struct bytes types, uint32_t count,
                                       uint32_t *first);
// The blob of a signature that was added here; empty for any other token. `context` is the module: struct il_tokens calls
// this for tokens that the original metadata does not have.
struct bytes emitting_blob(const void *context, uint32_t token);

#endif
