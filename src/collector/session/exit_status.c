#include "collector/session/exit_status.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/proc_stat.h"

// The first 64 bytes of struct pidfd_info in linux/pidfd.h of Linux 6.15, which few build machines have. The ioctl
// number contains this size.
struct pidfd_answer {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};
static_assert(sizeof(struct pidfd_answer) == 64, "the kernel knows this size");
#define ASK_PIDFD _IOWR(0xFF, 11, struct pidfd_answer)
enum { ANSWERS_EXIT = 1 << 3 };

// The status of a process that its parent has reaped.
static bool ask_pidfd(int pidfd, int *status)
{
    struct pidfd_answer answer = {.mask = ANSWERS_EXIT};
    if (pidfd < 0 || ioctl(pidfd, ASK_PIDFD, &answer) != 0 || !(answer.mask & ANSWERS_EXIT)) {
        return false;
    }
    *status = answer.exit_code;
    return true;
}

// Whether /proc shows us the status: it shows 0 to those without permission. The same permission lets us read the links
// to the namespaces of the process.
static bool may_look_at(pid_t pid)
{
    char path[64], link[64];
    (void)snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
    return readlink(path, link, sizeof link) > 0;
}

// The status of a process that its parent has not reaped. The signal comes last: when the pidfd still has a process,
// the pid was not given to another one in between.
static bool ask_proc(pid_t pid, int pidfd, int *status)
{
    struct proc_stat stat;
    if (pidfd < 0 || !proc_stat_read(pid, &stat) || stat.state != 'Z' || !may_look_at(pid) ||
        syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) != 0) {
        return false;
    }
    *status = stat.exit_status;
    return true;
}

int exit_status_of(pid_t pid, int pidfd)
{
    int status;
    // Twice by the pidfd: the process may be reaped between the first two queries.
    bool known = ask_pidfd(pidfd, &status) || ask_proc(pid, pidfd, &status) || ask_pidfd(pidfd, &status);
    return known ? status : EXIT_STATUS_UNKNOWN;
}
