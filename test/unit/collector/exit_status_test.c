// Exit statuses of a process that is not our child, before and after its parent has reaped it.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/session/exit_status.h"
#include "collector/session/watch.h"

struct ending {
    int status, signal; // the one or the other
    const char *name;   // of the process; NULL: as it is
};

static _Noreturn void end(const struct ending *how, int wait_pipe)
{
    const struct rlimit no_core = {0, 0};
    char byte;
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (how->name) {
        (void)prctl(PR_SET_NAME, how->name, 0UL, 0UL, 0UL);
    }
    (void)read(wait_pipe, &byte, 1); // until the other end is closed
    if (how->signal) {
        (void)signal(how->signal, SIG_DFL);
        (void)raise(how->signal);
    }
    _exit(how->status);
}

// The first Linux that knows the status of a reaped process.
static bool kernel_tells(void)
{
    struct utsname system;
    unsigned major = 0, minor = 0;
    assert_int_equal(uname(&system), 0);
    assert_int_equal(sscanf(system.release, "%u.%u", &major, &minor), 2);
    return major > 6 || (major == 6 && minor >= 15);
}

static void expect(const struct ending *how)
{
    int wait_pipe[2], status, wanted = how->signal ? how->signal : how->status << 8;
    assert_int_equal(pipe(wait_pipe), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(wait_pipe[1]); // else it waits for itself
        end(how, wait_pipe[0]);
    }
    struct watch watched = watch_begin(child);
    int watch = watched.pidfd;
    assert_true(watch >= 0);
    (void)close(wait_pipe[0]);
    assert_int_equal(exit_status_of(child, watch), EXIT_STATUS_UNKNOWN); // it runs
    (void)close(wait_pipe[1]);
    struct pollfd ended = {.fd = watch, .events = POLLIN};
    assert_int_equal(poll(&ended, 1, -1), 1);
    assert_int_equal(exit_status_of(child, watch), wanted);
    assert_int_equal(exit_status_of(child, -1), EXIT_STATUS_UNKNOWN); // the number may be another's
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, wanted);
    assert_int_equal(exit_status_of(child, watch), kernel_tells() ? wanted : EXIT_STATUS_UNKNOWN);
    watch_end(&watched);
}

static void test_statuses(void **state)
{
    (void)state;
    expect(&(struct ending){.status = 0});
    expect(&(struct ending){.status = 3});
    expect(&(struct ending){.status = 134});
    expect(&(struct ending){.status = 255});
}

static void test_signals(void **state)
{
    (void)state;
    expect(&(struct ending){.signal = SIGABRT});
    expect(&(struct ending){.signal = SIGKILL});
    expect(&(struct ending){.signal = SIGTERM});
}

static void test_names(void **state)
{
    (void)state;
    expect(&(struct ending){.status = 7, .name = ") Z 1 2 3 4"});
    expect(&(struct ending){.status = 8, .name = "a (b) R"});
}

static void test_nobody(void **state)
{
    (void)state;
    assert_int_equal(exit_status_of(0, -1), EXIT_STATUS_UNKNOWN);
    assert_int_equal(exit_status_of(getpid(), 0), EXIT_STATUS_UNKNOWN); // not a pidfd
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
