// The environment in which runtimes load a profiler.
#ifndef CLEW_COLLECTOR_PROFILER_ENVIRONMENT_H
#define CLEW_COLLECTOR_PROFILER_ENVIRONMENT_H

#include <stdbool.h>

// Sets the environment of this process so that the runtimes of its children load that profiler, and no other one. `class`:
// its class identifier in braces; `path` is absolute. False when memory runs out.
bool profiler_environment_set(const char *class, const char *path);

#endif
