// Whether a process still runs: by its pidfd; or by pid and start time, without a pidfd or after a takeover.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/session/watch.h"

static pid_t start_child(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    return child;
}

// Waits until the child is a zombie, and does not reap it.
static void end_child(pid_t child)
{
    siginfo_t info;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
}

static void reap(pid_t child)
{
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void follow(bool has_pidfd)
{
    pid_t child = start_child();
    struct watch watch = watch_begin(child);
    assert_true(watch.started > 0);
    if (!has_pidfd) {
        watch_end(&watch);
    }
    assert_false(watch_ended(&watch));
    end_child(child);
    assert_true(watch_ended(&watch));
    reap(child);
    assert_true(watch_ended(&watch));
    watch_end(&watch);
}

static void test_an_end_is_seen_before_and_after_it_is_reaped(void **state)
{
    (void)state;
    follow(true);
    follow(false);
}

static void test_another_process_has_the_number_by_now(void **state)
{
    (void)state;
    pid_t child = start_child();
    struct watch watch = watch_begin(child);
    struct watch same = watch_resume(child, watch.started), other = watch_resume(child, watch.started - 1);
    assert_false(watch_ended(&same));
    assert_true(watch_ended(&other));
    assert_int_equal(other.pidfd, -1); // so that nobody asks that one for its status
    watch_end(&same);
    same.started--;
    assert_true(watch_ended(&same));
    end_child(child);
    reap(child);
    watch_end(&watch);
}

static void test_the_number_is_free(void **state)
{
    (void)state;
    pid_t child = start_child();
    struct watch watch = watch_begin(child);
    end_child(child);
    struct watch zombie = watch_resume(child, watch.started);
    assert_true(watch_ended(&zombie));
    assert_true(zombie.pidfd >= 0); // it still has a status
    reap(child);
    struct watch gone = watch_resume(child, watch.started), unknown = watch_resume(child, 0);
    assert_true(watch_ended(&gone));
    assert_true(watch_ended(&unknown));
    watch_end(&watch);
    watch_end(&zombie);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_end_is_seen_before_and_after_it_is_reaped),
        cmocka_unit_test(test_another_process_has_the_number_by_now),
        cmocka_unit_test(test_the_number_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
