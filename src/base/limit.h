// Limits in time: how long clew waits before it gives up. In what ships a limit is a constant. Where assertions are
// compiled (base/assert.h) it is a variable, and a test that waits for it to pass makes it short.
//
// Limits are no fields of structures, since the code that waits shares no structure with tests: the agent's end of the
// handshake is one call, and its report of definitions is inside a library that the test loads. The variable is weak, so
// that one line in a header both declares and defines it; the linker keeps one for all files. The agent with assertions
// exports its limits: a program that includes the same header and loads that agent shares them with it (test/fakeclr/).
#ifndef CLEW_BASE_LIMIT_H
#define CLEW_BASE_LIMIT_H

#include <stdint.h>

// Declares a limit of type uint64_t. `name` ends in _LIMIT_ and a unit: agent/exports.map lists limits by that.
#ifdef CLEW_ASSERTIONS
#define CLEW_LIMIT(name, value) __attribute__((weak, visibility("default"))) uint64_t name = (value)
#else
#define CLEW_LIMIT(name, value) static const uint64_t name __attribute__((unused)) = (value)
#endif

#endif
