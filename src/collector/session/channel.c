#include "collector/session/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/assert.h"

union control {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
};

static_assert(sizeof(struct channel_message) == 24, "a message has no padding: all of it is sent");

bool channel_new(int *cli, int *collector)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return false;
    }
    *cli = pair[0];
    *collector = pair[1];
    return true;
}

enum channel_sent channel_send(int channel, struct channel_message message, int segment, bool waits)
{
    union control control = {0};
    struct iovec part = {&message, sizeof message};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (segment >= 0) {
        header.msg_control = control.space;
        header.msg_controllen = sizeof control.space;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof segment);
        memcpy(CMSG_DATA(rights), &segment, sizeof segment);
    }
    ssize_t size;
    do {
        size = sendmsg(channel, &header, waits ? MSG_NOSIGNAL : MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (size < 0 && errno == EINTR);
    if (size == (ssize_t)sizeof message) {
        return CHANNEL_SENT;
    }
    // ETOOMANYREFS: as many descriptors as the limit allows are on the way already.
    bool full = size < 0 && (errno == EAGAIN || errno == ETOOMANYREFS || errno == ENOBUFS || errno == ENOMEM);
    return full ? CHANNEL_FULL : CHANNEL_CLOSED;
}

bool channel_receive(int channel, struct channel_message *message, int *segment)
{
    union control control = {0};
    struct iovec part = {message, sizeof *message};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    ssize_t size;
    do {
        size = recvmsg(channel, &header, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    const struct cmsghdr *rights = size > 0 ? CMSG_FIRSTHDR(&header) : NULL;
    *segment = -1;
    if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS &&
        rights->cmsg_len == CMSG_LEN(sizeof *segment)) {
        memcpy(segment, CMSG_DATA(rights), sizeof *segment);
    }
    return size == (ssize_t)sizeof *message;
}
