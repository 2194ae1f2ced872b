// What is seen of processes that load a file and keep it, let it go, end, fork or execute another program.
#include "collector/start/library_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 4096, LONG_US = 200000 };

static char library[] = "/tmp/clew-watch-XXXXXX";

static int make_library(void **state)
{
    (void)state;
    int fd = mkstemp(library);
    return fd >= 0 && ftruncate(fd, SIZE) == 0 && close(fd) == 0 ? 0 : -1;
}

static int remove_library(void **state)
{
    (void)state;
    return unlink(library);
}

// As the dynamic loader does.
static void *load(void)
{
    int fd = open(library, O_RDONLY | O_CLOEXEC);
    void *at = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
    (void)close(fd);
    return at;
}

// Long enough for the watch to have looked.
static void wait_long(void)
{
    (void)usleep(LONG_US);
}

static void keep(void)
{
    (void)load();
    wait_long();
}

static void let_go(void)
{
    void *at = load();
    wait_long();
    (void)munmap(at, SIZE);
    wait_long();
}

static void execute(void)
{
    keep();
    (void)execl("/bin/sleep", "sleep", "0.2", NULL);
}

static void open_again(void)
{
    (void)close(open(library, O_RDONLY | O_CLOEXEC)); // events, upon which the watch looks
    wait_long();
}

// The fork has the mapping, until it executes another program.
static void fork_while_loaded(void)
{
    (void)load();
    wait_long();
    pid_t pid = fork();
    if (pid == 0) {
        wait_long();
        (void)execl("/bin/sleep", "sleep", "0.4", NULL);
    }
    open_again();
    open_again();
    (void)waitpid(pid, NULL, 0);
}

// In a child of a child.
static void keep_below(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        keep();
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
}

static void only_open(void)
{
    (void)setenv("LIBRARY", library, 1);
    (void)execl("/bin/sh", "sh", "-c", "exec 3<$LIBRARY; exec 3<&-; sleep 0.2", NULL);
}

static struct library_seen seen_of(void (*child)(void), unsigned times)
{
    struct library_seen seen;
    struct library_watch *watch = library_watch_begin(library);
    assert_non_null(watch);
    for (unsigned i = 0; i < times; i++) {
        if (fork() == 0) {
            child();
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {
    }
    library_watch_end(watch, &seen);
    return seen;
}

static void expect(void (*child)(void), unsigned times, uint32_t kept, uint32_t unloaded, uint32_t unclear)
{
    struct library_seen seen = seen_of(child, times);
    assert_int_equal(seen.kept, kept);
    assert_int_equal(seen.let_go, unloaded);
    assert_int_equal(seen.unclear, unclear);
    assert_int_equal(seen.pid > 0, kept > 0);
}

static void nothing_is_seen_of_a_process_that_does_not_open_it(void **state)
{
    (void)state;
    expect(wait_long, 1, 0, 0, 0);
}

static void a_process_that_ends_with_it_kept_it(void **state)
{
    (void)state;
    expect(keep, 1, 1, 0, 0);
    expect(keep, 3, 3, 0, 0);
    expect(keep_below, 1, 1, 0, 0);
}

static void a_process_that_unmaps_it_and_runs_on_let_it_go(void **state)
{
    (void)state;
    expect(let_go, 1, 0, 1, 0);
    expect(let_go, 3, 0, 3, 0);
}

static void a_process_that_executes_another_program_kept_it_until_then(void **state)
{
    (void)state;
    expect(execute, 1, 1, 0, 0);
}

static void a_fork_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(seen_of(fork_while_loaded, 1).kept, 1);
    assert_int_equal(seen_of(fork_while_loaded, 1).let_go, 0);
}

static void what_was_only_opened_is_unclear(void **state)
{
    (void)state;
    expect(only_open, 1, 0, 0, 1);
}

static void a_process_that_runs_on_has_it_still(void **state)
{
    (void)state;
    struct library_seen seen;
    struct library_watch *watch = library_watch_begin(library);
    pid_t pid = fork();
    if (pid == 0) {
        (void)load();
        (void)pause();
        _exit(0);
    }
    wait_long();
    library_watch_end(watch, &seen);
    assert_int_equal(seen.kept, 1);
    assert_int_equal(seen.pid, pid);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

static void a_file_that_does_not_exist_cannot_be_watched(void **state)
{
    (void)state;
    assert_null(library_watch_begin("/nonexistent/library.so"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_seen_of_a_process_that_does_not_open_it),
        cmocka_unit_test(a_process_that_ends_with_it_kept_it),
        cmocka_unit_test(a_process_that_unmaps_it_and_runs_on_let_it_go),
        cmocka_unit_test(a_process_that_executes_another_program_kept_it_until_then),
        cmocka_unit_test(a_fork_does_not_count),
        cmocka_unit_test(what_was_only_opened_is_unclear),
        cmocka_unit_test(a_process_that_runs_on_has_it_still),
        cmocka_unit_test(a_file_that_does_not_exist_cannot_be_watched),
    };
    return cmocka_run_group_tests(tests, make_library, remove_library);
}
