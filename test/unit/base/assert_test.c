// An assertion that holds costs nothing but its condition; one that does not ends the process, and says where.
#include "base/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_true_condition_is_evaluated_once(void **state)
{
    (void)state;
    int looked = 0;
    CLEW_ASSERT(++looked == 1 && "words beside it are true");
    assert_int_equal(looked, 1);
}

static void a_false_condition_ends_the_process(void **state)
{
    (void)state;
    int ends[2], status;
    char said[256] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGILL, SIG_DFL); // not cmocka's
        (void)dup2(ends[1], STDERR_FILENO);
        CLEW_ASSERT(child > 0 && "the parent alone");
        _exit(0);
    }
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    assert_non_null(strstr(said, "assert_test.c:"));
    assert_non_null(strstr(said, "assertion failed: child > 0 && \"the parent alone\"\n"));
    assert_int_equal(close(ends[0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_condition_is_evaluated_once),
        cmocka_unit_test(a_false_condition_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
