// Starting the program: found as a shell finds it, with the environment that loads the agent, held at a gate until the
// collector is there.
#ifndef CLEW_COLLECTOR_LAUNCH_H
#define CLEW_COLLECTOR_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// *path is allocated. Returns 0, or as a shell would exit: 127 not found, 126 found but not to be executed.
int launch_find(const char *name, char **path);

struct launch {
    char *const *command; // argv of the program
    const char *path;     // from launch_find()
    const char *agent;    // absolute path of the agent; NULL: the program's environment stays as it is
    const char *socket_path;
    sigset_t mask; // signals that the program is to find blocked
};

struct launched {
    pid_t pid;
    int gate;   // close-on-exec
    int errors; // close-on-exec
};

// Forks; the child waits at the gate. False when the system gives no process.
bool launch_fork(const struct launch *launch, struct launched *out);
// Opens the gate and waits until the program runs. Returns 0 or the errno of exec.
int launch_release(struct launched *launched);
// In another child of the same parent: this one must not hold the gate open.
void launch_forget(struct launched *launched);

#endif
