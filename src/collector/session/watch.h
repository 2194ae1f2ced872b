// Whether a process still runs that is not our child. Its number alone does not say: once the process is gone, the system
// gives the number to another.
#ifndef CLEW_COLLECTOR_WATCH_H
#define CLEW_COLLECTOR_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watch {
    pid_t pid;
    int pidfd;        // -1: the kernel has none, or there are too few descriptors
    uint64_t started; // struct proc_stat's; 0: not known
    bool over;        // the process had ended before the watch began
};

// Of a process that certainly runs: one that waits for our answer, or a child that was not reaped.
struct watch watch_begin(pid_t pid);
// Of the process that had the number at the time `started` (0: not known), and may have ended since.
struct watch watch_resume(pid_t pid, uint64_t started);
// True also before anybody has reaped the process.
bool watch_ended(const struct watch *watch);
void watch_end(struct watch *watch);

#endif
