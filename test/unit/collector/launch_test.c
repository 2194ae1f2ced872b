// The program is found and started as by a shell, with the variables that load the agent, and only when released.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/start/launch.h"
#include "ring/handshake.h"

static char place[] = "/tmp/clew-launch-XXXXXX", script[64], plain[64], binary[64], outcome[64];

static void write_file(const char *path, const void *content, size_t size, mode_t mode)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fwrite(content, 1, size, file) == size && fclose(file) == 0 && chmod(path, mode) == 0);
}

static int set_up(void **state)
{
    static const char words[] = "echo \"$1 $CORECLR_PROFILER_PATH ${CORECLR_PROFILER_PATH_64-none} "
                                "$CORECLR_ENABLE_PROFILING $CLEW_SESSION\" >\"$2\"\nexit 5\n";
    (void)state;
    if (!mkdtemp(place)) {
        return -1;
    }
    (void)snprintf(script, sizeof script, "%s/script", place);
    (void)snprintf(plain, sizeof plain, "%s/plain", place);
    (void)snprintf(binary, sizeof binary, "%s/binary", place);
    (void)snprintf(outcome, sizeof outcome, "%s/outcome", place);
    write_file(script, words, sizeof words - 1, 0700); // without #!
    write_file(plain, "text", 4, 0600);
    write_file(binary, "\0\1\2\3", 4, 0700);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(outcome);
    return unlink(script) || unlink(plain) || unlink(binary) || rmdir(place);
}

// -- Finding ----------------------------------------------------------------------------------------------------------

static void expect_found(const char *name, int status, const char *expected)
{
    char *path;
    assert_int_equal(launch_find(name, &path), status);
    if (expected) {
        assert_string_equal(path, expected);
    } else {
        assert_null(path);
    }
    free(path);
}

static void a_program_is_found_as_a_shell_finds_it(void **state)
{
    (void)state;
    char *before = strdup(getenv("PATH")), folders[160];
    (void)snprintf(folders, sizeof folders, "/nowhere:%s:/bin", place);
    assert_int_equal(setenv("PATH", folders, 1), 0);
    expect_found("script", 0, script);
    expect_found(script, 0, script);
    expect_found("plain", 126, NULL); // is there, and may not be executed
    expect_found(plain, 126, NULL);
    expect_found(place, 126, NULL); // a folder
    expect_found("no-such-program", 127, NULL);
    expect_found("/nowhere/script", 127, NULL);
    expect_found("", 127, NULL);
    assert_int_equal(chdir(place), 0);
    assert_int_equal(setenv("PATH", ":/bin", 1), 0); // an empty folder is the current one
    expect_found("script", 0, "./script");
    assert_int_equal(chdir("/") || setenv("PATH", before, 1), 0);
    free(before);
}

// -- Starting ---------------------------------------------------------------------------------------------------------

static struct launch launch_of(char *const *command, const char *agent)
{
    struct launch launch = {.command = command, .path = command[0], .agent = agent, .socket_path = "/the/socket"};
    (void)sigemptyset(&launch.mask);
    return launch;
}

static int status_of(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect_outcome(const char *expected)
{
    char line[256] = "";
    FILE *file = fopen(outcome, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    (void)fclose(file); // only read from
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(line, expected);
}

// A script without #! runs by the shell. The 64-bit variable of another profiler would take precedence over clew's.
static void a_script_runs_with_the_variables_for_the_agent(void **state)
{
    (void)state;
    char *command[] = {script, (char[]){"word"}, outcome, NULL};
    struct launch launch = launch_of(command, "/the/agent.so");
    struct launched launched;
    assert_int_equal(setenv("CORECLR_PROFILER_PATH_64", "/another.so", 1), 0);
    assert_true(launch_fork(&launch, &launched));
    assert_int_equal(launch_release(&launched), 0);
    assert_int_equal(status_of(launched.pid), 5 << 8);
    expect_outcome("word /the/agent.so none 1 /the/socket");
    // Without an agent the environment is unchanged.
    launch.agent = NULL;
    assert_true(launch_fork(&launch, &launched));
    assert_int_equal(launch_release(&launched), 0);
    assert_int_equal(status_of(launched.pid), 5 << 8);
    expect_outcome("word  /another.so  ");
    assert_int_equal(unsetenv("CORECLR_PROFILER_PATH_64"), 0);
}

static void expect_error(char *path, int number)
{
    char *command[] = {path, NULL};
    const struct launch launch = launch_of(command, NULL);
    struct launched launched;
    assert_true(launch_fork(&launch, &launched));
    assert_int_equal(launch_release(&launched), number);
    assert_int_equal(status_of(launched.pid), 127 << 8);
}

static void a_failed_exec_returns_its_errno(void **state)
{
    (void)state;
    expect_error((char[]){"/nowhere/program"}, ENOENT);
    expect_error(plain, EACCES);
    expect_error(binary, ENOEXEC); // and no shell is asked, since it is no text
}

// Without a collector the program must not begin.
static void a_gate_that_closes_ends_the_child(void **state)
{
    (void)state;
    char *command[] = {script, (char[]){"word"}, outcome, NULL};
    const struct launch launch = launch_of(command, NULL);
    struct launched launched;
    (void)unlink(outcome);
    assert_true(launch_fork(&launch, &launched));
    assert_int_equal(waitpid(launched.pid, NULL, WNOHANG), 0); // it waits
    launch_forget(&launched);
    assert_int_equal(status_of(launched.pid), 127 << 8);
    assert_int_not_equal(access(outcome, F_OK), 0);
}

static void a_program_has_the_signals_blocked_that_it_would_have(void **state)
{
    (void)state;
    char *command[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char[]){"kill -USR1 $$; exit 3"}, NULL};
    struct launch launch = launch_of(command, NULL);
    struct launched launched;
    assert_true(launch_fork(&launch, &launched));
    assert_int_equal(launch_release(&launched), 0);
    int status = status_of(launched.pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
    (void)sigaddset(&launch.mask, SIGUSR1);
    assert_true(launch_fork(&launch, &launched));
    assert_int_equal(launch_release(&launched), 0);
    assert_int_equal(status_of(launched.pid), 3 << 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_found_as_a_shell_finds_it),
        cmocka_unit_test(a_script_runs_with_the_variables_for_the_agent),
        cmocka_unit_test(a_failed_exec_returns_its_errno),
        cmocka_unit_test(a_gate_that_closes_ends_the_child),
        cmocka_unit_test(a_program_has_the_signals_blocked_that_it_would_have),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
