// Whether memory is readable, for addresses from variables of the program that may not be addresses at all.
#ifndef CLEW_AGENT_PROBE_MEMORY_H
#define CLEW_AGENT_PROBE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Whether the 8 bytes at `address`, a multiple of 8, can be read. Makes a system call, which takes some 100 ns.
bool memory_readable(uintptr_t address);

#pragma GCC visibility pop

#endif
