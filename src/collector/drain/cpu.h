// CPU time of a thread of another process, out of /proc (see proc(5)).
//
// schedstat has the total in ns; only stat has user and kernel time apart, in clock ticks. So the total is exact, and
// its split is an estimate from the ticks of the last few samples. clock_gettime() refuses other processes' thread
// clocks.
#ifndef CLEW_COLLECTOR_CPU_H
#define CLEW_COLLECTOR_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// The state of one thread's count. Zero-initialise; call cpu_watch_end() before reusing it for another thread.
struct cpu_watch {
    bool begun;
    int schedstat; // kept open if limits allow, -1 else: an open file never means a later thread of the same number
    pid_t process, thread;
    uint64_t user_ticks, kernel_ticks;
    uint64_t split_ns;  // CPU time used since the ticks were read
    double kernel_part; // kernel time in the last such period, 0 to 1
};

// Whether the process is in a pid namespace of its own, where its threads have other numbers than we see.
bool cpu_has_own_numbers(pid_t process);

// `thread` is the number by which the process itself knows the thread.
void cpu_watch_begin(struct cpu_watch *watch, pid_t process, pid_t thread, bool own_numbers);
void cpu_watch_end(struct cpu_watch *watch);

// CPU time of the thread so far; 0 when it cannot be read. False only when the thread is certainly gone.
bool cpu_read(struct cpu_watch *watch, uint64_t *total_ns);
// Splits CPU time used since the last call into user and kernel time.
void cpu_split(struct cpu_watch *watch, uint64_t used_ns, uint64_t *user_ns, uint64_t *kernel_ns);

#endif
