// Things that native libraries do to their process: they fork, close descriptors, handle signals, crash.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Forks a child that never runs managed code. Returns its exit status, or -errno.
int fork_native(int status)
{
    pid_t child = fork();
    if (child == 0) {
        volatile char *memory = malloc(1 << 20);
        memset((void *)memory, 1, 1 << 20);
        _exit(memory[4711] ? status : 255);
    }
    int ended;
    return child > 0 && waitpid(child, &ended, 0) == child ? WEXITSTATUS(ended) : -errno;
}

// The grandchild returns 0, in a session of its own; the process that called gets the grandchild's parent's status.
int fork_twice(void)
{
    pid_t child = fork();
    if (child == 0) {
        (void)setsid();
        if (fork() != 0) {
            _exit(0);
        }
        return 0;
    }
    int ended;
    return child > 0 && waitpid(child, &ended, 0) == child ? 1 + WEXITSTATUS(ended) : -errno;
}

int close_all(int in_a_loop)
{
    if (!in_a_loop) {
        return close_range(3, ~0U, 0);
    }
    for (int fd = 3; fd < 20000; fd++) {
        (void)close(fd); // most are not open
    }
    return 0;
}

static volatile sig_atomic_t taken[65];

static void take(int number)
{
    taken[number]++;
}

// How many of the signals first..last that may be handled were, each sent once to this thread; `but`: a mask of those to
// leave alone.
int take_signals(int first, int last, unsigned long long but)
{
    int count = 0;
    for (int number = first; number <= last; number++) {
        struct sigaction action = {.sa_handler = take, .sa_flags = number % 2 ? SA_RESTART : 0};
        taken[number] = 0;
        if (!(but >> number & 1) && sigaction(number, &action, NULL) == 0 && raise(number) == 0) {
            count += taken[number];
        }
    }
    return count;
}

int alarms(void)
{
    return taken[SIGALRM];
}

void crash(void)
{
    *(volatile int *)16 = 1;
}

void crash_by(int number)
{
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}
