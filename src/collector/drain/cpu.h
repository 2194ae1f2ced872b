// How much CPU time a thread of another process has used, by /proc: nanoseconds in all, user and kernel apart only in
// clock ticks.
#ifndef CLEW_COLLECTOR_CPU_H
#define CLEW_COLLECTOR_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Zero-initialise; cpu_watch_end() before it is used for another thread.
struct cpu_watch {
    bool begun;
    int schedstat; // kept open while the system grants it: an open file never means another thread of the same number
    pid_t process, thread;
    uint64_t user_ticks, kernel_ticks;
    uint64_t split_ns;  // CPU time used since the ticks were read
    double kernel_part; // of the time lately, 0 to 1
};

// Whether the process is in a pid namespace of its own, so that its threads have other numbers for it than for us.
bool cpu_has_own_numbers(pid_t process);

// `thread` is the number that the process has for it.
void cpu_watch_begin(struct cpu_watch *watch, pid_t process, pid_t thread, bool own_numbers);
void cpu_watch_end(struct cpu_watch *watch);

// CPU time of the thread so far; 0 where it cannot be read. False when the thread certainly is gone.
bool cpu_read(struct cpu_watch *watch, uint64_t *total_ns);
// Splits further time used into user and kernel.
void cpu_split(struct cpu_watch *watch, uint64_t used_ns, uint64_t *user_ns, uint64_t *kernel_ns);

#endif
