// The state of a collector, for collector.c and its parts: process_list.c, answer.c, adopt.c.
//
// Three threads. The main thread drains and writes the file; it alone calls the functions of drain/ on processes in the
// list. The acceptor (answer.c) answers processes and appends them to the list. The ticker (answer.c) stores the time
// into the segments of all listed processes.
//
// Locks: collector.lock guards the list; outbox.lock guards the queue of messages to the CLI. No function takes one
// while it holds the other, so they have no order, and none of them is held over I/O on the file.
#ifndef CLEW_COLLECTOR_COLLECTING_H
#define CLEW_COLLECTOR_COLLECTING_H

#include <pthread.h>

#include "collector/collect/collector.h"
#include "collector/drain/process.h"
#include "collector/session/outbox.h"
#include "ring/segment.h"

struct collector {
    const struct session *session;
    struct drain drain;
    int listener;
    struct outbox outbox; // to the CLI
    int wake;             // eventfd, readable after a process was added
    pthread_t acceptor, ticker;
    bool accepting, ticking;
    _Atomic bool stop;
    _Atomic bool closed; // the recording is full and closed, while programs still run
    // Processes that are not finished, in the order in which they were added. After a takeover that need not be the
    // order of their numbers: the acceptor may add new processes before collector_adopt() adds the old ones. The ticker
    // only reads, and only the main thread removes; so a process that the main thread has found stays valid without
    // the lock.
    pthread_mutex_t lock;
    struct process *first, *last;
};

// The list of processes. These take the lock; any thread may call them, except that only the main thread unlinks. NULL
// at the end of the list.
struct process *collector__first(struct collector *collector);
struct process *collector__next(struct collector *collector, const struct process *process);
// Makes a process and appends it to the list. Owns the mapping and the watch, even on failure.
enum clew_error collector__add(struct collector *collector, struct ring_header *ring, struct watch watch,
                               struct process **out);
void collector__unlink(struct collector *collector, const struct process *process);

// The options that all segments of a session have in common.
struct ring_options collector__segment_options(const struct session *session);
// Adds the totals of a finished process to those of the session, which outlive this collector.
void collector__settle(struct collector *collector, struct process *process);
// Stores the first write error in session->shared; the recording stops there, and the programs continue. OK does
// nothing.
void collector__fail(struct collector *collector, enum clew_error error);

// The functions of the acceptor and of the ticker; their argument is the collector.
void *collector__answer_all(void *context);
void *collector__tick_all(void *context);

#endif
