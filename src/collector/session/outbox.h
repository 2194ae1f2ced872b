// What the collector tells the CLI about processes. Nothing of it waits for a CLI that does not listen, one that was stopped
// for instance: messages queue up here, in order.
#ifndef CLEW_COLLECTOR_OUTBOX_H
#define CLEW_COLLECTOR_OUTBOX_H

#include <pthread.h>
#include <stddef.h>

#include "collector/session/channel.h"

struct outbox {
    int channel;          // -1: there is no CLI to tell
    pthread_mutex_t lock; // guards what follows: two threads put and send
    struct outgoing {
        struct channel_message message;
        int segment; // a copy; -1: none
    } * queue;
    size_t count, room;
};

void outbox_init(struct outbox *outbox, int channel);
// Copies the descriptor of the segment (-1: none) where the message cannot be sent at once.
void outbox_put(struct outbox *outbox, struct channel_message message, int segment);
// Sends what the CLI has room for.
void outbox_send(struct outbox *outbox);
void outbox_free(struct outbox *outbox);

#endif
