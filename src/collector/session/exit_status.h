// How a process ended that is not our child. waitpid() is only for its parent.
#ifndef CLEW_COLLECTOR_EXIT_STATUS_H
#define CLEW_COLLECTOR_EXIT_STATUS_H

#include <sys/types.h>

enum { EXIT_STATUS_UNKNOWN = -1 }; // waitpid gives no negative status

// The status of an ended process, as waitpid gives it, or EXIT_STATUS_UNKNOWN. `pidfd` was opened while it ran; -1 when
// that failed. /proc has the status until the parent has reaped the process; after that Linux 6.15 and later know it by
// the pidfd.
int exit_status_of(pid_t pid, int pidfd);

#endif
