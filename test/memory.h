// Lets a test refuse memory, from the heap or mapped. Only allocations that the test watches are counted and refused.
#ifndef CLEW_TEST_MEMORY_H
#define CLEW_TEST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

// Whether allocations of this thread are watched. A test sets it around the tested code.
extern __thread bool memory_watched;

// Makes watched allocation number `from` fail (1 is the next), and all later ones with `all`. 0: none fails.
void memory_fail(uint32_t from, bool all);
uint32_t memory_asked(void); // watched allocations since memory_fail()
int64_t memory_held(void);   // watched allocations less watched frees, in blocks

// Runs the script again and again with its allocations watched: the first run with its first allocation refused, the next
// with its second, until a run needs no more. Then it does the same with all later allocations refused too. Ends the
// process with a message on stderr if a script leaks memory (under sanitizers, they look for leaks) or leaves files open. A
// script checks its own results, may call memory_refused(), and does not watch allocations for its own needs.
void memory_fail_in_turn(void (*script)(void *context), void *context);
bool memory_refused(void); // since the last memory_fail()

#endif
