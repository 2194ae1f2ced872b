#include "collector/start/background.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void background_enter(int log)
{
    sigset_t none;
    (void)setsid(); // fails only for a leader, which a fresh child is not
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++) {
        (void)dup2(fd == STDERR_FILENO && log >= 0 ? log : null, fd); // on failure the stream stays open
    }
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_DFL); // fails for SIGKILL and SIGSTOP, which have their default
    }
    (void)signal(SIGPIPE, SIG_IGN); // then writing to a process that is gone is an error
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); // cannot fail with these arguments
}
