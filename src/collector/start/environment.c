// Source of facts: "Runtime configuration options for debugging and profiling" in the documentation of .NET.
#include "collector/start/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "ring/handshake.h"

enum { PATH_SIZE = 4096 };

// As the runtime does, which takes numbers in its variables as hexadecimal.
static bool number_is(const char *name, bool nonzero)
{
    const char *value = getenv(name);
    return value && *value && (strtoul(value, NULL, 16) != 0) == nonzero;
}

static bool diagnostics_off(struct buffer *why)
{
    static const char *const names[] = {"DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics",
                                        "DOTNET_EnableDiagnostics_Profiler", "COMPlus_EnableDiagnostics_Profiler"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (number_is(names[i], false)) {
            buffer_printf(why, "%s=%s keeps the runtime from loading any profiler; unset it to record", names[i],
                          getenv(names[i]));
            return true;
        }
    }
    return false;
}

static bool other_profiler(struct buffer *why)
{
    const char *class = getenv("CORECLR_PROFILER");
    if (!number_is("CORECLR_ENABLE_PROFILING", true) || !class || strcasecmp(class, CLEW_CLSID) == 0) {
        return false;
    }
    const char *path = getenv("CORECLR_PROFILER_PATH_64");
    path = path && *path ? path : getenv("CORECLR_PROFILER_PATH");
    buffer_printf(
        why,
        "another profiler is set in the environment (CORECLR_PROFILER=%s%s%s) and the runtime takes only one; "
        "unset CORECLR_ENABLE_PROFILING to record",
        class, path ? ", " : "", path ? path : "");
    return true;
}

bool environment_obstacle(struct buffer *why)
{
    return diagnostics_off(why) || other_profiler(why);
}

static char *candidate(const char *folder, const char *between)
{
    char joined[PATH_SIZE];
    int size = snprintf(joined, sizeof joined, "%s%s%s", folder, between, CLEW_AGENT_FILE);
    return size > 0 && (size_t)size < sizeof joined ? realpath(joined, NULL) : NULL;
}

char *environment_agent(struct buffer *why)
{
    char folder[PATH_SIZE];
    ssize_t size = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[1] = '\0';
    }
    char *path = candidate(folder, "");
    path = path ? path : candidate(folder, CLEW_AGENT_FOLDER "/");
    struct stat status;
    if (!path || stat(path, &status) != 0) {
        buffer_printf(why, "the agent %s is neither beside clew nor in " CLEW_AGENT_FOLDER "; install clew again",
                      CLEW_AGENT_FILE);
        free(path);
        return NULL;
    }
    bool others = status.st_mode & S_IWGRP && status.st_gid != 0 && status.st_gid != getegid();
    if ((status.st_uid != 0 && status.st_uid != geteuid()) || others || status.st_mode & S_IWOTH) {
        buffer_printf(why, "the agent %s could be changed by others; give it to root or to yourself, mode 0755", path);
        free(path);
        return NULL;
    }
    return path;
}
