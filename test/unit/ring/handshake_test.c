// The agent gets its segment from the collector, or gives up in time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "ring/handshake.h"
#include "ring/segment.h"

enum { SHORT_MS = 50 }; // a limit for tests that wait until it has passed

struct collector {
    char folder[32], path[48];
    int listener;
    pthread_t thread;
    enum ring_welcome_status status; // to answer with; 0: never
    enum clew_error accepted;
    struct handshake_peer peer;
    uint64_t limit_ms; // as it ships
};

static int set_up(void **state)
{
    struct collector *collector = calloc(1, sizeof *collector);
    if (!collector) {
        return -1;
    }
    collector->limit_ms = HANDSHAKE_LIMIT_MS;
    (void)snprintf(collector->folder, sizeof collector->folder, "/tmp/clew-test-XXXXXX");
    if (!mkdtemp(collector->folder)) {
        return -1;
    }
    (void)snprintf(collector->path, sizeof collector->path, "%s/socket", collector->folder);
    *state = collector;
    return handshake_listen(collector->path, &collector->listener) == CLEW_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct collector *collector = *state;
    HANDSHAKE_LIMIT_MS = collector->limit_ms;
    (void)close(collector->listener);
    (void)unlink(collector->path);
    int gone = rmdir(collector->folder);
    free(collector);
    return gone;
}

static void *answer(void *context)
{
    struct collector *collector = context;
    struct ring_options options = {.process = 3, .nodes_max = 1024};
    struct ring_header *ring;
    int segment = -1;
    struct handshake_queue queue = {.listener = collector->listener};
    collector->accepted = handshake_accept(&queue, &collector->peer);
    if (collector->accepted != CLEW_OK || !collector->status) {
        return NULL;
    }
    if (collector->status == RING_WELCOME_ACCEPTED && segment_create(&options, &segment, &ring) == CLEW_OK) {
        segment_unmap(ring);
    }
    (void)handshake_answer(&collector->peer, collector->status, segment);
    if (segment >= 0) {
        (void)close(segment);
    }
    return NULL;
}

static enum clew_error connect_to(struct collector *collector, enum ring_welcome_status status, int *segment)
{
    collector->status = status;
    assert_int_equal(pthread_create(&collector->thread, NULL, answer, collector), 0);
    enum clew_error error = handshake_connect(collector->path, "1.2.3", handshake_deadline(), segment);
    (void)pthread_join(collector->thread, NULL);
    return error;
}

static void a_segment_arrives(void **state)
{
    struct collector *collector = *state;
    struct ring_header *ring;
    int segment;
    assert_int_equal(connect_to(collector, RING_WELCOME_ACCEPTED, &segment), CLEW_OK);
    assert_int_equal(segment_map(segment, &ring), CLEW_OK);
    assert_int_equal(ring->process, 3);
    assert_int_equal(collector->peer.pid, getpid());
    assert_int_equal(collector->peer.hello.pid, getpid());
    assert_string_equal(collector->peer.hello.build, "1.2.3");
    segment_unmap(ring);
    (void)close(segment);
}

// The successor has the same socket.
static void *die_and_answer(void *context)
{
    struct collector *collector = context;
    struct handshake_queue queue = {.listener = collector->listener};
    struct handshake_peer peer;
    if (handshake_accept(&queue, &peer) == CLEW_OK) {
        (void)close(peer.fd);
    }
    return answer(context);
}

static void the_successor_of_a_collector_that_died_is_asked(void **state)
{
    struct collector *collector = *state;
    int segment;
    collector->status = RING_WELCOME_ACCEPTED;
    assert_int_equal(pthread_create(&collector->thread, NULL, die_and_answer, collector), 0);
    assert_int_equal(handshake_connect(collector->path, "1.2.3", handshake_deadline(), &segment), CLEW_OK);
    (void)pthread_join(collector->thread, NULL);
    (void)close(segment);
}

static void a_segment_may_be_refused(void **state)
{
    int segment;
    assert_int_equal(connect_to(*state, RING_WELCOME_OTHER_PROCESS, &segment), CLEW_REFUSED);
    assert_int_equal(segment, -1);
    assert_int_equal(connect_to(*state, RING_WELCOME_OTHER_VERSION, &segment), CLEW_UNSUPPORTED);
    assert_int_equal(connect_to(*state, RING_WELCOME_FAILED, &segment), CLEW_REFUSED);
}

static void a_missing_socket_is_reported(void **state)
{
    int segment;
    char longest[300];
    (void)state;
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(handshake_connect("/nonexistent/socket", "1", handshake_deadline(), &segment), CLEW_NOT_FOUND);
    assert_int_equal(handshake_connect("", "1", handshake_deadline(), &segment), CLEW_NOT_FOUND);
    assert_int_equal(handshake_connect(longest, "1", handshake_deadline(), &segment), CLEW_NOT_FOUND);
}

// Since `before`: the shorter limit has passed, and less than the one that ships. A busy machine adds its own.
static void expect_short_wait(const struct collector *collector, uint64_t before_ns)
{
    uint64_t waited_ms = (clock_monotonic_ns() - before_ns) / 1000000;
    assert_true(waited_ms >= SHORT_MS - 1);
    assert_true(waited_ms < collector->limit_ms);
}

// The listener's queue takes the connection, but no collector accepts it.
static void a_silent_collector_is_given_up_in_time(void **state)
{
    const struct collector *collector = *state;
    int segment;
    HANDSHAKE_LIMIT_MS = SHORT_MS;
    uint64_t before_ns = clock_monotonic_ns();
    assert_int_equal(handshake_connect(collector->path, "1", handshake_deadline(), &segment), CLEW_NOT_FOUND);
    expect_short_wait(collector, before_ns);
}

static void send_raw(const struct collector *collector, const void *bytes, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", collector->path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    if (size) {
        assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
    }
    (void)shutdown(fd, SHUT_WR);
    (void)close(fd);
}

static void other_versions_and_processes_are_recognised(void **state)
{
    struct collector *collector = *state;
    struct ring_hello hello = {
        .magic = RING_MAGIC, .version = RING_VERSION, .size = sizeof hello, .header_size = sizeof(struct ring_header)};
    struct handshake_queue queue = {.listener = collector->listener};
    struct handshake_peer peer;
    send_raw(collector, "hello", 5);
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_IO);
    send_raw(collector, NULL, 0);
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_IO);
    hello.version++;
    memset(hello.build, 'b', sizeof hello.build); // not terminated
    send_raw(collector, &hello, sizeof hello);
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_UNSUPPORTED);
    assert_int_equal(strlen(peer.hello.build), sizeof hello.build - 1);
    hello.version--;
    hello.header_size++;
    send_raw(collector, &hello, sizeof hello);
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_UNSUPPORTED);
}

static int connect_raw(const struct collector *collector)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", collector->path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

// Silent connections that came first stay open while a later one is answered.
static void silent_peers_delay_no_others(void **state)
{
    struct collector *collector = *state;
    const struct ring_hello hello = {
        .magic = RING_MAGIC, .version = RING_VERSION, .size = sizeof hello, .header_size = sizeof(struct ring_header)};
    struct handshake_queue queue = {.listener = collector->listener};
    struct handshake_peer peer;
    int silent[3];
    char byte;
    for (int i = 0; i < 3; i++) {
        silent[i] = connect_raw(collector);
    }
    int speaks = connect_raw(collector);
    assert_int_equal(send(speaks, &hello, sizeof hello, MSG_NOSIGNAL), sizeof hello);
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_OK);
    assert_int_equal(peer.pid, getpid());
    assert_int_equal(handshake_answer(&peer, RING_WELCOME_OTHER_PROCESS, -1), CLEW_OK);
    assert_int_equal(queue.count, 3);
    assert_int_equal(send(silent[1], &hello, sizeof hello, MSG_NOSIGNAL), sizeof hello);
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_OK); // late, but in time
    assert_int_equal(handshake_answer(&peer, RING_WELCOME_OTHER_PROCESS, -1), CLEW_OK);
    queue.waiting[0].deadline_ns = clock_monotonic_ns();
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_IO); // the first connection's deadline has passed
    assert_int_equal(queue.count, 1);
    handshake_forget(&queue);
    assert_int_equal(recv(silent[2], &byte, 1, 0), 0);
    assert_int_equal(shutdown(collector->listener, SHUT_RDWR), 0);
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_NOT_FOUND);
    for (int i = 0; i < 3; i++) {
        (void)close(silent[i]);
    }
    (void)close(speaks);
}

static void a_silent_peer_is_given_up_in_time(void **state)
{
    struct collector *collector = *state;
    struct handshake_queue queue = {.listener = collector->listener};
    struct handshake_peer peer;
    char byte;
    int silent = connect_raw(collector);
    HANDSHAKE_LIMIT_MS = SHORT_MS;
    uint64_t before_ns = clock_monotonic_ns();
    assert_int_equal(handshake_accept(&queue, &peer), CLEW_IO);
    expect_short_wait(collector, before_ns);
    assert_int_equal(recv(silent, &byte, 1, 0), 0); // closed
    (void)close(silent);
}

static void the_socket_is_private(void **state)
{
    const struct collector *collector = *state;
    struct stat status;
    assert_int_equal(stat(collector->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_segment_arrives),
        TEST(the_successor_of_a_collector_that_died_is_asked),
        TEST(a_segment_may_be_refused),
        TEST(a_missing_socket_is_reported),
        TEST(a_silent_collector_is_given_up_in_time),
        TEST(other_versions_and_processes_are_recognised),
        TEST(the_socket_is_private),
        TEST(silent_peers_delay_no_others),
        TEST(a_silent_peer_is_given_up_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
