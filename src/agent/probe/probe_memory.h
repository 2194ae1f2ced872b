// Whether memory can be read at all, for addresses that come from the program's variables.
#ifndef CLEW_AGENT_PROBE_MEMORY_H
#define CLEW_AGENT_PROBE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The 8 bytes at a multiple of 8. A system call, some 100 ns.
bool memory_readable(uintptr_t address);

#pragma GCC visibility pop

#endif
