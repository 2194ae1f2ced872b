// Reads /proc/PID/stat (proc(5)) of any process.
#ifndef CLEW_BASE_PROC_STAT_H
#define CLEW_BASE_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
    char state; // 'Z': the process has ended, and its parent has not reaped it
    pid_t parent;
    uint64_t started; // in clock ticks since boot; together with the pid it identifies one process
    int exit_status;  // of a zombie, as waitpid gives it; 0 without permission to inspect the process
};

// False when there is no such process, or /proc does not show it.
bool proc_stat_read(pid_t pid, struct proc_stat *out);

#endif
