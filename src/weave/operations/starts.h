// Methods that a body hands over to be run elsewhere: to Task.Run, a timer, a thread and the like. What they do there is work
// that the program has started itself, although nothing recorded calls them.
//
// Only what compilers make of a lambda, a local function or a method group right in the call's arguments counts: of a delegate that
// goes through a variable it is not known who calls it.
#ifndef CLEW_WEAVE_STARTS_H
#define CLEW_WEAVE_STARTS_H

#include "il/body.h"
#include "il/stack.h"
#include "metadata/tables/metadata.h"

// Whether a delegate is handed over to be run elsewhere; else it is not known who calls it. `at` loads the method's address (ldftn).
bool weave_starts(const struct metadata *metadata, const struct il_scope *scope, const struct il_stacks *stacks,
                  const struct il_instruction *at);
// The MethodDef whose address an instruction loads for a delegate; 0: none, or it is not one of this module.
uint32_t weave_delegated(const struct metadata *metadata, const struct il_instruction *at);
// Whether code of other modules may call the method, or what it overrides or implements, without a delegate.
bool weave_is_reachable(const struct metadata *metadata, uint32_t method_token);

#endif
