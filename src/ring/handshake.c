// Both ends of the handshake. The agent's end runs in a foreign process before its Main: it never blocks beyond its
// deadline, raises no signal (MSG_NOSIGNAL), and leaves no descriptor open on failure.
#include "ring/handshake.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ring/rights.h"

enum { BACKLOG = 64, TRIES = 3 };

static bool address_of(const char *path, struct sockaddr_un *address)
{
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof address->sun_path) {
        return false;
    }
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, size);
    return true;
}

static bool same_user(int fd, int32_t *pid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return false;
    }
    *pid = peer.pid;
    return peer.uid == geteuid();
}

static int left_ms(uint64_t deadline_ns)
{
    uint64_t now = clock_monotonic_ns();
    return now >= deadline_ns ? 0 : (int)((deadline_ns - now + 999999) / 1000000);
}

uint64_t handshake_deadline(void)
{
    return clock_monotonic_ns() + HANDSHAKE_LIMIT_MS * 1000000;
}

static bool wait_for(int fd, short events, uint64_t deadline_ns)
{
    struct pollfd entry = {.fd = fd, .events = events};
    int ready;
    do {
        ready = poll(&entry, 1, left_ms(deadline_ns));
    } while (ready < 0 && errno == EINTR && left_ms(deadline_ns) > 0);
    return ready == 1;
}

// connect() of a nonblocking unix socket fails with EAGAIN while the listener's queue is full. poll() does not report
// when that changes, so this tries again every millisecond.
static enum clew_error connect_until(int fd, const struct sockaddr_un *address, uint64_t deadline_ns)
{
    while (connect(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
        if (errno != EAGAIN && errno != EINTR) {
            return CLEW_NOT_FOUND;
        }
        if (left_ms(deadline_ns) == 0) {
            return CLEW_NOT_FOUND;
        }
        struct timespec pause = {.tv_nsec = 1000000};
        (void)nanosleep(&pause, NULL); // an early wake-up only makes the next try earlier
    }
    return CLEW_OK;
}

static enum clew_error receive_welcome(int fd, struct ring_welcome *welcome, int *segment)
{
    return rights_receive(fd, welcome, sizeof *welcome, segment) == (ssize_t)sizeof *welcome ? CLEW_OK : CLEW_IO;
}

static enum clew_error check_welcome(const struct ring_welcome *welcome, int segment)
{
    if (welcome->magic != RING_MAGIC || welcome->version != RING_VERSION ||
        welcome->status == RING_WELCOME_OTHER_VERSION) {
        return CLEW_UNSUPPORTED;
    }
    if (welcome->status != RING_WELCOME_ACCEPTED) {
        return CLEW_REFUSED;
    }
    return segment >= 0 ? CLEW_OK : CLEW_IO;
}

// *gone: the collector has ended without an answer.
static enum clew_error exchange(int fd, const char *build, uint64_t deadline_ns, int *segment, bool *gone)
{
    struct ring_hello hello = {.magic = RING_MAGIC,
                               .version = RING_VERSION,
                               .size = sizeof hello,
                               .header_size = sizeof(struct ring_header),
                               .pid = getpid()};
    size_t size = strnlen(build, sizeof hello.build - 1);
    memcpy(hello.build, build, size);
    int32_t pid;
    if (!same_user(fd, &pid)) {
        return CLEW_REFUSED;
    }
    if (send(fd, &hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello) {
        *gone = true;
        return CLEW_IO;
    }
    if (!wait_for(fd, POLLIN, deadline_ns)) {
        return CLEW_NOT_FOUND;
    }
    struct ring_welcome welcome = {0};
    enum clew_error error = receive_welcome(fd, &welcome, segment);
    *gone = error != CLEW_OK;
    if (error == CLEW_OK) {
        error = check_welcome(&welcome, *segment);
    }
    if (error != CLEW_OK && *segment >= 0) {
        (void)close(*segment); // nothing was mapped yet
        *segment = -1;
    }
    return error;
}

static enum clew_error connect_once(const struct sockaddr_un *address, const char *build, uint64_t deadline_ns,
                                    int *segment, bool *gone)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    *gone = false;
    if (fd < 0) {
        return CLEW_IO;
    }
    enum clew_error error = connect_until(fd, address, deadline_ns);
    if (error == CLEW_OK) {
        error = exchange(fd, build, deadline_ns, segment, gone);
    }
    (void)close(fd); // a socket without unsent data
    return error;
}

enum clew_error handshake_connect(const char *path, const char *build, uint64_t deadline_ns, int *segment)
{
    struct sockaddr_un address;
    enum clew_error error = CLEW_IO;
    bool gone = true;
    *segment = -1;
    if (!address_of(path, &address)) {
        return CLEW_NOT_FOUND;
    }
    for (int tries = 0; tries < TRIES && gone && left_ms(deadline_ns) > 0; tries++) {
        error = connect_once(&address, build, deadline_ns, segment, &gone);
    }
    return error;
}

enum clew_error handshake_receive_started(int fd, uint64_t deadline_ns, struct ring_started *started)
{
    if (!wait_for(fd, POLLIN, deadline_ns)) {
        return CLEW_NOT_FOUND;
    }
    bool whole = read(fd, started, sizeof *started) == (ssize_t)sizeof *started &&
                 memchr(started->socket_path, 0, sizeof started->socket_path);
    return whole ? CLEW_OK : CLEW_REFUSED;
}

enum clew_error handshake_listen(const char *path, int *listener)
{
    struct sockaddr_un address;
    if (!address_of(path, &address)) {
        return CLEW_IO;
    }
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return CLEW_IO;
    }
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || chmod(path, 0600) != 0 ||
        listen(fd, BACKLOG) != 0) {
        (void)close(fd); // the earlier error is the one to report
        return CLEW_IO;
    }
    *listener = fd;
    return CLEW_OK;
}

// Reads the hello of a connection that poll() reported as readable.
static enum clew_error receive_hello(struct handshake_peer *peer)
{
    struct ring_hello *hello = &peer->hello;
    ssize_t size = recv(peer->fd, hello, sizeof *hello, MSG_DONTWAIT);
    if (size < (ssize_t)(sizeof hello->magic + sizeof hello->version) || hello->magic != RING_MAGIC) {
        return CLEW_IO;
    }
    bool same = size == (ssize_t)sizeof *hello && hello->version == RING_VERSION && hello->size == sizeof *hello &&
                hello->header_size == sizeof(struct ring_header);
    hello->build[sizeof hello->build - 1] = '\0';
    return same ? CLEW_OK : CLEW_UNSUPPORTED;
}

static void remove_waiting(struct handshake_queue *queue, uint32_t index)
{
    queue->count--;
    memmove(&queue->waiting[index], &queue->waiting[index + 1], (queue->count - index) * sizeof *queue->waiting);
}

static void drop_waiting(struct handshake_queue *queue, uint32_t index)
{
    (void)close(queue->waiting[index].fd); // nothing to flush
    remove_waiting(queue, index);
}

static enum clew_error receive_from(struct handshake_queue *queue, uint32_t index, struct handshake_peer *peer)
{
    peer->fd = queue->waiting[index].fd;
    peer->pid = queue->waiting[index].pid;
    remove_waiting(queue, index);
    enum clew_error error = receive_hello(peer);
    if (error == CLEW_UNSUPPORTED) {
        (void)handshake_answer(peer, RING_WELCOME_OTHER_VERSION, -1); // the agent stays dormant even if this fails
    } else if (error != CLEW_OK) {
        (void)close(peer->fd); // nothing to flush
        peer->fd = -1;
    }
    return error;
}

static bool lacks_descriptors(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM;
}

// Accepts a connection, whose hello is read later. OK also if there was none after all; errors as handshake_accept().
static enum clew_error accept_connection(struct handshake_queue *queue)
{
    int32_t pid;
    int fd = accept4(queue->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0 && lacks_descriptors(errno)) {
        struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
        (void)nanosleep(&pause, NULL); // an early wake-up only makes the next try earlier
        return CLEW_IO;
    }
    if (fd < 0) {
        return errno == EINTR || errno == ECONNABORTED || errno == EAGAIN ? CLEW_OK : CLEW_NOT_FOUND;
    }
    if (!same_user(fd, &pid)) {
        (void)close(fd); // nothing to flush
        return CLEW_REFUSED;
    }
    if (queue->count == HANDSHAKE_WAITING_MAX) {
        drop_waiting(queue, 0);
    }
    queue->waiting[queue->count].fd = fd;
    queue->waiting[queue->count].pid = pid;
    queue->waiting[queue->count++].deadline_ns = handshake_deadline();
    return CLEW_OK;
}

// For poll(): milliseconds until the oldest connection's deadline, which is the earliest; -1: there is none.
static int until_first_deadline(const struct handshake_queue *queue)
{
    return queue->count ? left_ms(queue->waiting[0].deadline_ns) : -1;
}

enum clew_error handshake_accept(struct handshake_queue *queue, struct handshake_peer *peer)
{
    struct pollfd entries[HANDSHAKE_WAITING_MAX + 1];
    *peer = (struct handshake_peer){.fd = -1};
    for (;;) {
        uint32_t count = queue->count;
        for (uint32_t i = 0; i < count; i++) {
            entries[i] = (struct pollfd){.fd = queue->waiting[i].fd, .events = POLLIN};
        }
        entries[count] = (struct pollfd){.fd = queue->listener, .events = POLLIN};
        int ready = poll(entries, count + 1, until_first_deadline(queue));
        for (uint32_t i = 0; ready > 0 && i < count; i++) {
            if (entries[i].revents) {
                return receive_from(queue, i, peer);
            }
        }
        if (count && left_ms(queue->waiting[0].deadline_ns) == 0) {
            drop_waiting(queue, 0);
            return CLEW_IO;
        }
        if (ready > 0) {
            CLEW_TRY(accept_connection(queue));
        }
    }
}

void handshake_forget(struct handshake_queue *queue)
{
    while (queue->count) {
        drop_waiting(queue, queue->count - 1);
    }
}

enum clew_error handshake_answer(struct handshake_peer *peer, enum ring_welcome_status status, int segment)
{
    struct ring_welcome welcome = {.magic = RING_MAGIC, .version = RING_VERSION, .status = status};
    int passed = status == RING_WELCOME_ACCEPTED ? segment : -1;
    ssize_t size = rights_send(peer->fd, &welcome, sizeof welcome, passed, MSG_NOSIGNAL);
    (void)close(peer->fd); // the peer can still receive the message
    peer->fd = -1;
    return size == (ssize_t)sizeof welcome ? CLEW_OK : CLEW_IO;
}
