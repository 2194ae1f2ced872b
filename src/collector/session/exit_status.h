// How a process ended that is not our child: nobody but its parent is told by waitpid.
#ifndef CLEW_COLLECTOR_EXIT_STATUS_H
#define CLEW_COLLECTOR_EXIT_STATUS_H

#include <sys/types.h>

enum { EXIT_STATUS_UNKNOWN = -1 }; // waitpid gives no negative ones

// The status as waitpid gives it, of a process that has ended; `pidfd` was opened while it ran, and is -1 where that
// failed. Before its parent has asked for it, /proc tells; after that the kernel from Linux 6.15 on, others do not.
int exit_status_of(pid_t pid, int pidfd);

#endif
