// The collector's two other threads: the acceptor answers processes that ask to be recorded, and the ticker stores the
// time into their segments. Both are separate from the main thread because agents wait for them, and a pass may take
// long.
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "collector/collect/collecting.h"
#include "collector/session/channel.h"
#include "collector/session/command_line.h"
#include "ring/handshake.h"

enum {
    TICK_NS = 100 * 1000,
    // Where the tick word only says whether a call took long (weave: `moment`). Each tick wakes a thread, which takes 6 % of a
    // processor at the finer rate.
    TICK_OF_MOMENTS_NS = 500 * 1000,
    ANSWER_NICE = -10,
    KEEP_SLACK = 1024, // chunks (16 MiB) for new events while a flight recorder discards the oldest
};

struct ring_options collector__segment_options(const struct session *session)
{
    const struct recording_session *record = &session->record;
    struct ring_options options = {
        .clock = record->clock,
        .instruments = record->instruments,
        .flags = record->flags,
        .depth_max = record->depth_max,
        .nodes_max = session->nodes_max,
        .scope = record->scope,
    };
    if (record->flags & SESSION_KEEP_LAST) {
        options.chunk_quota = session_keep_chunks(session) + KEEP_SLACK;
    }
    return options;
}

static enum clew_error make_segment(struct collector *collector, pid_t pid, int *segment, struct ring_header **ring)
{
    const struct session *session = collector->session;
    struct ring_options options = collector__segment_options(session);
    options.process = atomic_load(&session->shared->processes) + 1; // only the acceptor increments it
    CLEW_TRY(segment_create(&options, segment, ring));
    atomic_store(&session->shared->processes, options.process);
    (*ring)->os_pid = pid;
    (*ring)->started_clock = session_clock(session);
    atomic_store(&(*ring)->tick_ns, clock_monotonic_ns());
    enum clew_error error = segment_protect(*segment, *ring);
    if (error != CLEW_OK) {
        segment_unmap(*ring);
        (void)close(*segment); // the program has not received it
    }
    return error;
}

// Sends the segment to the CLI before the process gets it: if this collector dies next, the CLI can finish the file.
static enum clew_error welcome(struct collector *collector, struct handshake_peer *peer)
{
    int segment;
    struct ring_header *ring;
    enum clew_error error = make_segment(collector, peer->pid, &segment, &ring);
    if (error != CLEW_OK) {
        atomic_store(&collector->session->shared->segment_number, error == CLEW_IO ? errno : 0);
        (void)handshake_answer(peer, RING_WELCOME_FAILED, -1); // the process stays unrecorded even if this fails
        return error;
    }
    CLEW_ASSERT(ring->process == atomic_load(&collector->session->shared->processes));
    struct watch watch = watch_begin(peer->pid); // the process waits for our answer, so its number is still its own
    struct channel_message message = {
        .kind = CHANNEL_SEGMENT, .process = ring->process, .pid = watch.pid, .started = watch.started};
    outbox_put(&collector->outbox, message, segment);
    (void)handshake_answer(peer, RING_WELCOME_ACCEPTED, segment); // a process that does not get it is dormant
    (void)close(segment);                                         // the mapping stays
    struct process *process;
    return collector__add(collector, ring, watch, &process);
}

// Copies a text for the terminal: cuts it to SESSION_TEXT_MAX, and replaces control characters.
static void copy_text(char *into, const char *from)
{
    size_t size = 0;
    for (; from && from[size] && size + 1 < SESSION_TEXT_MAX; size++) {
        into[size] = (unsigned char)from[size] < ' ' || from[size] == 0x7f ? '?' : from[size];
    }
    CLEW_ASSERT(size < SESSION_TEXT_MAX);
    into[size] = '\0';
}

static void refuse(struct collector *collector, struct handshake_peer *peer)
{
    struct session_shared *shared = collector->session->shared;
    char *command = command_of_process(peer->pid, collector->session->record.scope);
    if (shared->child[0] == '\0') {
        copy_text(shared->child, command);
    }
    free(command);
    atomic_fetch_add(&shared->refused_children, 1);
    (void)handshake_answer(peer, RING_WELCOME_OTHER_PROCESS, -1); // the process stays unrecorded even if this fails
}

// The recording is full. The process stays unrecorded whether it gets the answer or not.
static void turn_away(struct collector *collector, struct handshake_peer *peer)
{
    atomic_fetch_add(&collector->session->shared->late_processes, 1);
    (void)handshake_answer(peer, RING_WELCOME_FAILED, -1);
}

void *collector__answer_all(void *context)
{
    struct collector *collector = context;
    const struct session *session = collector->session;
    struct handshake_queue queue = {.listener = collector->listener};
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(),
                      ANSWER_NICE); // agents wait for this thread; it needs a privilege, and works without
    while (!atomic_load(&collector->stop)) {
        struct handshake_peer peer;
        enum clew_error error = handshake_accept(&queue, &peer);
        if (error == CLEW_UNSUPPORTED) {
            copy_text(session->shared->build, peer.hello.build);
            atomic_fetch_add(&session->shared->other_version, 1);
        } else if (error == CLEW_OK && !session->children && peer.pid != session->program) {
            refuse(collector, &peer);
        } else if (error == CLEW_OK && atomic_load(&collector->closed)) {
            turn_away(collector, &peer);
        } else if (error == CLEW_OK) {
            error = welcome(collector, &peer);
            if (error != CLEW_OK) {
                atomic_store(&session->shared->segment_error, error);
            }
            (void)eventfd_write(collector->wake, 1); // fails only when the counter is full, and then it is readable
        } else if (error == CLEW_NOT_FOUND) {
            break; // the listener was shut down
        }
    }
    handshake_forget(&queue);
    return NULL;
}

// -- The tick clock ---------------------------------------------------------------------------------------------------

void *collector__tick_all(void *context)
{
    struct collector *collector = context;
    const struct recording_session *record = &collector->session->record;
    bool fine = record->clock == CLOCK_KIND_TICK || record->instruments & INSTRUMENT_LINES;
    struct timespec pause = {.tv_nsec = fine ? TICK_NS : TICK_OF_MOMENTS_NS};
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); // wakes on time; on failure the ticks are only coarser
    while (!atomic_load(&collector->stop)) {
        uint64_t now = clock_monotonic_ns();
        (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
        for (const struct process *at = collector->first; at; at = at->next) {
            atomic_store_explicit(&at->ring->tick_ns, now, memory_order_relaxed);
        }
        (void)pthread_mutex_unlock(&collector->lock);
        (void)nanosleep(&pause, NULL); // if interrupted, the next tick only comes earlier
    }
    return NULL;
}
