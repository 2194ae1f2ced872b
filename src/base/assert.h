// Assertions state invariants of clew itself. Data from outside is never asserted about: it is checked, and errors are
// reported.
//
//     CLEW_ASSERT(condition)      at run time if CLEW_ASSERTIONS is defined: in tests and under sanitizers. Otherwise, as in
//                                 releases, the condition is compiled but not evaluated.
//     static_assert(...)          at compile time
//
// A condition must not have side effects. If its meaning is not obvious, it ends with an explanation:
// CLEW_ASSERT(depth > 0 && "a LEAVE ends an activation").
#ifndef CLEW_BASE_ASSERT_H
#define CLEW_BASE_ASSERT_H

#include <assert.h> // static_assert

#ifdef CLEW_ASSERTIONS

// Traps, which ends the process. Writes `where` to stderr first; the agent, a guest in its process, writes nothing
// (agent/session/failed_assertion.c).
_Noreturn void clew_assert_failed(const char *where);

#define CLEW_ASSERT_TEXT_(line) #line
#define CLEW_ASSERT_AT_(line, text) __FILE__ ":" CLEW_ASSERT_TEXT_(line) ": assertion failed: " text "\n"
#define CLEW_ASSERT(condition) ((condition) ? (void)0 : clew_assert_failed(CLEW_ASSERT_AT_(__LINE__, #condition)))

#else
#define CLEW_ASSERT(condition) ((void)sizeof(!(condition)))
#endif

#endif
