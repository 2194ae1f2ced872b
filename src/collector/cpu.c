#include "collector/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPLIT_AFTER_NS = 5 * 1000 * 1000 }; // half a clock tick: reading more often would tell nothing

static int open_file(const struct cpu_watch *watch, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)watch->process, (int)watch->thread, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_file(int fd, char *text, size_t size)
{
    ssize_t got = pread(fd, text, size - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return got;
}

// utime and stime are fields 14 and 15; field 2, the name in brackets, may hold anything.
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

void cpu_watch_begin(struct cpu_watch *watch, pid_t process, pid_t thread)
{
    *watch = (struct cpu_watch){.begun = true, .process = process, .thread = thread};
    watch->schedstat = open_file(watch, "schedstat");
}

void cpu_watch_end(struct cpu_watch *watch)
{
    if (watch->begun && watch->schedstat >= 0) {
        (void)close(watch->schedstat); // only read from
    }
    *watch = (struct cpu_watch){0};
}

bool cpu_read(struct cpu_watch *watch, uint64_t *total_ns)
{
    char text[128];
    int fd = watch->schedstat >= 0 ? watch->schedstat : open_file(watch, "schedstat");
    if (fd < 0) {
        return errno != ENOENT && errno != ESRCH ? (*total_ns = 0, true) : false;
    }
    ssize_t got = read_file(fd, text, sizeof text);
    if (fd != watch->schedstat) {
        (void)close(fd); // only read from
    }
    *total_ns = got > 0 ? strtoull(text, NULL, 10) : 0;
    return got > 0;
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
    *kernel_ns = (uint64_t)((double)used_ns * watch->kernel_part);
    *user_ns = used_ns - *kernel_ns;
}
