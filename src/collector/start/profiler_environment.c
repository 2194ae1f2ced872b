// Runtimes prefer a path for their processor to that for all, and .NET 11 prefers each variable with DOTNET_ in its name to
// that with CORECLR_. So inherited ones have to go.
#include "collector/start/profiler_environment.h"

#include <stdlib.h>

bool profiler_environment_set(const char *class, const char *path)
{
    static const char *const others[] = {
        "CORECLR_PROFILER_PATH_64", "CORECLR_PROFILER_PATH_ARM64", "DOTNET_ENABLE_PROFILING",   "DOTNET_PROFILER",
        "DOTNET_PROFILER_PATH",     "DOTNET_PROFILER_PATH_64",     "DOTNET_PROFILER_PATH_ARM64"};
    bool set = setenv("CORECLR_ENABLE_PROFILING", "1", 1) == 0 && setenv("CORECLR_PROFILER", class, 1) == 0 &&
               setenv("CORECLR_PROFILER_PATH", path, 1) == 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        set = set && unsetenv(others[i]) == 0;
    }
    return set;
}
