// A log never blocks its writer, and is no link that somebody else may have put there.
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
#include <unistd.h>

#include "base/log_file.h"

static char folder[] = "/tmp/clew-test-XXXXXX";
static char path[64];

static int set_up(void **state)
{
    (void)state;
    memcpy(folder, "/tmp/clew-test-XXXXXX", sizeof folder);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/log", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static void it_is_created_private_and_appended_to(void **state)
{
    (void)state;
    struct stat about;
    assert_int_equal(log_file_open(path, false), -1);
    assert_int_equal(errno, ENOENT);
    for (int i = 1; i <= 2; i++) {
        int fd = log_file_open(path, true);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, "a\n", 2), 2);
        assert_int_equal(close(fd), 0);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_size, 2 * i);
        assert_int_equal(about.st_mode & 07777, 0600);
    }
}

static void a_pipe_that_nobody_reads_is_refused_at_once(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(log_file_open(path, true), -1);
    assert_int_equal(errno, ENXIO);
}

static void links_are_followed_in_dev_alone(void **state)
{
    (void)state;
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(log_file_open(path, true), -1);
    assert_int_equal(errno, ELOOP);
    int fd = log_file_open("/dev/stderr", true);
    assert_true(fd >= 0 || errno != ELOOP); // ENXIO where it is a socket
    if (fd >= 0) {
        assert_int_equal(close(fd), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_created_private_and_appended_to, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_that_nobody_reads_is_refused_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_are_followed_in_dev_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
