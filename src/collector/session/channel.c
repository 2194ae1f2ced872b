#include "collector/session/channel.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/assert.h"
#include "ring/rights.h"

static_assert(sizeof(struct channel_message) == 24, "a message has no padding: all of its bytes are sent");

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
    ssize_t size;
    do {
        size =
            rights_send(channel, &message, sizeof message, segment, waits ? MSG_NOSIGNAL : MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (size < 0 && errno == EINTR);
    if (size == (ssize_t)sizeof message) {
        return CHANNEL_SENT;
    }
    // ETOOMANYREFS: this user already has as many descriptors in flight as its limit allows.
    bool full = size < 0 && (errno == EAGAIN || errno == ETOOMANYREFS || errno == ENOBUFS || errno == ENOMEM);
    return full ? CHANNEL_FULL : CHANNEL_CLOSED;
}

bool channel_receive(int channel, struct channel_message *message, int *segment)
{
    ssize_t size;
    do {
        size = rights_receive(channel, message, sizeof *message, segment);
    } while (size < 0 && errno == EINTR);
    return size == (ssize_t)sizeof *message;
}
