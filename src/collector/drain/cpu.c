// Which thread a /proc file belongs to needs care: thread numbers are reused, and they differ between pid namespaces.
// An open schedstat stays with its thread, so it is kept open if the limit of open files allows.
#include "collector/drain/cpu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "collector/session/limits.h"

enum { UNKNOWN = -1 };
enum { SPLIT_AFTER_NS = 5 * 1000 * 1000 }; // half a clock tick: ticks seldom change within less

static int open_file(const struct cpu_watch *watch, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)watch->process, (int)watch->thread, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_file(int fd, char *text, size_t size)
{
    CLEW_ASSERT(fd >= 0 && size > 0);
    ssize_t got = pread(fd, text, size - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return got;
}

// Fields 14 (utime) and 15 (stime). Field 2, the name in brackets, may contain anything, so parsing starts behind it.
static bool read_ticks(const struct cpu_watch *watch, uint64_t *user, uint64_t *kernel)
{
    char text[1024];
    int fd = open_file(watch, "stat");
    if (fd < 0) {
        return false;
    }
    ssize_t got = read_file(fd, text, sizeof text);
    (void)close(fd); // only read from
    const char *after = got > 0 ? strrchr(text, ')') : NULL;
    unsigned long long ticks[2];
    if (!after ||
        sscanf(after + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &ticks[0], &ticks[1]) != 2) {
        return false;
    }
    *user = ticks[0];
    *kernel = ticks[1];
    return true;
}

// How many pid namespaces a process or thread is in, from ours inwards, and its number in the innermost.
static unsigned namespace_ids(const char *path, pid_t *last)
{
    char text[2048];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read_file(fd, text, sizeof text) : -1;
    if (fd >= 0) {
        (void)close(fd); // only read from
    }
    char *at = got > 0 ? strstr(text, "\nNSpid:") : NULL;
    unsigned count = 0;
    at = at ? at + strlen("\nNSpid:") : NULL;
    while (at && *at == '\t') {
        *last = (pid_t)strtol(at + 1, &at, 10);
        count++;
    }
    return count;
}

bool cpu_has_own_numbers(pid_t process)
{
    char path[64];
    pid_t last;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    return namespace_ids(path, &last) >= 2;
}

// Our number of the thread that has the number `inner` in its own pid namespace; 0 when there is no such thread,
// UNKNOWN when the threads of the process cannot be listed.
static pid_t outer_thread(pid_t process, pid_t inner)
{
    char path[320];
    pid_t last, found = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    const struct dirent *entry;
    if (!threads && errno != ENOENT) {
        return UNKNOWN;
    }
    while (threads && !found && (entry = readdir(threads))) {
        (void)snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)process, entry->d_name);
        if (entry->d_name[0] != '.' && namespace_ids(path, &last) >= 2 && last == inner) {
            found = (pid_t)strtol(entry->d_name, NULL, 10);
        }
    }
    if (threads) {
        (void)closedir(threads); // only read from
    }
    return found;
}

void cpu_watch_begin(struct cpu_watch *watch, pid_t process, pid_t thread, bool own_numbers)
{
    *watch = (struct cpu_watch){.begun = true, .process = process, .thread = thread};
    if (own_numbers) {
        watch->thread = outer_thread(process, thread);
    }
    watch->schedstat = open_file(watch, "schedstat");
    if (watch->schedstat >= 0 && !limits_may_keep(watch->schedstat)) {
        (void)close(watch->schedstat); // only read from
        watch->schedstat = -1;
    }
}

void cpu_watch_end(struct cpu_watch *watch)
{
    if (watch->begun && watch->schedstat >= 0) {
        (void)close(watch->schedstat); // only read from
    }
    *watch = (struct cpu_watch){0};
}

// A thread is gone if its process has a folder of threads that lacks it. Without that folder (/proc is not mounted, or
// hides the process, or the process is gone) we do not know: to take a living thread for dead would give its slot to
// another one.
static bool thread_is_gone(const struct cpu_watch *watch)
{
    char folder[64], path[80];
    (void)snprintf(folder, sizeof folder, "/proc/%d/task", (int)watch->process);
    (void)snprintf(path, sizeof path, "%s/%d", folder, (int)watch->thread);
    return watch->thread != UNKNOWN && access(path, F_OK) != 0 && (errno == ENOENT || errno == ESRCH) &&
           access(folder, F_OK) == 0;
}

bool cpu_read(struct cpu_watch *watch, uint64_t *total_ns)
{
    char text[128];
    int fd = watch->schedstat >= 0 ? watch->schedstat : open_file(watch, "schedstat");
    *total_ns = 0;
    if (fd < 0) {
        return !thread_is_gone(watch);
    }
    ssize_t got = read_file(fd, text, sizeof text);
    bool gone = got < 0 && errno == ESRCH; // other errors do not mean that the thread is gone
    if (fd != watch->schedstat) {
        (void)close(fd); // only read from
    }
    *total_ns = got > 0 ? strtoull(text, NULL, 10) : 0;
    return got > 0 || !(gone || thread_is_gone(watch));
}

void cpu_split(struct cpu_watch *watch, uint64_t used_ns, uint64_t *user_ns, uint64_t *kernel_ns)
{
    uint64_t user, kernel;
    watch->split_ns += used_ns;
    if (watch->split_ns >= SPLIT_AFTER_NS && read_ticks(watch, &user, &kernel)) {
        uint64_t more_user = user - watch->user_ticks, more_kernel = kernel - watch->kernel_ticks;
        if (more_user + more_kernel > 0) {
            watch->kernel_part = (double)more_kernel / (double)(more_user + more_kernel);
            watch->user_ticks = user;
            watch->kernel_ticks = kernel;
        }
        watch->split_ns = 0;
    }
    CLEW_ASSERT(watch->kernel_part >= 0 && watch->kernel_part <= 1);
    *kernel_ns = (uint64_t)((double)used_ns * watch->kernel_part);
    *user_ns = used_ns - *kernel_ns;
}
