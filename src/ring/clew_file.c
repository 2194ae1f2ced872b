#include "ring/clew_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool clew_file_of(const char *agent, char *path, size_t size)
{
    static const char *const places[] = {"clew", "../../bin/clew"};
    const char *slash = strrchr(agent, '/');
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int made = snprintf(path, size, "%.*s%s", slash ? (int)(slash + 1 - agent) : 0, agent, places[i]);
        if (made > 0 && (size_t)made < size && access(path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}
