// Where a module comes from: the framework, the SDK or a test framework, a package, or the user. Each module is asked once, when it
// is loaded; the flags say it to the scope and to the recording (module_is_my_code() in trace/kinds.h).
#ifndef CLEW_AGENT_ORIGIN_H
#define CLEW_AGENT_ORIGIN_H

#include "agent/loaded/modules.h"

// The flags (enum module_flag) on which the scope depends. Looks for symbols.
uint32_t origin_flags(const struct module *module, const char *path);

#endif
