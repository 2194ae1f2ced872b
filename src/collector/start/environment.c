// Source of facts: "Runtime configuration options for debugging and profiling" in the documentation of .NET.
#include "collector/start/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "ring/clew_file.h"
#include "ring/handshake.h"

enum { PATH_SIZE = 4096 };

bool environment_number(const char *value, unsigned long *out)
{
    char *end;
    *out = value ? strtoul(value, &end, 16) : 0;
    return value && end != value;
}

// Of a switch with two names, the runtime reads the newer one if it is set.
static bool off(const char *newer, const char *older, struct buffer *why)
{
    const char *set = getenv(newer);
    const char *name = set && *set ? newer : older, *value = getenv(name);
    unsigned long number;
    if (!environment_number(value, &number) || number) {
        return false;
    }
    buffer_printf(why, "%s=%s keeps the runtime from loading any profiler; unset it", name, value);
    return true;
}

bool environment_diagnostics_off(struct buffer *why)
{
    return off("DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics", why) ||
           off("DOTNET_EnableDiagnostics_Profiler", "COMPlus_EnableDiagnostics_Profiler", why);
}

// A variable that tells the runtime about its profiler.
struct setting {
    const char *name, *value; // value NULL: not set
};

// .NET 11 reads each of them with the prefix DOTNET_, too, and takes that one if it is set.
static struct setting setting_of(const char *newer, const char *older, bool net11)
{
    const char *value = net11 ? getenv(newer) : NULL;
    const char *name = value && *value ? newer : older;
    value = getenv(name);
    return (struct setting){name, value && *value ? value : NULL};
}

static bool other_profiler(bool net11, struct buffer *why)
{
    struct setting enabled = setting_of("DOTNET_ENABLE_PROFILING", "CORECLR_ENABLE_PROFILING", net11);
    struct setting class = setting_of("DOTNET_PROFILER", "CORECLR_PROFILER", net11);
    struct setting path = setting_of("DOTNET_PROFILER_PATH_64", "CORECLR_PROFILER_PATH_64", net11);
    unsigned long number;
    if (!environment_number(enabled.value, &number) || !number || !class.value ||
        strcasecmp(class.value, CLEW_CLSID) == 0) {
        return false;
    }
    path = path.value ? path : setting_of("DOTNET_PROFILER_PATH", "CORECLR_PROFILER_PATH", net11);
    buffer_printf(why,
                  "another profiler is set in the environment (%s=%s%s%s) and the runtime takes only one; unset %s to "
                  "record",
                  class.name, class.value, path.value ? ", " : "", path.value ? path.value : "", enabled.name);
    return true;
}

bool environment_obstacle(struct buffer *why)
{
    return environment_diagnostics_off(why) || other_profiler(false, why) || other_profiler(true, why);
}

static char *candidate(const char *folder, const char *between)
{
    char joined[PATH_SIZE];
    int size = snprintf(joined, sizeof joined, "%s%s%s", folder, between, CLEW_AGENT_FILE);
    return size > 0 && (size_t)size < sizeof joined ? realpath(joined, NULL) : NULL;
}

bool environment_trusts(const char *agent, struct buffer *why)
{
    struct stat status;
    if (stat(agent, &status) != 0) {
        buffer_printf(why, "the agent %s cannot be read: %s", agent, strerror(errno));
        return false;
    }
    bool others = status.st_mode & S_IWGRP && status.st_gid != 0 && status.st_gid != getegid();
    if ((status.st_uid != 0 && status.st_uid != geteuid()) || others || status.st_mode & S_IWOTH) {
        buffer_printf(why, "the agent %s could be changed by others; give it to root or to yourself, mode 0755", agent);
        return false;
    }
    return true;
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
    if (!path) {
        buffer_printf(why, "the agent %s is neither beside clew nor in " CLEW_AGENT_FOLDER "; install clew again",
                      CLEW_AGENT_FILE);
    } else if (!environment_trusts(path, why)) {
        free(path);
        path = NULL;
    }
    return path;
}

bool environment_clew(const char *agent, struct buffer *path)
{
    char file[PATH_SIZE] = "";
    bool there = clew_file_of(agent, file, sizeof file);
    buffer_clear(path);
    buffer_append(path, file, strlen(file) + 1);
    return there && !path->failed;
}
