// The loader is run in the environment that the program gets, since LD_LIBRARY_PATH and the like count.
#include "collector/start/dependencies.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

enum { OUTPUT_MAX = 1 << 18, NAMES_MAX = 8 };

extern char **environ;

// Starts the loader with stdout and stderr on the pipe. LD_TRACE_LOADED_OBJECTS makes that of glibc list instead of run.
_Noreturn static void run_loader(const char *loader, const char *path, int output)
{
    char *const words[] = {strdup(loader), strdup(path), NULL};
    bool ready = words[0] && words[1] && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
                 setenv("LD_TRACE_LOADED_OBJECTS", "1", 1) == 0 && unsetenv("LD_WARN") == 0 &&
                 unsetenv("LD_BIND_NOW") == 0 && unsetenv("LD_DEBUG") == 0;
    if (ready) {
        (void)execve(loader, words, environ); // returns only on failure
    }
    _exit(126);
}

// Reads to the end, but keeps no more than OUTPUT_MAX.
static void read_all(int fd, struct buffer *output)
{
    char part[4096];
    ssize_t got;
    while ((got = read(fd, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0 && output->size < OUTPUT_MAX) {
            buffer_append(output, part, (size_t)got);
        }
    }
}

// False when the loader could not be started.
static bool ask_loader(const char *loader, const char *path, struct buffer *output, int *status)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        run_loader(loader, path, ends[1]);
    }
    (void)close(ends[1]);
    if (pid > 0) {
        read_all(ends[0], output);
    }
    (void)close(ends[0]);
    pid_t ended = -1;
    while (pid > 0 && (ended = waitpid(pid, status, 0)) < 0 && errno == EINTR) {
    }
    return ended == pid && pid > 0 && !(WIFEXITED(*status) && WEXITSTATUS(*status) == 126);
}

// "\tlibstub.so => not found"
static bool take_missing(struct text line, struct text *name)
{
    struct text words = text_trimmed(line);
    *name = text_take_word(&words);
    return name->size && text_equal(words, text_of("=> not found"));
}

// "lib.so: /lib/libc.so.6: version `GLIBC_2.99' not found (required by lib.so)". What comes before the version is a path
// of the loader's making.
static bool is_too_old(struct text line)
{
    return memmem(line.at, line.size, "' not found (required by ", 25) != NULL;
}

// The loader's own words, without the path that it begins with.
static struct text without_path(struct text line, const char *path)
{
    size_t size = strlen(path);
    return text_starts(line, path) && line.size > size + 2 ? text_from(line, size + 2) : line;
}

bool dependencies_found(const char *path, const char *loader, struct buffer *why)
{
    struct buffer output = {0}, missing = {0};
    struct text old = {0}, last = {0}, line, name;
    int status = 0;
    uint32_t count = 0;
    // The loader looks for a name without a slash elsewhere.
    char *file = NULL;
    if (asprintf(&file, "%s%s", strchr(path, '/') ? "" : "./", path) < 0) {
        return true;
    }
    // That of musl would run the file, not list what it needs.
    if (!strstr(loader, "ld-linux") || !ask_loader(loader, file, &output, &status)) {
        buffer_free(&output);
        free(file);
        return true; // there is nobody to ask
    }
    for (struct text rest = text_in(&output); text_take_line(&rest, &line);) {
        if (take_missing(line, &name)) {
            if (count++ < NAMES_MAX) {
                buffer_printf(&missing, "%s%.*s", count > 1 ? ", " : "", (int)name.size, name.at);
            }
        } else if (is_too_old(line) && !old.size) {
            old = without_path(line, file);
        }
        last = line.size ? line : last;
    }
    if (count) {
        buffer_printf(why,
                      "%s needs %.*s%s, which the dynamic loader does not find; install %s, or name the folder with "
                      "LD_LIBRARY_PATH",
                      path, (int)missing.size, (const char *)missing.data, count > NAMES_MAX ? ", ..." : "",
                      count > 1 ? "them" : "it");
    } else if (old.size) {
        buffer_printf(why, "%s needs newer libraries than this machine has: %.*s; take a build for this system", path,
                      (int)old.size, old.at);
    } else if (status != 0) {
        last = without_path(last, file);
        buffer_printf(why, "%s cannot be loaded: %.*s%s", path, (int)last.size, last.at,
                      last.size ? "" : "the dynamic loader failed while it looked for the library's dependencies");
    }
    bool found = !count && !old.size && status == 0;
    buffer_free(&missing);
    buffer_free(&output);
    free(file);
    return found;
}
