// Messages to a CLI that does not read, and to one that is gone.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "collector/session/outbox.h"

enum { MANY = 5000 }; // more than a socket takes

static int cli, collector, memory;
static struct outbox outbox;

static int set_up(void **state)
{
    (void)state;
    memory = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!channel_new(&cli, &collector) || memory < 0) {
        return -1;
    }
    outbox_init(&outbox, collector);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    outbox_free(&outbox);
    (void)close(cli); // pipes
    (void)close(collector);
    return close(memory);
}

static void put(enum channel_kind kind, uint32_t process, int segment)
{
    outbox_put(&outbox, (struct channel_message){.kind = kind, .process = process}, segment);
}

static void expect(enum channel_kind kind, uint32_t process, bool has_segment)
{
    struct channel_message message;
    int segment;
    outbox_send(&outbox);
    struct pollfd entry = {.fd = cli, .events = POLLIN};
    assert_int_equal(poll(&entry, 1, 0), 1);
    assert_true(channel_receive(cli, &message, &segment));
    assert_int_equal(message.kind, kind);
    assert_int_equal(message.process, process);
    assert_int_equal(segment >= 0, has_segment);
    if (has_segment) {
        (void)close(segment); // a copy
    }
}

static int free_descriptor(void)
{
    int fd = dup(memory);
    (void)close(fd); // a copy
    return fd;
}

static void test_a_cli_that_reads(void **state)
{
    (void)state;
    put(CHANNEL_SEGMENT, 7, memory);
    expect(CHANNEL_SEGMENT, 7, true);
    put(CHANNEL_RELEASED, 7, -1);
    expect(CHANNEL_RELEASED, 7, false);
    assert_int_equal(outbox.count, 0);
}

// All messages arrive in order, and no call has blocked.
static void test_a_cli_that_reads_late(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= MANY; i++) {
        put(CHANNEL_RELEASED, i, -1);
    }
    assert_true(outbox.count > 0);
    put(CHANNEL_SEGMENT, MANY + 1, memory);
    for (uint32_t i = 1; i <= MANY; i++) {
        expect(CHANNEL_RELEASED, i, false);
    }
    expect(CHANNEL_SEGMENT, MANY + 1, true);
    assert_int_equal(outbox.count, 0);
}

// Queued messages of finished processes keep no descriptors, however many processes there were.
static void test_segments_that_are_not_needed_any_more_go(void **state)
{
    (void)state;
    uint32_t full = 0;
    while (outbox.count == 0) {
        put(CHANNEL_RELEASED, ++full, -1);
    }
    int before = free_descriptor();
    for (uint32_t i = 1; i <= 100; i++) {
        put(CHANNEL_SEGMENT, full + i, memory);
        put(CHANNEL_RELEASED, full + i, -1);
    }
    assert_int_equal(free_descriptor(), before);
    for (uint32_t i = 1; i <= full; i++) {
        expect(CHANNEL_RELEASED, i, false);
    }
    for (uint32_t i = 1; i <= 100; i++) {
        expect(CHANNEL_SEGMENT, full + i, false);
        expect(CHANNEL_RELEASED, full + i, false);
    }
}

static void test_a_cli_that_is_gone(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= MANY; i++) {
        put(CHANNEL_SEGMENT, i, memory);
    }
    (void)close(cli); // nothing to flush
    cli = -1;
    outbox_send(&outbox);
    assert_int_equal(outbox.count, 0);
    put(CHANNEL_SEGMENT, 1, memory);
    assert_int_equal(outbox.count, 0);
}

static void test_no_cli(void **state)
{
    (void)state;
    struct outbox none;
    outbox_init(&none, -1);
    outbox_put(&none, (struct channel_message){.kind = CHANNEL_READY}, -1);
    outbox_send(&none);
    assert_int_equal(none.count, 0);
    outbox_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_cli_that_reads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_cli_that_reads_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_segments_that_are_not_needed_any_more_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_cli_that_is_gone, set_up, tear_down),
        cmocka_unit_test(test_no_cli),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
