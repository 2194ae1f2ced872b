// The agent is a guest: when one of its invariants is broken it writes nothing into its host's stderr. This definition
// takes the place of base/assert.c's, which the linker then leaves in its archive.
#include "base/assert.h"

#ifdef CLEW_ASSERTIONS

_Noreturn void clew_assert_failed(const char *where)
{
    (void)where;
    __builtin_trap();
}

#endif
