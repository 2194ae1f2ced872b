// Stands before libc's allocation functions for the whole process: the agent's references are bound to the executable's
// functions first. Under sanitizers, which do the same, the agent is linked with its references wrapped instead.
#include "memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime.h"

#ifdef FAKECLR_WRAP
#define OURS(name) __wrap_##name
#define REAL(name) name
#else
#define OURS(name) name
#define REAL(name) __libc_##name
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
#endif

__attribute__((visibility("default"))) void *OURS(malloc)(size_t size);
__attribute__((visibility("default"))) void *OURS(calloc)(size_t count, size_t size);
__attribute__((visibility("default"))) void *OURS(realloc)(void *old, size_t size);

static _Atomic uint32_t asked, fail_from;
static bool fail_all;

void memory_fail(uint32_t from, bool all)
{
    atomic_store(&asked, 0);
    fail_all = all;
    atomic_store(&fail_from, from);
}

uint32_t memory_asked(void)
{
    return atomic_load(&asked);
}

static bool refused(void)
{
    if (!fake_in_agent) {
        return false;
    }
    uint32_t number = atomic_fetch_add(&asked, 1) + 1;
    uint32_t from = atomic_load(&fail_from);
    bool is = from && (number == from || (fail_all && number > from));
    errno = is ? ENOMEM : errno;
    return is;
}

void *OURS(malloc)(size_t size)
{
    return refused() ? NULL : REAL(malloc)(size);
}

void *OURS(calloc)(size_t count, size_t size)
{
    return refused() ? NULL : REAL(calloc)(count, size);
}

void *OURS(realloc)(void *old, size_t size)
{
    return refused() ? NULL : REAL(realloc)(old, size);
}
