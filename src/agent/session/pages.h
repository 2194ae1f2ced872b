// Memory for tables that are far larger than what is used of them: pages exist once touched, and read as zeroes until then.
// May be asked for in the middle of managed code.
#ifndef CLEW_AGENT_PAGES_H
#define CLEW_AGENT_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

// NULL when there is no room in the address space.
static inline void *pages_new(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

#endif
