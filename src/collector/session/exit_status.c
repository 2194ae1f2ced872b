#include "collector/session/exit_status.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/proc_stat.h"

// linux/pidfd.h of 6.15, which few machines have: the first 64 bytes of struct pidfd_info, which the number is made of.
struct pidfd_answer {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_answer) == 64, "the kernel knows this size");
#define ASK_PIDFD _IOWR(0xFF, 11, struct pidfd_answer)
enum { ANSWERS_EXIT = 1 << 3 };

// Of one that was reaped.
static bool ask_pidfd(int pidfd, int *status)
{
    struct pidfd_answer answer = {.mask = ANSWERS_EXIT};
    if (pidfd < 0 || ioctl(pidfd, ASK_PIDFD, &answer) != 0 || !(answer.mask & ANSWERS_EXIT)) {
        return false;
    }
    *status = answer.exit_code;
    return true;
}

// /proc shows 0 to those who may not look at the process. Links to namespaces are shown to the same.
static bool may_look_at(pid_t pid)
{
    char path[64], link[64];
    (void)snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
    return readlink(path, link, sizeof link) > 0;
}

// Of one that nobody has reaped yet. That it still is there in the end shows that the number was its own all the time.
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
    // It may be reaped between the first two questions.
    bool known = ask_pidfd(pidfd, &status) || ask_proc(pid, pidfd, &status) || ask_pidfd(pidfd, &status);
    return known ? status : EXIT_STATUS_UNKNOWN;
}
