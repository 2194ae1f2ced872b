// Decides which methods are in scope: those that patterns name, or by default my code, which is the entry assembly and all
// modules with matching symbols outside the framework. The scope itself is agent.scope (session/scope.h).
#ifndef CLEW_AGENT_IN_SCOPE_H
#define CLEW_AGENT_IN_SCOPE_H

#include <stdint.h>

#include "agent/loaded/modules.h"
#include "agent/session/scope.h"

// The instruments out of `instruments` that can have a method of the module in their scope. 0: the module is left alone, and
// its precompiled code runs. Needs no lock.
uint32_t scope_may_have(const struct scope *scope, uint32_t instruments, const struct module *module);
// The instruments out of `instruments` that have the method in their scope. Needs the module's lock, since it composes the
// method's name if there are patterns.
uint32_t scope_has(const struct scope *scope, uint32_t instruments, struct module *module, uint32_t token);

#endif
