// Assertions: invariants of clew's own, never of data from outside, which is checked and reported instead.
//
//     CLEW_ASSERT(condition)      at run time, where CLEW_ASSERTIONS is defined: in what tests link and under sanitizers.
//                                 Elsewhere, as in what ships, the condition is compiled and not evaluated.
//     static_assert(...)          while compiling
//
// A condition has no side effects. Where it does not say by itself what it stands for, it says so in words:
// CLEW_ASSERT(depth > 0 && "a LEAVE ends an activation").
#ifndef CLEW_BASE_ASSERT_H
#define CLEW_BASE_ASSERT_H

#include <assert.h> // static_assert

#ifdef CLEW_ASSERTIONS

// Ends the process by a trap. Writes WHERE to stderr first; the agent, a guest in its process, writes nothing
// (agent/session/failed_assertion.c).
_Noreturn void clew_assert_failed(const char *where);

#define CLEW_ASSERT_TEXT_(line) #line
#define CLEW_ASSERT_AT_(line, text) __FILE__ ":" CLEW_ASSERT_TEXT_(line) ": assertion failed: " text "\n"
#define CLEW_ASSERT(condition) ((condition) ? (void)0 : clew_assert_failed(CLEW_ASSERT_AT_(__LINE__, #condition)))

#else
#define CLEW_ASSERT(condition) ((void)sizeof(!(condition)))
#endif

#endif
