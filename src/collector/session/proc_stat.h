// /proc/PID/stat, of any process.
#ifndef CLEW_COLLECTOR_PROC_STAT_H
#define CLEW_COLLECTOR_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
    char state;       // 'Z': it has ended, and its parent has not asked for its status
    uint64_t started; // clock ticks since boot: with the number it names one process only
    int exit_status;  // of a zombie, as waitpid gives it; 0 to those who may not look at the process
};

// False when there is no such process, or /proc does not show it.
bool proc_stat_read(pid_t pid, struct proc_stat *out);

#endif
