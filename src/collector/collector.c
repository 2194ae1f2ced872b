#include "collector/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/channel.h"
#include "collector/command.h"
#include "collector/exit_status.h"
#include "collector/limits.h"
#include "collector/outbox.h"
#include "collector/process.h"
#include "recording/parts.h"
#include "recording/reader.h"
#include "ring/handshake.h"
#include "ring/segment.h"

enum {
    PASS_BUSY_MS = 1,
    PASS_MS = 10,
    PASS_EMPTY_MS = 100,
    TICK_NS = 100 * 1000,
    ANSWER_NICE = -10,
    PASS_CUT_SHORT_MS = 0,
    KEEP_SLACK = 1024, // chunks for what comes while a flight recorder discards its oldest: 16 MiB
};
// Of a pass, for all processes together, so that none waits long for its turn; and the least for each.
#define PASS_NS UINT64_C(200000000)
#define PROCESS_LEAST_NS UINT64_C(1000000)

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

// -- New processes ----------------------------------------------------------------------------------------------------

static struct process *first_process(struct collector *collector)
{
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    struct process *first = collector->first;
    (void)pthread_mutex_unlock(&collector->lock);
    return first;
}

static struct process *next_process(struct collector *collector, const struct process *process)
{
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    struct process *next = process->next;
    (void)pthread_mutex_unlock(&collector->lock);
    return next;
}

// Takes the mapping and the watch over, also on failure.
static enum clew_error add_process(struct collector *collector, struct ring_header *ring, struct watch watch,
                                   struct process **out)
{
    struct process *process;
    enum clew_error error = process_new(ring, watch, collector->session->record.scope, &process);
    if (error != CLEW_OK) {
        watch_end(&watch);
        atomic_store(&ring->collector_gone, 1);
        segment_unmap(ring);
        return error;
    }
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    *(collector->last ? &collector->last->next : &collector->first) = process;
    collector->last = process;
    (void)pthread_mutex_unlock(&collector->lock);
    *out = process;
    return CLEW_OK;
}

static void unlink_process(struct collector *collector, const struct process *process)
{
    struct process *before = NULL;
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    for (struct process *at = collector->first; at != process; at = at->next) {
        before = at;
    }
    *(before ? &before->next : &collector->first) = process->next;
    collector->last = collector->last == process ? before : collector->last;
    (void)pthread_mutex_unlock(&collector->lock);
}

// What all segments of a session have in common.
static struct ring_options segment_options(const struct session *session)
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
    if (record->flags & RING_KEEP_LAST) {
        options.chunk_quota = session_keep_chunks(session) + KEEP_SLACK;
    }
    return options;
}

static enum clew_error make_segment(struct collector *collector, pid_t pid, int *segment, struct ring_header **ring)
{
    const struct session *session = collector->session;
    struct ring_options options = segment_options(session);
    options.process = atomic_load(&session->shared->processes) + 1; // the acceptor alone counts
    CLEW_TRY(segment_create(&options, segment, ring));
    atomic_store(&session->shared->processes, options.process);
    (*ring)->os_pid = pid;
    (*ring)->started_clock = session_clock(session);
    atomic_store(&(*ring)->tick_ns, clock_monotonic_ns());
    enum clew_error error = segment_protect(*segment, *ring);
    if (error != CLEW_OK) {
        segment_unmap(*ring);
        (void)close(*segment); // the program has not had it
    }
    return error;
}

// The CLI has the segment before the process does, so that whatever dies next, somebody can finish the file.
static enum clew_error welcome(struct collector *collector, struct handshake_peer *peer)
{
    int segment;
    struct ring_header *ring;
    enum clew_error error = make_segment(collector, peer->pid, &segment, &ring);
    if (error != CLEW_OK) {
        atomic_store(&collector->session->shared->segment_number, error == CLEW_IO ? errno : 0);
        (void)handshake_answer(peer, RING_WELCOME_FAILED, -1); // it stays dormant either way
        return error;
    }
    struct watch watch = watch_begin(peer->pid); // while it waits for the answer
    struct channel_message message = {
        .kind = CHANNEL_SEGMENT, .process = ring->process, .pid = watch.pid, .started = watch.started};
    outbox_put(&collector->outbox, message, segment);
    (void)handshake_answer(peer, RING_WELCOME_ACCEPTED, segment); // who did not get it shows as dormant
    (void)close(segment);                                         // mapped
    struct process *process;
    return add_process(collector, ring, watch, &process);
}

// For the terminal: cut where it is too long, and without control characters.
static void copy_text(char *into, const char *from)
{
    size_t size = 0;
    for (; from && from[size] && size + 1 < SESSION_TEXT_MAX; size++) {
        into[size] = (unsigned char)from[size] < ' ' || from[size] == 0x7f ? '?' : from[size];
    }
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
    (void)handshake_answer(peer, RING_WELCOME_OTHER_PROCESS, -1); // it stays dormant either way
}

// The recording has its full size. *peer stays dormant, whether it gets the answer or not.
static void turn_away(struct collector *collector, struct handshake_peer *peer)
{
    atomic_fetch_add(&collector->session->shared->late_processes, 1);
    (void)handshake_answer(peer, RING_WELCOME_FAILED, -1);
}

static void *accept_all(void *context)
{
    struct collector *collector = context;
    const struct session *session = collector->session;
    struct handshake_queue queue = {.listener = collector->listener};
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), ANSWER_NICE); // where that is allowed: agents wait for this thread
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
            (void)eventfd_write(collector->wake, 1); // only a full counter fails: then it is readable
        } else if (error == CLEW_NOT_FOUND) {
            break; // the listener was shut down
        }
    }
    handshake_forget(&queue);
    return NULL;
}

// -- The tick clock ---------------------------------------------------------------------------------------------------

static void *tick_all(void *context)
{
    struct collector *collector = context;
    struct timespec pause = {.tv_nsec = TICK_NS};
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); // without it the ticks are only coarser
    while (!atomic_load(&collector->stop)) {
        uint64_t now = clock_monotonic_ns();
        (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
        for (const struct process *at = collector->first; at; at = at->next) {
            atomic_store_explicit(&at->ring->tick_ns, now, memory_order_relaxed);
        }
        (void)pthread_mutex_unlock(&collector->lock);
        (void)nanosleep(&pause, NULL); // woken early it only ticks sooner
    }
    return NULL;
}

// -- Life -------------------------------------------------------------------------------------------------------------

enum clew_error collector_new(const struct session *session, struct recording_writer *writer, int listener, int channel,
                              struct collector **out)
{
    struct collector *collector = calloc(1, sizeof *collector);
    if (!collector) {
        return CLEW_NO_MEMORY;
    }
    collector->session = session;
    collector->drain.session = session;
    collector->drain.writer = writer;
    collector->drain.head_bytes = session->parts_max ? recording_size(writer) : 0;
    collector->listener = listener;
    outbox_init(&collector->outbox, channel);
    (void)pthread_mutex_init(&collector->lock, NULL); // cannot fail for a plain one
    collector->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (collector->wake < 0 || !stream_block_init(&collector->drain.block)) {
        collector_free(collector);
        return CLEW_NO_MEMORY;
    }
    *out = collector;
    return CLEW_OK;
}

static void stop_threads(struct collector *collector)
{
    atomic_store(&collector->stop, true);
    if (collector->accepting) {
        (void)shutdown(collector->listener, SHUT_RDWR); // wakes accept()
        (void)pthread_join(collector->acceptor, NULL);
        collector->accepting = false;
    }
    if (collector->ticking) {
        (void)pthread_join(collector->ticker, NULL);
        collector->ticking = false;
    }
}

void collector_free(struct collector *collector)
{
    stop_threads(collector);
    while (collector->first) {
        struct process *process = collector->first;
        collector->first = process->next;
        process_free(process);
    }
    outbox_free(&collector->outbox);
    if (collector->wake >= 0) {
        (void)close(collector->wake); // an eventfd
    }
    stream_block_free(&collector->drain.block);
    tree_copy_free(&collector->drain.tree);
    buffer_free(&collector->drain.definition);
    buffer_free(&collector->drain.left);
    contents_free(&collector->drain.contents);
    free(collector);
}

enum clew_error collector_start(struct collector *collector)
{
    if (pthread_create(&collector->acceptor, NULL, accept_all, collector) != 0) {
        return CLEW_NO_MEMORY;
    }
    collector->accepting = true;
    const struct recording_session *record = &collector->session->record;
    if (record->clock == CLOCK_KIND_TICK || record->instruments & RING_LINES) {
        if (pthread_create(&collector->ticker, NULL, tick_all, collector) != 0) {
            return CLEW_NO_MEMORY;
        }
        collector->ticking = true;
    }
    return CLEW_OK;
}

int collector_wake(const struct collector *collector)
{
    return collector->wake;
}

// -- Passes -----------------------------------------------------------------------------------------------------------

static bool stopped(const struct collector *collector)
{
    return atomic_load(&collector->session->shared->error) != CLEW_OK;
}

// Recording stops here, the programs go on.
static void fail(struct collector *collector, enum clew_error error)
{
    int number = errno;
    if (error == CLEW_OK || stopped(collector)) {
        return;
    }
    atomic_store(&collector->session->shared->error_number, error == CLEW_IO ? number : 0);
    atomic_store(&collector->session->shared->error, error);
}

static void abandon_all(struct collector *collector)
{
    for (struct process *at = first_process(collector); at; at = next_process(collector, at)) {
        process_abandon(at);
    }
}

// The sums outlive this collector.
static void settle(struct collector *collector, struct process *process)
{
    struct session_totals totals = session_totals(collector->session->shared);
    uint32_t agent = atomic_load(&process->ring->agent_state);
    uint64_t events, lost;
    process_totals(process, &events, &lost);
    totals.events += events;
    totals.lost += lost;
    totals.threads += atomic_load(&process->ring->threads_started);
    totals.process = process->number;
    bool dormant = agent == RING_AGENT_ABSENT || agent == RING_AGENT_NO_ROOM;
    totals.incomplete |= process->end.state == RECORDING_PROCESS_CUT || dormant || process->damaged;
    session_set_totals(collector->session->shared, totals);
}

// What it had comes into the file no more, or is there: the memory goes, here and at the CLI's.
static void release_process(struct collector *collector, struct process *process)
{
    struct channel_message message = {.kind = CHANNEL_RELEASED, .process = process->number};
    settle(collector, process);
    process_abandon(process);
    unlink_process(collector, process);
    process_free(process);
    outbox_put(&collector->outbox, message, -1);
}

// True once it is done, and released.
static bool finish_process(struct collector *collector, struct process *process)
{
    bool done = false;
    if (!stopped(collector)) {
        fail(collector, process_finish(process, &collector->drain, &done));
    }
    if (!done && !stopped(collector)) {
        return false;
    }
    if (process->damaged) {
        atomic_fetch_add(&collector->session->shared->overwritten, 1);
    }
    if (atomic_load(&process->ring->agent_state) == RING_AGENT_NO_ROOM) {
        atomic_fetch_add(&collector->session->shared->no_room, 1);
    }
    release_process(collector, process);
    return true;
}

static void begin_end(struct process *process, int status)
{
    bool killed = status != EXIT_STATUS_UNKNOWN && WIFSIGNALED(status);
    process_begin_end(process, killed ? RECORDING_PROCESS_KILLED : RECORDING_PROCESS_ENDED, status);
}

static int status_of(const struct process *process)
{
    return exit_status_of(process->watch.pid, process->watch.pidfd);
}

// A new image in the same process (exec) brings an agent of its own: the older one is over, without a status.
static void end_replaced(struct collector *collector, const struct process *by)
{
    for (struct process *at = first_process(collector); at; at = next_process(collector, at)) {
        if (at->watch.pid == by->watch.pid && at->number < by->number) {
            process_begin_end(at, RECORDING_PROCESS_ENDED, EXIT_STATUS_UNKNOWN);
        }
    }
}

// How many there are.
static uint32_t see_processes(struct collector *collector)
{
    uint32_t count = 0;
    eventfd_t arrivals;
    (void)eventfd_read(collector->wake, &arrivals); // nothing there is no error here
    for (struct process *at = first_process(collector); at; at = next_process(collector, at)) {
        if (!at->seen) {
            at->seen = true;
            end_replaced(collector, at);
        }
        count++;
    }
    return count;
}

// Of all processes, those that are not done with, too.
static struct session_totals sum_up(struct collector *collector)
{
    struct session_totals totals = session_totals(collector->session->shared);
    for (struct process *at = first_process(collector); at; at = next_process(collector, at)) {
        uint64_t events, lost;
        process_totals(at, &events, &lost);
        totals.events += events;
        totals.lost += lost;
    }
    return totals;
}

static void tell(struct collector *collector)
{
    struct session_shared *shared = collector->session->shared;
    atomic_store(&shared->events, sum_up(collector).events);
    atomic_store(&shared->bytes, recording_size(collector->drain.writer));
    atomic_fetch_add(&shared->beat, 1);
}

// Whose end nobody will tell: children, and everything once the CLI is gone.
static bool watched(const struct collector *collector, const struct process *process)
{
    return process->watch.pid != collector->session->program;
}

// Returns after how many ms the next pass is due.
static int pass_process(struct collector *collector, struct process *process, uint64_t for_ns)
{
    uint64_t now = clock_monotonic_ns();
    collector->drain.until_ns = now + for_ns;
    if (watched(collector, process) && !process->end.begun && watch_ended(&process->watch)) {
        begin_end(process, status_of(process));
    }
    if (process->end.begun) {
        return finish_process(collector, process) ? PASS_EMPTY_MS : PASS_CUT_SHORT_MS;
    }
    if (!stopped(collector)) {
        fail(collector, process_drain(process, &collector->drain, now));
    }
    return process->cut_short ? PASS_CUT_SHORT_MS : process->busy ? PASS_BUSY_MS : PASS_MS;
}

// Of the file under way.
static struct recording_end end_of_file(struct collector *collector)
{
    const struct session *session = collector->session;
    const struct session_shared *shared = session->shared;
    struct session_totals totals = sum_up(collector);
    uint32_t turn = atomic_load(&shared->part) & 1;
    bool all = atomic_load(&shared->segment_error) == CLEW_OK && atomic_load(&shared->missing) == 0;
    return (struct recording_end){
        .ended_clock = session_clock(session),
        .events = totals.events - atomic_load(&shared->part_events[turn]),
        .lost = totals.lost - atomic_load(&shared->part_lost[turn]),
        .processes = atomic_load(&shared->processes),
        .threads = totals.threads,
        .complete = totals.lost == 0 && !totals.incomplete && !collector->drain.held_back && all &&
                    !(session->record.flags & RING_KEEP_LAST),
    };
}

static void write_end(struct collector *collector)
{
    struct recording_end end = end_of_file(collector);
    enum clew_error error = recording_close(collector->drain.writer, stopped(collector) ? NULL : &end);
    collector->drain.writer = NULL;
    fail(collector, error);
}

// -- Parts ------------------------------------------------------------------------------------------------------------

static bool goes_on(void *context, uint32_t number)
{
    struct collector *collector = context;
    struct process *at = first_process(collector);
    while (at && at->number != number) {
        at = next_process(collector, at);
    }
    return at != NULL;
}

static enum clew_error begin_streams(void *context, struct recording_writer *next)
{
    struct collector *collector = context;
    struct recording_writer *writer = collector->drain.writer;
    enum clew_error error = CLEW_OK;
    collector->drain.writer = next;
    for (struct process *at = first_process(collector); at && error == CLEW_OK; at = next_process(collector, at)) {
        error = process_begin_part(at, &collector->drain);
    }
    collector->drain.writer = writer;
    return error;
}

static enum clew_error end_part(struct collector *collector, uint32_t number)
{
    char text[96];
    for (struct process *at = first_process(collector); at; at = next_process(collector, at)) {
        CLEW_TRY(process_end_part(at, &collector->drain));
    }
    (void)snprintf(text, sizeof text, "part %u of a recording ends here (--rotate): it goes on in part %u", number,
                   number + 1);
    return recording_write_note(collector->drain.writer, &(struct recording_note){.text = text_of(text)});
}

// What the parts before it hold is known before it is there: whoever takes over sees by the file which part is under way.
static enum clew_error begin_part(struct collector *collector)
{
    const struct session *session = collector->session;
    struct session_shared *shared = session->shared;
    uint32_t number = atomic_load(&shared->part);
    struct recording_session record = session->record;
    record.part = number + 1;
    CLEW_TRY(end_part(collector, number));
    struct session_totals totals = sum_up(collector);
    struct recording_end end = end_of_file(collector);
    struct recording_part part = {
        .path = session->path,
        .keep = session->parts_max,
        .session = &record,
        .end = &end,
        .objects_max = session->max_bytes / 4,
        .goes_on = goes_on,
        .begin = begin_streams,
        .context = collector,
    };
    atomic_store(&shared->part_events[record.part & 1], totals.events);
    atomic_store(&shared->part_lost[record.part & 1], totals.lost);
    CLEW_TRY(recording_begin_part(&collector->drain.writer, &part));
    atomic_store(&shared->part, record.part);
    collector->drain.head_bytes = recording_size(collector->drain.writer);
    return CLEW_OK;
}

// -- Full -------------------------------------------------------------------------------------------------------------

// What is not in the file, in the file.
static void note_full(struct collector *collector)
{
    const struct session *session = collector->session;
    double seconds = (double)(session_clock(session) - session->record.started_clock) / session_clock_hz(session);
    char when[32] = "", text[256];
    if (session->record.clock != CLOCK_KIND_NONE) {
        (void)snprintf(when, sizeof when, " after %.3f s", seconds);
    }
    (void)snprintf(text, sizeof text,
                   "the recording reached --max-size %s%s and stops there; what the program did then is not recorded",
                   session->max_text, when);
    if (!stopped(collector)) {
        fail(collector, recording_write_note(collector->drain.writer, &(struct recording_note){.text = text_of(text)}));
    }
}

// The recording ends in order, the programs go on without it.
static void stop_full(struct collector *collector)
{
    struct process *next;
    atomic_store(&collector->closed, true); // first: who comes from now on is turned away
    collector->drain.until_ns = UINT64_MAX;
    for (struct process *at = first_process(collector); at; at = next) {
        next = next_process(collector, at); // `at` goes
        process_begin_end(at, RECORDING_PROCESS_CUT, EXIT_STATUS_UNKNOWN);
        (void)finish_process(collector, at);
    }
    note_full(collector);
    tell(collector);
    write_end(collector);
    atomic_store(&collector->session->shared->full, 1);
}

// Processes that were let in while the recording was being closed.
static void release_late(struct collector *collector)
{
    for (struct process *at = first_process(collector); at; at = first_process(collector)) {
        atomic_fetch_add(&collector->session->shared->late_processes, 1);
        release_process(collector, at);
    }
}

// -- Passes over all --------------------------------------------------------------------------------------------------

// Returns after how many ms the next is due.
static int pass_all(struct collector *collector)
{
    uint32_t count = see_processes(collector);
    uint64_t each = PASS_NS / (count ? count : 1);
    struct process *next;
    int next_ms = PASS_EMPTY_MS;
    outbox_send(&collector->outbox);
    for (struct process *at = first_process(collector); at; at = next) {
        next = next_process(collector, at); // `at` may go
        int wait = pass_process(collector, at, each > PROCESS_LEAST_NS ? each : PROCESS_LEAST_NS);
        next_ms = wait < next_ms ? wait : next_ms;
    }
    if (stopped(collector)) {
        abandon_all(collector);
        next_ms = PASS_EMPTY_MS;
    } else if (drain_full(&collector->drain) && collector->session->parts_max) {
        fail(collector, begin_part(collector));
        next_ms = PASS_CUT_SHORT_MS;
    } else if (drain_full(&collector->drain) && first_process(collector)) {
        stop_full(collector);
        return PASS_EMPTY_MS;
    }
    tell(collector);
    return next_ms;
}

int collector_step(struct collector *collector)
{
    if (!atomic_load(&collector->closed)) {
        return pass_all(collector);
    }
    eventfd_t arrivals;
    (void)eventfd_read(collector->wake, &arrivals); // nothing there is no error here
    release_late(collector);
    outbox_send(&collector->outbox);
    atomic_fetch_add(&collector->session->shared->beat, 1);
    return PASS_EMPTY_MS;
}

// What does not fit into this part comes into the next.
static void finish_wholly(struct collector *collector, struct process *process)
{
    while (!finish_process(collector, process) && drain_full(&collector->drain)) {
        fail(collector, begin_part(collector));
    }
}

// Those that still run come first: their threads may wait for room.
void collector_finish(struct collector *collector, int status)
{
    stop_threads(collector);
    if (atomic_load(&collector->closed)) {
        release_late(collector);
        return;
    }
    (void)see_processes(collector);
    collector->drain.until_ns = UINT64_MAX;
    for (int running = 1; running >= 0; running--) {
        struct process *next;
        for (struct process *at = first_process(collector); at; at = next) {
            next = next_process(collector, at); // `at` may go
            if (at->watch.pid == collector->session->program && status != EXIT_STATUS_UNKNOWN) {
                begin_end(at, status);
            } else if (watch_ended(&at->watch)) {
                begin_end(at, status_of(at));
            } else if (running) {
                process_begin_end(at, RECORDING_PROCESS_CUT, EXIT_STATUS_UNKNOWN);
            }
            if (!running || at->end.state == RECORDING_PROCESS_CUT) {
                finish_wholly(collector, at);
            }
        }
    }
    if (collector->drain.held_back) { // the size was reached on the last stretch
        note_full(collector);
    }
    tell(collector);
    write_end(collector);
}

// -- In place of another ----------------------------------------------------------------------------------------------

// From one pass over the file, however many processes and threads there are.
static enum clew_error resume_processes(struct collector *collector)
{
    struct drain *drain = &collector->drain;
    struct recording_reader *reader;
    struct map documents = {0};
    CLEW_TRY(recording_open(collector->session->path, &reader));
    atomic_store(&collector->session->shared->part, recording_session(reader)->part);
    enum clew_error error = CLEW_OK;
    for (struct process *at = first_process(collector); at && error == CLEW_OK; at = next_process(collector, at)) {
        bool added = map_put(&documents, at->number, (uint64_t)(uintptr_t)&at->documents);
        error = added ? process_resume(at, drain, reader) : CLEW_NO_MEMORY;
    }
    error = error == CLEW_OK ? documents_resume(&documents, &drain->contents, reader) : error;
    map_free(&documents);
    recording_close_reader(reader);
    return error;
}

// The segment is what the dead collector made for this session, but the program may have written over it since.
static enum clew_error map_segment(struct collector *collector, const struct held *held, struct ring_header **ring)
{
    const struct ring_options options = segment_options(collector->session);
    CLEW_TRY(held->segment >= 0 ? segment_adopt(held->segment, &options, ring) : CLEW_IO);
    (*ring)->collector_pid = getpid();
    if ((*ring)->process == held->process) {
        return CLEW_OK;
    }
    struct session_totals totals = session_totals(collector->session->shared);
    totals.incomplete = true;
    session_set_totals(collector->session->shared, totals);
    atomic_fetch_add(&collector->session->shared->overwritten, 1);
    atomic_store(&(*ring)->collector_gone, 1);
    segment_unmap(*ring);
    return CLEW_MALFORMED;
}

// Its last record may be in the file already; then its sums may be among the session's, too.
static enum clew_error adopt(struct collector *collector, struct held *held)
{
    struct ring_header *ring;
    struct process *process;
    CLEW_TRY(map_segment(collector, held, &ring));
    CLEW_TRY(add_process(collector, ring, watch_resume(held->pid, held->started), &process));
    if (!ring->finished) {
        return CLEW_OK;
    }
    if (session_totals(collector->session->shared).process != process->number) {
        settle(collector, process);
    }
    unlink_process(collector, process);
    process_free(process);
    return CLEW_OK;
}

static enum clew_error note_missing(struct collector *collector, uint32_t missing)
{
    char text[160];
    (void)snprintf(text, sizeof text,
                   "clew did not hold the memory of %u process%s when the collector ended (limit of open files): "
                   "what was not in the file by then is lost",
                   missing, missing == 1 ? "" : "es");
    return recording_write_note(collector->drain.writer, &(struct recording_note){.text = text_of(text)});
}

void collector_adopt(struct collector *collector, struct held_segments *segments)
{
    struct session_shared *shared = collector->session->shared;
    uint32_t missing = atomic_load(&shared->processes) - segments->announced;
    for (size_t i = 0; i < segments->count; i++) {
        enum clew_error error = adopt(collector, &segments->of[i]);
        missing += error != CLEW_OK && error != CLEW_MALFORMED;
    }
    held_free(segments);
    atomic_store(&shared->missing, missing);
    if (missing) {
        fail(collector, note_missing(collector, missing));
    }
    fail(collector, resume_processes(collector));
}

// -- As a process of its own ------------------------------------------------------------------------------------------

// Away from the terminal: ^C and ^Z are the program's. Away from its streams: who reads them waits for their end.
static void leave_terminal(void)
{
    sigset_t none;
    (void)setsid(); // fails only for a leader, which a fresh child is not
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= 2; fd++) {
        (void)dup2(null, fd); // stays as it was otherwise
    }
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_DFL); // those that cannot be set have their default
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); // a limit of file size is an error of writing
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_NAME, "clew-collector", 0UL, 0UL, 0UL);
}

// The CLI was killed: nobody else removes the session's folder.
static void remove_folder(const struct session *session)
{
    char *path = strdup(session->socket_path);
    if (path) {
        (void)unlink(path);
        (void)rmdir(dirname(path));
        free(path);
    }
}

// Returns once the CLI says so (true), or, when it is gone, once the program is (false).
static bool serve_until_end(struct collector *collector, int *status)
{
    const struct session *session = collector->session;
    const struct watch program = {.pid = session->program, .pidfd = session->program_fd};
    struct pollfd entries[] = {{.fd = collector->outbox.channel, .events = POLLIN},
                               {.fd = collector->wake, .events = POLLIN}};
    for (;;) {
        int wait = collector_step(collector);
        (void)poll(entries, 2, wait); // interrupted it only passes sooner
        if (entries[0].fd >= 0 && entries[0].revents) {
            struct channel_message message;
            int segment;
            if (!channel_receive(collector->outbox.channel, &message, &segment)) {
                entries[0].fd = -1; // ignored by poll from now on
            } else if (message.kind == CHANNEL_ENDED) {
                *status = message.status;
                return true;
            }
        }
        if (entries[0].fd < 0 && watch_ended(&program)) {
            *status = EXIT_STATUS_UNKNOWN;
            return false;
        }
    }
}

_Noreturn void collector_serve(const struct session *session, struct recording_writer *writer, int listener,
                               int channel)
{
    struct collector *collector;
    int status;
    leave_terminal();
    limits_more_files();
    if (collector_new(session, writer, listener, channel, &collector) != CLEW_OK ||
        collector_start(collector) != CLEW_OK ||
        channel_send(channel, (struct channel_message){.kind = CHANNEL_READY}, -1, true) != CHANNEL_SENT) {
        _exit(1); // the CLI takes over; a dead one started no program
    }
    bool heard = serve_until_end(collector, &status);
    collector_finish(collector, status);
    if (heard) {
        // Else it takes our end for death.
        (void)channel_send(channel, (struct channel_message){.kind = CHANNEL_DONE}, -1, true);
    } else {
        remove_folder(session);
    }
    _exit(0); // the CLI's atexit handlers are not ours
}
