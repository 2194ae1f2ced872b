// Which methods the scope has.
#ifndef CLEW_AGENT_IN_SCOPE_H
#define CLEW_AGENT_IN_SCOPE_H

#include <stdint.h>

#include "agent/loaded/modules.h"
#include "agent/session/scope.h"

// Which of `instruments` could have a method of the module in their scope.
uint32_t scope_may_have(const struct scope *scope, uint32_t instruments, const struct module *module);
// Which of `instruments` have the method in their scope. The caller holds the module's lock.
uint32_t scope_has(const struct scope *scope, uint32_t instruments, struct module *module, uint32_t token);

#endif
