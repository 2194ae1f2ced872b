// Memory that runs out where a test wants it to, from the heap or mapped: of all allocations only those that a test
// watches are counted and refused.
#ifndef CLEW_TEST_MEMORY_H
#define CLEW_TEST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

// Whether what this thread allocates is the tested code's own; set around that code.
extern __thread bool memory_watched;

// Watched allocation number `from` (1 is the next) fails, and with `all` every one after. 0: none fails.
void memory_fail(uint32_t from, bool all);
uint32_t memory_asked(void); // watched allocations since then
int64_t memory_held(void);   // blocks that were allocated watched, less those that were freed watched

// Plays the script watched, again and again: its first allocation fails, its second, and so on until it comes to its end
// without; then the same with all the allocations after failing too. Ends the process, with a word on stderr, when a script
// frees less than it was given (where sanitizers look for leaks that is left to them), or leaves files open. A script checks
// for itself what comes of it, may look at memory_refused(), and unwatches what it allocates for its own needs.
void memory_fail_in_turn(void (*script)(void *context), void *context);
bool memory_refused(void); // since the last memory_fail()

#endif
