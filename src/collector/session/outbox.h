// Messages from the collector to the CLI about processes. The collector never blocks on a CLI that does not read, for
// example one that was stopped (SIGSTOP): messages queue up here, in order.
#ifndef CLEW_COLLECTOR_OUTBOX_H
#define CLEW_COLLECTOR_OUTBOX_H

#include <pthread.h>
#include <stddef.h>

#include "collector/session/channel.h"

struct outbox {
    int channel;          // -1: the CLI itself is the collector, and messages are dropped
    pthread_mutex_t lock; // guards the queue: the acceptor puts, the main thread puts and sends
    struct outgoing {
        struct channel_message message;
        int segment; // a duplicate descriptor; -1: none
    } * queue;
    size_t count, room;
};

void outbox_init(struct outbox *outbox, int channel);
// Sends the message at once, or queues it with a duplicate of `segment` (-1: none). The caller still owns `segment`.
void outbox_put(struct outbox *outbox, struct channel_message message, int segment);
// Sends queued messages, as many as the CLI has room for.
void outbox_send(struct outbox *outbox);
void outbox_free(struct outbox *outbox);

#endif
