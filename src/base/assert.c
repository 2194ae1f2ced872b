#include "base/assert.h"

#ifdef CLEW_ASSERTIONS

#include <string.h>
#include <unistd.h>

_Noreturn void clew_assert_failed(const char *where)
{
    ssize_t ignored = write(STDERR_FILENO, where, strlen(where)); // no stdio: its locks may be held
    (void)ignored;
    __builtin_trap();
}

#endif
