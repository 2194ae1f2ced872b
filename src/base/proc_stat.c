#include "base/proc_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The space in front of field `number`; `at` is the end of field `from`. NULL when there are fewer fields.
static const char *field(const char *at, int from, int number)
{
    for (; at && from < number; from++) {
        at = strchr(at + 1, ' ');
    }
    return at;
}

// Field 2, the name in brackets, may contain anything, so parsing starts behind its last bracket.
static bool parse(const char *text, struct proc_stat *out)
{
    enum { NAME = 2, STATE = 3, PARENT = 4, STARTED = 22, EXIT_STATUS = 52 };
    const char *name_end = strrchr(text, ')');
    const char *state = field(name_end, NAME, STATE), *parent = field(state, STATE, PARENT);
    const char *started = field(parent, PARENT, STARTED);
    const char *exit_status = field(started, STARTED, EXIT_STATUS);
    unsigned long long ticks;
    if (!exit_status || sscanf(parent, " %d", &out->parent) != 1 || sscanf(started, " %llu", &ticks) != 1 ||
        sscanf(exit_status, " %d", &out->exit_status) != 1) {
        return false;
    }
    out->state = state[1];
    out->started = ticks;
    return true;
}

bool proc_stat_read(pid_t pid, struct proc_stat *out)
{
    char path[64], text[1024];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t size = read(fd, text, sizeof text - 1);
    (void)close(fd); // only read from
    text[size > 0 ? size : 0] = '\0';
    return parse(text, out);
}
