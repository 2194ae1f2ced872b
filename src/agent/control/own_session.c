// See own_session.h.
//
// The session's process must not be a child of the program, and its start must not be seen. So a first child, which
// shares the program's memory and never calls exec(), starts the second one and ends; the second one becomes `clew`,
// and belongs to process 1 or to whatever adopts orphans. The first one was made without an exit signal: the program
// gets no SIGCHLD, and wait() for any child does not see it (clone(2), wait(2): __WCLONE). The memory is shared as in
// vfork(), so both children run on stacks of their own while the thread that started them waits.
#include "agent/control/own_session.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log_file.h"
#include "ring/attended.h"
#include "ring/clew_file.h"

extern char **environ;

// -- Saying -----------------------------------------------------------------------------------------------------------

// Appends a sentence to the file that CLEW_LOG names. The program's own streams stay untouched.
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    const char *path = getenv(CLEW_LOG_VARIABLE);
    int fd = path && *path ? log_file_open(path, true) : -1;
    if (fd < 0) {
        return;
    }
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = snprintf(line, sizeof line, "clew[%d]: ", (int)getpid());
    size += vsnprintf(line + size, sizeof line - (size_t)size - 1, format, arguments);
    va_end(arguments);
    size = size < (int)sizeof line - 1 ? size : (int)sizeof line - 2;
    line[size] = '\n';
    (void)!write(fd, line, (size_t)size + 1); // on failure there is nowhere to report it
    (void)close(fd);
}

// -- What is started --------------------------------------------------------------------------------------------------

struct start {
    char path[PATH_MAX]; // of `clew`
    char pid[16];
    bool descends; // the program is a descendant of a recorded one
    char **environment;
    int answer; // write end of the pipe
    int error;  // errno of what failed, stored by the children
    char *stacks;
};

enum { STACK_SIZE = 64 << 10 };

static bool find_clew(struct start *start)
{
    Dl_info about;
    const char *agent = dladdr((void *)(uintptr_t)own_session_start, &about) ? about.dli_fname : "";
    if (!clew_file_of(agent, start->path, sizeof start->path)) {
        say("nothing is recorded: the program clew is neither beside the agent (%s) nor in ../../bin, or cannot be "
            "executed; copy it there",
            agent);
        return false;
    }
    return true;
}

// The variables that the session needs. Above all it gets none that makes a runtime load a profiler, or the dynamic
// loader load what was meant for the program.
static bool is_passed_on(const char *variable)
{
    static const char *const names[] = {"CLEW_", "HOME=", "LD_LIBRARY_PATH=", "TMPDIR=", "XDG_RUNTIME_DIR="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static char **make_environment(void)
{
    size_t count = 0;
    for (char **at = environ; at && *at; at++) {
        count++;
    }
    char **made = calloc(count + 1, sizeof *made);
    size_t passed = 0;
    for (size_t i = 0; made && i < count && environ[i]; i++) {
        if (is_passed_on(environ[i])) {
            made[passed++] = environ[i];
        }
    }
    return made;
}

// -- Starting ---------------------------------------------------------------------------------------------------------

// Without AddressSanitizer: neither child returns from its stack in a way that it sees, and others get that memory later.
#define ON_OWN_STACK __attribute__((no_sanitize("address")))

// The second child. Everything else that it has to change, such as signals and descriptors, `clew` changes itself.
ON_OWN_STACK static int become_clew(void *context)
{
    struct start *start = context;
    char *words[] = {start->path, (char[]){"attend"}, start->pid, start->descends ? (char[]){"child"} : NULL, NULL};
    bool there = start->answer == RING_STARTED_FD ? fcntl(start->answer, F_SETFD, 0) == 0
                                                  : dup2(start->answer, RING_STARTED_FD) == RING_STARTED_FD;
    if (there) {
        (void)execve(start->path, words, start->environment); // returns only on failure
    }
    start->error = errno;
    return 127;
}

// The first child.
ON_OWN_STACK static int start_second(void *context)
{
    struct start *start = context;
    if (clone(become_clew, start->stacks + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, start) < 0) {
        start->error = errno;
    }
    return 0;
}

// All signals are blocked, even those of libc, which pthread_sigmask() leaves alone: a handler would run on the
// program's memory in another process.
static void start_first(struct start *start)
{
    uint64_t all = UINT64_MAX, before;
    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    pid_t child = clone(start_second, start->stacks + 2 * STACK_SIZE, CLONE_VM | CLONE_VFORK, start);
    if (child < 0) {
        start->error = errno;
    }
    while (child > 0 && waitpid(child, NULL, (int)__WCLONE) < 0 && errno == EINTR) {
    }
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

static enum clew_error start_and_wait(struct start *start, uint64_t deadline_ns, struct ring_started *started)
{
    int answer[2];
    if (pipe2(answer, O_CLOEXEC) != 0) {
        say("nothing is recorded: there is no free descriptor: %s", strerror(errno));
        return CLEW_IO;
    }
    start->answer = answer[1];
    start_first(start);
    (void)close(answer[1]); // the session has its own
    enum clew_error error = CLEW_IO;
    if (start->error) {
        say("nothing is recorded: %s cannot be started: %s", start->path, strerror(start->error));
    } else {
        error = handshake_receive_started(answer[0], deadline_ns, started);
    }
    if (error == CLEW_NOT_FOUND) { // after any other error clew has said why
        say("nothing is recorded: clew did not answer within %d s; try again", (int)(HANDSHAKE_LIMIT_MS / 1000));
    }
    (void)close(answer[0]);
    return error;
}

enum clew_error own_session_start(uint64_t deadline_ns, struct ring_started *started)
{
    static struct start start; // too large for the stack of somebody else's thread
    enum attended above = attended_above();
    if (above == ATTENDED_ALONE) {
        return CLEW_REFUSED;
    }
    start.descends = above == ATTENDED_WITH_CHILDREN;
    if (attended_already(deadline_ns, started) == CLEW_OK) {
        return CLEW_OK;
    }
    if (!find_clew(&start)) {
        return CLEW_NOT_FOUND;
    }
    (void)snprintf(start.pid, sizeof start.pid, "%d", (int)getpid());
    start.environment = make_environment();
    start.stacks = mmap(NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    enum clew_error error = CLEW_NO_MEMORY;
    if (start.environment && start.stacks != MAP_FAILED) {
        error = start_and_wait(&start, deadline_ns, started);
    } else {
        say("nothing is recorded: %s", clew_error_sentence(error));
    }
    if (start.stacks != MAP_FAILED) {
        (void)munmap(start.stacks, 2 * STACK_SIZE); // both children have left it
    }
    free(start.environment);
    return error;
}
