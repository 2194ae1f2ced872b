// Starts the program: finds it as a shell would, sets the environment that makes the runtime load the agent, and keeps
// the new process waiting before exec until the collector is ready.
#ifndef CLEW_COLLECTOR_LAUNCH_H
#define CLEW_COLLECTOR_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "recording/writer.h"

// *path is allocated; the caller frees it. Returns 0, or the exit status of a shell: 127 when the program is not found,
// 126 when it is found but not executable.
int launch_find(const char *name, char **path);

struct launch {
    char *const *command; // argv of the program
    const char *path;     // from launch_find()
    const char *agent;    // absolute path of the agent; NULL leaves the program's environment unchanged
    const char *socket_path;
    sigset_t mask;                   // the signal mask for the program
    struct recording_writer *writer; // closed in the child, which would keep the file locked until exec; NULL: none
};

struct launched {
    pid_t pid;
    int start;  // write end of the pipe on which the child waits; both are close-on-exec
    int errors; // read end of the pipe for the errno of a failed exec
};

// Forks; the child waits for launch_release(). False when the system refuses.
bool launch_fork(const struct launch *launch, struct launched *out);
// Lets the child exec, and waits until it has. Returns 0 or the errno of exec.
int launch_release(struct launched *launched);
// Closes the pipes. Another child of the same parent does so as well: otherwise this child would not see its parent
// die.
void launch_forget(struct launched *launched);

#endif
