// Watches which processes load a library while a program runs, and whether they keep it. inotify(7) tells when the file is
// opened, and when the last mapping of an opened file is gone, even in a process that lives for a few milliseconds;
// /proc/PID/maps tells which process it was. Nothing is done to the program.
#ifndef CLEW_COLLECTOR_LIBRARY_WATCH_H
#define CLEW_COLLECTOR_LIBRARY_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct library_watch;

struct library_seen {
    uint32_t kept;    // processes that loaded the library and had it until they ended, or have it still
    uint32_t let_go;  // how often it was loaded and unloaded again by a process that ran on
    uint32_t unclear; // how often it was opened by a process of which it is not known whether it kept it
    pid_t pid;        // the first process that kept it
    char name[16];    // its name
};

// Starts to watch, in a thread of its own, for descendants of this process. NULL when the system refuses; errno says why.
struct library_watch *library_watch_begin(const char *path);
// Ends watching. Descendants may still run.
void library_watch_end(struct library_watch *watch, struct library_seen *out);

#endif
