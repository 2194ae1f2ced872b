// Decides which methods are in scope: those that patterns name, or by default my code
// (module_is_my_code() in trace/kinds.h). The scope itself is agent.scope (session/scope.h). It is given for the
// instruments that the user asked for; where hooks record, others may take their place.
#ifndef CLEW_AGENT_IN_SCOPE_H
#define CLEW_AGENT_IN_SCOPE_H

#include <stdint.h>

#include "agent/loaded/modules.h"
#include "trace/scope.h"

// The instruments that can record methods of the module. 0: the module is left alone, and its precompiled code runs. Needs no
// lock.
uint32_t scope_may_have(const struct module *module);
// The instruments that record the method. Needs the module's lock, since it composes the method's name if there are patterns.
uint32_t scope_has(struct module *module, uint32_t token);

#endif
