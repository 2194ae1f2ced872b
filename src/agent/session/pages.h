// Memory for sparse tables. Pages exist once they are touched, and read as zeroes until then. May be called in the
// middle of managed code: mmap() takes no lock of libc.
#ifndef CLEW_AGENT_PAGES_H
#define CLEW_AGENT_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

// Never freed, unless the caller does with munmap(). NULL: there is no room in the address space.
static inline void *pages_new(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

#endif
