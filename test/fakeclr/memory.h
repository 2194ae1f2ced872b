// Memory that runs out where a test wants it to: only the agent's own allocations are counted and refused.
#ifndef CLEW_FAKECLR_MEMORY_H
#define CLEW_FAKECLR_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

// Allocation number `from` of the agent (1 is the next) fails, and with `all` every one after. 0: none fails.
void memory_fail(uint32_t from, bool all);
uint32_t memory_asked(void); // allocations of the agent since then

#endif
