// A pidfd is the only sure handle of a process; kernels before 5.3 have none, and descriptors may be short. Then the
// start time in /proc distinguishes the process from a later one with the same pid.
#include "collector/session/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/proc_stat.h"
#include "collector/session/limits.h"

static int open_pidfd(pid_t pid)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd >= 0 && !limits_may_keep(pidfd)) {
        (void)close(pidfd); // pid and start time are enough
        return -1;
    }
    return pidfd;
}

struct watch watch_begin(pid_t pid)
{
    struct proc_stat stat = {0};
    struct watch watch = {.pid = pid, .pidfd = open_pidfd(pid)};
    (void)proc_stat_read(pid, &stat); // without /proc it stays 0
    watch.started = stat.started;
    return watch;
}

// watch_begin() reads the start time after it has opened the pidfd. If the time is right, the pidfd is of that process.
struct watch watch_resume(pid_t pid, uint64_t started)
{
    struct watch watch = watch_begin(pid);
    bool gone = kill(pid, 0) != 0 && errno == ESRCH;
    if (gone || (started && watch.started && watch.started != started)) {
        watch_end(&watch);
        watch.over = true;
    }
    watch.started = started;
    return watch;
}

// Without a pidfd, a process has ended if it is a zombie, or if its pid belongs to a process with another start time.
bool watch_ended(const struct watch *watch)
{
    struct pollfd entry = {.fd = watch->pidfd, .events = POLLIN};
    struct proc_stat stat;
    if (watch->over) {
        return true;
    }
    if (watch->pidfd >= 0) {
        return poll(&entry, 1, 0) == 1;
    }
    if (!proc_stat_read(watch->pid, &stat)) {
        return kill(watch->pid, 0) != 0 && errno == ESRCH;
    }
    return stat.state == 'Z' || stat.state == 'X' || (watch->started && stat.started != watch->started);
}

void watch_end(struct watch *watch)
{
    if (watch->pidfd >= 0) {
        (void)close(watch->pidfd); // only waited on
    }
    watch->pidfd = -1;
}
