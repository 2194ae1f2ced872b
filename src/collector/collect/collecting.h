// What collector.c and its parts share: process_list.c, answer.c, adopt.c.
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
    int wake;             // eventfd: a process has come
    pthread_t acceptor, ticker;
    bool accepting, ticking;
    _Atomic bool stop;
    _Atomic bool closed; // the recording is, before the program has ended: nothing more is written
    // Those that are not done with, the oldest first. The acceptor adds, the ticker reads; the main thread removes, and so
    // needs no lock to look at one.
    pthread_mutex_t lock; // guards the list
    struct process *first, *last;
};

// The list of processes: from any thread.
struct process *collector__first(struct collector *collector);
struct process *collector__next(struct collector *collector, const struct process *process);
// Takes the mapping and the watch over, also on failure.
enum clew_error collector__add(struct collector *collector, struct ring_header *ring, struct watch watch,
                               struct process **out);
void collector__unlink(struct collector *collector, const struct process *process);

// What all segments of a session have in common.
struct ring_options collector__segment_options(const struct session *session);
// Adds the sums of a process to those of the session, which outlive this collector.
void collector__settle(struct collector *collector, struct process *process);
// Notes the first error of writing, with which the recording stops.
void collector__fail(struct collector *collector, enum clew_error error);

// Threads, each with the collector as its argument: one answers processes, the other moves the tick clock on.
void *collector__answer_all(void *context);
void *collector__tick_all(void *context);

#endif
