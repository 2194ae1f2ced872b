// CPU times of threads whose files cannot be read, and of threads that are gone.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/drain/cpu.h"

static pid_t thread_number(void)
{
    return (pid_t)syscall(SYS_gettid);
}

static void *say_number(void *out)
{
    *(pid_t *)out = thread_number();
    return NULL;
}

static pid_t ended_thread(void)
{
    pthread_t thread;
    pid_t number = 0;
    assert_int_equal(pthread_create(&thread, NULL, say_number, &number), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return number;
}

static void test_time_passes(void **state)
{
    (void)state;
    struct cpu_watch watch;
    uint64_t before, after;
    cpu_watch_begin(&watch, getpid(), thread_number(), false);
    assert_true(cpu_read(&watch, &before));
    do {
        assert_true(cpu_read(&watch, &after));
    } while (after == before);
    assert_true(after > before);
    cpu_watch_end(&watch);
}

struct stay {
    _Atomic pid_t number;
    int wait_pipe;
};

static void *stay(void *context)
{
    struct stay *this = context;
    char byte;
    this->number = thread_number();
    (void)!read(this->wait_pipe, &byte, 1); // until the other end is closed
    return NULL;
}

// Recognised by its open file, and by its folder.
static void test_a_thread_that_is_gone(void **state)
{
    (void)state;
    pthread_t thread;
    struct cpu_watch watch;
    uint64_t total;
    int wait_pipe[2];
    assert_int_equal(pipe(wait_pipe), 0);
    struct stay stays = {.wait_pipe = wait_pipe[0]};
    assert_int_equal(pthread_create(&thread, NULL, stay, &stays), 0);
    while (stays.number == 0) {
        (void)usleep(1000);
    }
    cpu_watch_begin(&watch, getpid(), stays.number, false);
    assert_true(cpu_read(&watch, &total));
    (void)close(wait_pipe[1]); // which ends it
    assert_int_equal(pthread_join(thread, NULL), 0);
    while (cpu_read(&watch, &total)) {
        (void)usleep(1000); // joined a moment before the system has let it go
    }
    cpu_watch_end(&watch);
    (void)close(wait_pipe[0]); // a pipe
    cpu_watch_begin(&watch, getpid(), ended_thread(), false);
    assert_int_equal(watch.schedstat, -1);
    while (cpu_read(&watch, &total)) {
        (void)usleep(1000);
    }
    cpu_watch_end(&watch);
}

// Taken for gone, its slot would be given to another thread while it still writes there.
static void test_a_failed_read_is_no_death(void **state)
{
    (void)state;
    struct cpu_watch watch;
    uint64_t total;
    cpu_watch_begin(&watch, getpid(), thread_number(), false);
    assert_true(watch.schedstat >= 0);
    (void)close(watch.schedstat); // replaced by one that cannot be read
    watch.schedstat = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_true(cpu_read(&watch, &total));
    assert_int_equal(total, 0);
    (void)close(watch.schedstat); // another that cannot be read
    watch.schedstat = open("/proc", O_RDONLY | O_CLOEXEC);
    assert_true(cpu_read(&watch, &total));
    cpu_watch_end(&watch);
}

// /proc may hide a process. A pid that does not exist looks the same.
static void test_a_process_that_proc_does_not_show(void **state)
{
    (void)state;
    struct cpu_watch watch;
    uint64_t total;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    cpu_watch_begin(&watch, child, child, false);
    assert_true(cpu_read(&watch, &total));
    cpu_watch_end(&watch);
}

// When descriptors are few, the files of threads are not kept open.
static void test_descriptors_remain(void **state)
{
    (void)state;
    struct cpu_watch watches[100];
    struct rlimit before, few = {64, 64};
    uint64_t total;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = 0; i < 100; i++) {
        cpu_watch_begin(&watches[i], getpid(), thread_number(), false);
    }
    int more = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_in_range(more, 0, 32);
    (void)close(more); // only opened
    for (int i = 0; i < 100; i++) {
        assert_true(cpu_read(&watches[i], &total));
        assert_true(total > 0);
        cpu_watch_end(&watches[i]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_passes),
        cmocka_unit_test(test_a_thread_that_is_gone),
        cmocka_unit_test(test_a_failed_read_is_no_death),
        cmocka_unit_test(test_a_process_that_proc_does_not_show),
        cmocka_unit_test(test_descriptors_remain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
