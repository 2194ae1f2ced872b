// Whether a process that is not our child still runs. The pid alone does not say: after the process has ended, the
// system may give its pid to another one.
#ifndef CLEW_COLLECTOR_WATCH_H
#define CLEW_COLLECTOR_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watch {
    pid_t pid;
    int pidfd;        // -1: the kernel has none, or descriptors are short
    uint64_t started; // as in struct proc_stat; 0: not known
    bool over;        // the process had ended before the watch began
};

// Watches a process that certainly exists: one that waits for our answer, or an unreaped child.
struct watch watch_begin(pid_t pid);
// Watches the process that had this pid when it began at `started` (0: not known). It may have ended since.
struct watch watch_resume(pid_t pid, uint64_t started);
// True as soon as the process has ended, reaped or not.
bool watch_ended(const struct watch *watch);
void watch_end(struct watch *watch);

#endif
