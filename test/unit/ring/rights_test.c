// Messages over a unix socket, with and without a file descriptor beside them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/rights.h"

struct ends {
    int from, to;
};

static struct ends connect_both(void)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
    return (struct ends){pair[0], pair[1]};
}

static void close_both(struct ends ends)
{
    (void)close(ends.from);
    (void)close(ends.to);
}

static void a_descriptor_comes_with_its_message(void **state)
{
    (void)state;
    struct ends ends = connect_both();
    uint64_t message = 7, received = 0;
    struct stat sent, got;
    int descriptor, file = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(rights_send(ends.from, &message, sizeof message, file, MSG_NOSIGNAL), sizeof message);
    assert_int_equal(rights_receive(ends.to, &received, sizeof received, &descriptor), sizeof received);
    assert_int_equal(received, message);
    assert_true(descriptor >= 0 && descriptor != file);
    assert_int_equal(fstat(file, &sent), 0);
    assert_int_equal(fstat(descriptor, &got), 0);
    assert_true(sent.st_dev == got.st_dev && sent.st_ino == got.st_ino);
    assert_true(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    (void)close(descriptor);
    (void)close(file);
    close_both(ends);
}

static void a_message_may_come_alone(void **state)
{
    (void)state;
    struct ends ends = connect_both();
    uint64_t message = 7, received = 0;
    int descriptor = 0;
    assert_int_equal(rights_send(ends.from, &message, sizeof message, -1, MSG_NOSIGNAL), sizeof message);
    assert_int_equal(rights_receive(ends.to, &received, sizeof received, &descriptor), sizeof received);
    assert_int_equal(received, message);
    assert_int_equal(descriptor, -1);
    close_both(ends);
}

static void nothing_is_received_without_a_message(void **state)
{
    (void)state;
    struct ends ends = connect_both();
    uint64_t received;
    int descriptor = 0;
    assert_int_equal(rights_receive(ends.to, &received, sizeof received, &descriptor), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(descriptor, -1);
    (void)close(ends.from);
    assert_int_equal(rights_receive(ends.to, &received, sizeof received, &descriptor), 0); // the other side is gone
    assert_int_equal(descriptor, -1);
    (void)close(ends.to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_comes_with_its_message),
        cmocka_unit_test(a_message_may_come_alone),
        cmocka_unit_test(nothing_is_received_without_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
