// Messages keep their order: while one is queued, later ones are queued behind it. ETOOMANYREFS and a full socket both
// mean that the CLI does not read at the moment.
#include "collector/session/outbox.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/locked.h"

static void close_segment(const struct outgoing *outgoing)
{
    if (outgoing->segment >= 0) {
        (void)close(outgoing->segment); // our duplicate
    }
}

static void drop_first(struct outbox *outbox, size_t count)
{
    CLEW_ASSERT(count <= outbox->count && outbox->count <= outbox->room);
    for (size_t i = 0; i < count; i++) {
        close_segment(&outbox->queue[i]);
    }
    outbox->count -= count;
    if (outbox->count) {
        memmove(outbox->queue, outbox->queue + count, outbox->count * sizeof *outbox->queue);
    }
}

static void send_queued(struct outbox *outbox)
{
    CLEW_ASSERT_LOCKED(&outbox->lock);
    size_t sent = 0;
    while (sent < outbox->count) {
        const struct outgoing *next = &outbox->queue[sent];
        enum channel_sent state = channel_send(outbox->channel, next->message, next->segment, false);
        if (state == CHANNEL_FULL) {
            break;
        }
        sent = state == CHANNEL_CLOSED ? outbox->count : sent + 1; // the CLI is dead: drop them all
    }
    if (sent) {
        drop_first(outbox, sent);
    }
}

void outbox_init(struct outbox *outbox, int channel)
{
    *outbox = (struct outbox){.channel = channel};
    (void)pthread_mutex_init(&outbox->lock, NULL); // cannot fail for a plain one
}

// When a process is finished, the CLI does not need a segment of it that is still queued: closes that descriptor. The
// message itself stays queued, so that the CLI knows of the process.
static void forget_segment(struct outbox *outbox, uint32_t process)
{
    CLEW_ASSERT_LOCKED(&outbox->lock);
    for (size_t i = 0; i < outbox->count; i++) {
        struct outgoing *outgoing = &outbox->queue[i];
        if (outgoing->message.process == process) {
            close_segment(outgoing);
            outgoing->segment = -1;
        }
    }
}

void outbox_put(struct outbox *outbox, struct channel_message message, int segment)
{
    if (outbox->channel < 0) {
        return;
    }
    (void)pthread_mutex_lock(&outbox->lock); // a plain mutex, never locked twice
    send_queued(outbox);
    bool sent = outbox->count == 0 && channel_send(outbox->channel, message, segment, false) != CHANNEL_FULL;
    if (!sent) {
        CLEW_ASSERT(outbox->channel >= 0);
        forget_segment(outbox, message.process);
        // Without memory the message is lost: the CLI keeps a segment open for longer, or counts one as missing.
        if (array_grow(&outbox->queue, outbox->count, &outbox->room, sizeof *outbox->queue)) {
            int copy = segment >= 0 ? fcntl(segment, F_DUPFD_CLOEXEC, 0) : -1;
            outbox->queue[outbox->count++] = (struct outgoing){message, copy};
        }
    }
    (void)pthread_mutex_unlock(&outbox->lock);
}

void outbox_send(struct outbox *outbox)
{
    if (outbox->channel >= 0) {
        (void)pthread_mutex_lock(&outbox->lock); // a plain mutex, never locked twice
        send_queued(outbox);
        (void)pthread_mutex_unlock(&outbox->lock);
    }
}

void outbox_free(struct outbox *outbox)
{
    drop_first(outbox, outbox->count);
    free(outbox->queue);
}
