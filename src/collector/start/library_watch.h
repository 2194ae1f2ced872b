// Watches which processes of a program load a profiler's library, and whether they keep it. inotify(7) tells when the file
// is opened, and when the last mapping of an opened file is gone, whoever does that; /proc tells which processes of the
// program have it. Nothing is done to the program.
#ifndef CLEW_COLLECTOR_LIBRARY_WATCH_H
#define CLEW_COLLECTOR_LIBRARY_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct library_watch;

struct library_seen {
    uint32_t kept;   // processes that loaded the library and had it until they ended, or have it still
    uint32_t let_go; // processes that loaded it, unloaded it again and ran on
    uint32_t
        unclear; // how often, at least, it was opened by somebody, perhaps a process that ended before it could be looked at
    pid_t pid;     // the first process that kept it
    char name[16]; // its name
};

// Starts to watch, in a thread of its own, for descendants of this process. NULL when the system refuses; errno says why.
// `path`: as in the environment of the program (profiler_environment.h).
struct library_watch *library_watch_begin(const char *path);
// Ends watching. Descendants may still run.
void library_watch_end(struct library_watch *watch, struct library_seen *out);

#endif
