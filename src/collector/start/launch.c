// The child is forked before the collector, so that it inherits neither the collector's descriptors nor its higher
// limit of open files. It waits on a pipe: a byte means exec, the end of the pipe means that its parent died or gave
// up.
#include "collector/start/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "collector/start/profiler_environment.h"
#include "ring/handshake.h"

extern char **environ;

// -- Finding ----------------------------------------------------------------------------------------------------------

static bool is_program(const char *path, bool *exists)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    *exists = true;
    return S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static char *join(const char *folder, size_t size, const char *name)
{
    char *path = NULL;
    int made = size ? asprintf(&path, "%.*s/%s", (int)size, folder, name) : asprintf(&path, "./%s", name);
    return made < 0 ? NULL : path;
}

int launch_find(const char *name, char **path)
{
    bool exists = false;
    *path = NULL;
    if (strchr(name, '/')) {
        if (is_program(name, &exists)) {
            *path = strdup(name);
        }
        return *path ? 0 : exists ? 126 : 127;
    }
    const char *folder = getenv("PATH");
    folder = folder ? folder : "/usr/local/bin:/usr/bin:/bin";
    while (*name) {
        size_t size = strcspn(folder, ":");
        char *candidate = join(folder, size, name);
        if (candidate && is_program(candidate, &exists)) {
            *path = candidate;
            return 0;
        }
        free(candidate);
        if (folder[size] == '\0') {
            break;
        }
        folder += size + 1;
    }
    return exists ? 126 : 127;
}

// -- Starting ---------------------------------------------------------------------------------------------------------

static bool set_environment(const struct launch *launch)
{
    return !launch->agent || (profiler_environment_set(CLEW_CLSID, launch->agent) &&
                              setenv(CLEW_SESSION_VARIABLE, launch->socket_path, 1) == 0);
}

// Like shells: a file without NUL in its first bytes is a script.
static bool is_text(const char *path)
{
    char start[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, start, sizeof start) : -1;
    if (fd >= 0) {
        (void)close(fd); // only read from
    }
    return size >= 0 && !memchr(start, 0, (size_t)size);
}

// Like shells, runs a script without #! by /bin/sh.
static void execute(const struct launch *launch)
{
    (void)execve(launch->path, launch->command, environ); // returns only on failure
    if (errno != ENOEXEC) {
        return;
    }
    if (!is_text(launch->path)) {
        errno = ENOEXEC;
        return;
    }
    size_t count = 0;
    while (launch->command[count]) {
        count++;
    }
    char **words = calloc(count + 2, sizeof *words);
    if (!words) {
        return;
    }
    CLEW_ASSERT(count > 0 && "a command has a name");
    words[0] = (char[]){"sh"};
    words[1] = strdup(launch->path);
    for (size_t i = 1; i < count; i++) {
        words[i + 1] = launch->command[i];
    }
    (void)execve("/bin/sh", words, environ); // returns only on failure
}

_Noreturn static void run_child(const struct launch *launch, int start, int errors)
{
    char byte;
    ssize_t got;
    do {
        got = read(start, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 1) {
        (void)sigprocmask(SIG_SETMASK, &launch->mask, NULL); // cannot fail with these arguments
        errno = ENOMEM;
        if (set_environment(launch)) {
            execute(launch);
        }
        int number = errno;
        (void)!write(errors, &number, sizeof number); // on failure the parent only sees the exit status
    }
    _exit(127);
}

bool launch_fork(const struct launch *launch, struct launched *out)
{
    int start[2], errors[2];
    if (pipe2(start, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(errors, O_CLOEXEC) != 0) {
        (void)close(start[0]); // unused pipes
        (void)close(start[1]);
        return false;
    }
    out->pid = fork();
    if (out->pid == 0) {
        (void)close(start[1]); // otherwise the read below would not see the parent die
        (void)close(errors[0]);
        if (launch->writer) {
            (void)recording_close(launch->writer, NULL); // nothing is gathered yet, so this writes nothing
        }
        run_child(launch, start[0], errors[1]);
    }
    (void)close(start[0]);
    (void)close(errors[1]);
    out->start = start[1];
    out->errors = errors[0];
    if (out->pid < 0) {
        launch_forget(out);
        return false;
    }
    return true;
}

int launch_release(struct launched *launched)
{
    int number = 0;
    ssize_t got = write(launched->start, "", 1);
    do {
        got = read(launched->errors, &number, sizeof number);
    } while (got < 0 && errno == EINTR);
    launch_forget(launched);
    return got == (ssize_t)sizeof number ? number : 0;
}

void launch_forget(struct launched *launched)
{
    (void)close(launched->start); // pipes of ours
    (void)close(launched->errors);
}
