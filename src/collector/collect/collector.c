// The passes of a collector over its processes, the change from part to part, and the end of the recording.
#include "collector/collect/collector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/collect/collecting.h"
#include "collector/drain/process.h"
#include "collector/session/channel.h"
#include "collector/session/exit_status.h"
#include "collector/session/outbox.h"
#include "recording/parts.h"
#include "ring/segment.h"
#include "trace/instrument.h"

// How soon the next pass is due:
enum {
    PASS_CUT_SHORT_MS = 0, // a process ran out of time
    PASS_BUSY_MS = 1,      // a process has made a chunk's worth of events since the last pass
    PASS_MS = 10,
    PASS_EMPTY_MS = 100, // there is no process, or nothing is recorded any more
};
// The time of one pass, which the processes share equally so that none waits long, and the least that each gets.
#define PASS_NS UINT64_C(200000000)
#define PROCESS_LEAST_NS UINT64_C(1000000)

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
    collector->drain.points.scope = session->record.scope;
    collector->drain.points.instrument =
        session->record.flags & SESSION_ALL_CODE ? 0 : points_instrument(session->record.instruments);
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
    map_free(&collector->drain.points.written);
    free(collector);
}

enum clew_error collector_start(struct collector *collector)
{
    if (pthread_create(&collector->acceptor, NULL, collector__answer_all, collector) != 0) {
        return CLEW_NO_MEMORY;
    }
    collector->accepting = true;
    const struct recording_session *record = &collector->session->record;
    bool moments =
        record->instruments & (INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES) && record->clock != CLOCK_KIND_NONE;
    if (record->clock == CLOCK_KIND_TICK || record->instruments & INSTRUMENT_LINES || moments) {
        if (pthread_create(&collector->ticker, NULL, collector__tick_all, collector) != 0) {
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

void collector__fail(struct collector *collector, enum clew_error error)
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
    for (struct process *at = collector__first(collector); at; at = collector__next(collector, at)) {
        process_abandon(at);
    }
}

void collector__settle(struct collector *collector, struct process *process)
{
    struct session_totals totals = session_totals(collector->session->shared);
    uint32_t agent = atomic_load(&process->ring->agent_state);
    uint64_t events, lost;
    process_totals(process, &events, &lost);
    CLEW_ASSERT(totals.processes < atomic_load(&collector->session->shared->processes));
    totals.events += events;
    totals.lost += lost;
    totals.threads += atomic_load(&process->ring->threads_started);
    totals.processes++;
    totals.process = process->number;
    bool dormant = agent == RING_AGENT_ABSENT || agent == RING_AGENT_NO_ROOM;
    totals.incomplete |= process->end.state == PROCESS_CUT || dormant || process->damaged;
    session_set_totals(collector->session->shared, totals);
    atomic_store_explicit(&process->ring->finished, RING_FINISHED_SUMMED, memory_order_release);
}

// Frees the memory of a finished process, here and in the CLI. Its data is in the file, or will never be.
static void release_process(struct collector *collector, struct process *process)
{
    struct channel_message message = {.kind = CHANNEL_RELEASED, .process = process->number};
    collector__settle(collector, process);
    process_abandon(process);
    collector__unlink(collector, process);
    process_free(process);
    outbox_put(&collector->outbox, message, -1);
}

// True when the process is finished and freed. False: it needs another pass.
static bool finish_process(struct collector *collector, struct process *process)
{
    bool done = false;
    if (!stopped(collector)) {
        collector__fail(collector, process_finish(process, &collector->drain, &done));
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

// `status` is as waitpid gives it, or EXIT_STATUS_UNKNOWN, which does not count as killed.
static void begin_end(struct process *process, int status)
{
    bool killed = status != EXIT_STATUS_UNKNOWN && WIFSIGNALED(status);
    process_begin_end(process, killed ? PROCESS_KILLED : PROCESS_ENDED, status);
}

static int status_of(const struct process *process)
{
    return exit_status_of(process->watch.pid, process->watch.pidfd);
}

// A process that calls exec() gets a new runtime and a new agent, under the same pid: ends the older recording of that
// pid, whose exit status is unknown.
static void end_replaced(struct collector *collector, const struct process *by)
{
    for (struct process *at = collector__first(collector); at; at = collector__next(collector, at)) {
        if (at->watch.pid == by->watch.pid && at->number < by->number) {
            process_begin_end(at, PROCESS_ENDED, EXIT_STATUS_UNKNOWN);
        }
    }
}

// Handles the arrival of new processes. Returns how many processes there are.
static uint32_t see_processes(struct collector *collector)
{
    uint32_t count = 0;
    eventfd_t arrivals;
    (void)eventfd_read(collector->wake, &arrivals); // fails when none has come
    for (struct process *at = collector__first(collector); at; at = collector__next(collector, at)) {
        if (!at->seen) {
            at->seen = true;
            end_replaced(collector, at);
        }
        count++;
    }
    return count;
}

// The totals of the session, including the processes that are not finished.
static struct session_totals sum_up(struct collector *collector)
{
    struct session_totals totals = session_totals(collector->session->shared);
    for (struct process *at = collector__first(collector); at; at = collector__next(collector, at)) {
        uint64_t events, lost;
        process_totals(at, &events, &lost);
        totals.events += events;
        totals.lost += lost;
    }
    return totals;
}

// Publishes the progress for the CLI.
static void publish(struct collector *collector)
{
    struct session_shared *shared = collector->session->shared;
    atomic_store(&shared->events, sum_up(collector).events);
    atomic_store(&shared->bytes, recording_size(collector->drain.writer));
    atomic_fetch_add(&shared->heartbeat, 1);
}

// Whether the collector itself has to notice the end of the process. The CLI reports the end of the started program.
static bool watched(const struct collector *collector, const struct process *process)
{
    return process->watch.pid != collector->session->program;
}

// The END block of the current file: the session's totals, less those of the parts before it.
static struct recording_end end_of_file(const struct collector *collector, struct session_totals totals)
{
    const struct session *session = collector->session;
    const struct session_shared *shared = session->shared;
    uint32_t parity = atomic_load(&shared->part) & 1;
    CLEW_ASSERT(totals.events >= atomic_load(&shared->part_events[parity]) &&
                totals.lost >= atomic_load(&shared->part_lost[parity]) && "sums only grow");
    bool all = atomic_load(&shared->segment_error) == CLEW_OK && atomic_load(&shared->missing) == 0;
    return (struct recording_end){
        .ended_clock = session_clock(session),
        .events = totals.events - atomic_load(&shared->part_events[parity]),
        .lost = totals.lost - atomic_load(&shared->part_lost[parity]),
        .processes = atomic_load(&shared->processes),
        .threads = totals.threads,
        .complete = totals.lost == 0 && !totals.incomplete && !collector->drain.held_back && all &&
                    !(session->record.flags & SESSION_KEEP_LAST),
    };
}

// The program has announced its end: ends the file for now, and lets the program go on. Whatever it does from then on is
// written in place of that end, and another follows. A flight recorder writes only when it is over.
static void end_for_now(struct collector *collector, const struct process *process)
{
    struct drain *drain = &collector->drain;
    bool alone = process == collector__first(collector) && !collector__next(collector, process);
    bool ends = alone && !stopped(collector) && !(process->ring->flags & SESSION_KEEP_LAST);
    collector__fail(collector, ends ? recording_flush(drain->writer) : CLEW_OK);
    if (ends && !stopped(collector) && drain->ended_bytes != recording_size(drain->writer)) {
        struct session_totals totals = sum_up(collector);
        totals.threads += atomic_load(&process->ring->threads_started);
        struct recording_end end = end_of_file(collector, totals);
        collector__fail(collector, recording_end_for_now(drain->writer, &end));
        drain->ended_bytes = recording_size(drain->writer);
    }
    atomic_store_explicit(&process->ring->saved, 1, memory_order_release);
}

// Gives a process its time of a pass. Returns after how many ms its next one is due.
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
        collector__fail(collector, process_drain(process, &collector->drain, now));
    }
    if (process_may_leave(process)) {
        end_for_now(collector, process);
    }
    return process->cut_short ? PASS_CUT_SHORT_MS : process->busy ? PASS_BUSY_MS : PASS_MS;
}

static void write_end(struct collector *collector)
{
    CLEW_ASSERT(collector->drain.writer && "a file ends once");
    struct recording_end end = end_of_file(collector, sum_up(collector));
    enum clew_error error = recording_close(collector->drain.writer, stopped(collector) ? NULL : &end);
    collector->drain.writer = NULL;
    collector__fail(collector, error);
}

// -- Parts ------------------------------------------------------------------------------------------------------------

// Whether the process is still recorded, so that the next part needs its definitions.
static bool is_live(void *context, uint32_t number)
{
    struct collector *collector = context;
    struct process *at = collector__first(collector);
    while (at && at->number != number) {
        at = collector__next(collector, at);
    }
    return at != NULL;
}

// Called while the new part is filled: its writer takes the place of the old one for a moment.
static enum clew_error begin_streams(void *context, struct recording_writer *next)
{
    struct collector *collector = context;
    struct recording_writer *writer = collector->drain.writer;
    enum clew_error error = CLEW_OK;
    collector->drain.writer = next;
    for (struct process *at = collector__first(collector); at && error == CLEW_OK;
         at = collector__next(collector, at)) {
        error = process_begin_part(at, &collector->drain);
    }
    collector->drain.writer = writer;
    return error;
}

static enum clew_error end_part(struct collector *collector, uint32_t number)
{
    char text[96];
    for (struct process *at = collector__first(collector); at; at = collector__next(collector, at)) {
        CLEW_TRY(process_end_part(at, &collector->drain));
    }
    (void)snprintf(text, sizeof text, "part %u of a recording ends here (--rotate): it continues in part %u", number,
                   number + 1);
    return recording_write_note(collector->drain.writer, &(struct recording_note){.text = text_of(text)});
}

// Closes the current part and opens the next. The totals of the parts before the new one are stored before it exists. A
// collector that takes over learns from the file which part is current, and finds the totals for either.
static enum clew_error begin_part(struct collector *collector)
{
    const struct session *session = collector->session;
    struct session_shared *shared = session->shared;
    uint32_t number = atomic_load(&shared->part);
    struct recording_session record = session->record;
    CLEW_ASSERT(number > 0 && session->parts_max > 0 && "parts count from 1");
    record.part = number + 1;
    CLEW_TRY(end_part(collector, number));
    struct session_totals totals = sum_up(collector);
    struct recording_end end = end_of_file(collector, totals);
    struct recording_part part = {
        .path = session->path,
        .keep = session->parts_max,
        .session = &record,
        .end = &end,
        .objects_max = session->max_bytes / 4,
        .goes_on = is_live,
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

// Writes into the file that the recording is incomplete, and since when.
static void note_full(struct collector *collector)
{
    const struct session *session = collector->session;
    double seconds = (double)(session_clock(session) - session->record.started_clock) / session_clock_hz(session);
    char when[32] = "", text[256];
    if (session->record.clock != CLOCK_KIND_NONE) {
        (void)snprintf(when, sizeof when, " after %.3f s", seconds);
    }
    (void)snprintf(
        text, sizeof text,
        "the recording reached --max-size %s%s and stops there; later events of the program are not recorded",
        session->max_text, when);
    if (!stopped(collector)) {
        collector__fail(collector,
                        recording_write_note(collector->drain.writer, &(struct recording_note){.text = text_of(text)}));
    }
}

// Closes the full recording properly. The programs continue unrecorded.
static void stop_full(struct collector *collector)
{
    struct process *next;
    CLEW_ASSERT(!atomic_load(&collector->closed));
    atomic_store(&collector->closed, true); // first: the acceptor refuses new processes from now on
    collector->drain.until_ns = UINT64_MAX;
    for (struct process *at = collector__first(collector); at; at = next) {
        next = collector__next(collector, at); // `at` will be freed
        process_begin_end(at, PROCESS_CUT, EXIT_STATUS_UNKNOWN);
        (void)finish_process(collector, at);
    }
    note_full(collector);
    publish(collector);
    write_end(collector);
    atomic_store(&collector->session->shared->full, 1);
}

// Frees processes that the acceptor admitted while the recording was being closed.
static void release_late(struct collector *collector)
{
    for (struct process *at = collector__first(collector); at; at = collector__first(collector)) {
        atomic_fetch_add(&collector->session->shared->late_processes, 1);
        release_process(collector, at);
    }
}

// -- Passes over all --------------------------------------------------------------------------------------------------

// Returns after how many ms the next pass is due.
static int pass_all(struct collector *collector)
{
    uint32_t count = see_processes(collector);
    uint64_t each = PASS_NS / (count ? count : 1);
    struct process *next;
    int next_ms = PASS_EMPTY_MS;
    outbox_send(&collector->outbox);
    for (struct process *at = collector__first(collector); at; at = next) {
        next = collector__next(collector, at); // `at` may be freed
        int wait = pass_process(collector, at, each > PROCESS_LEAST_NS ? each : PROCESS_LEAST_NS);
        next_ms = wait < next_ms ? wait : next_ms;
    }
    if (stopped(collector)) {
        abandon_all(collector);
        next_ms = PASS_EMPTY_MS;
    } else if (drain_full(&collector->drain) && collector->session->parts_max) {
        collector__fail(collector, begin_part(collector));
        next_ms = PASS_CUT_SHORT_MS;
    } else if (drain_full(&collector->drain) && collector__first(collector)) {
        stop_full(collector);
        return PASS_EMPTY_MS;
    }
    publish(collector);
    return next_ms;
}

int collector_step(struct collector *collector)
{
    if (!atomic_load(&collector->closed)) {
        return pass_all(collector);
    }
    eventfd_t arrivals;
    (void)eventfd_read(collector->wake, &arrivals); // fails when none has come
    release_late(collector);
    outbox_send(&collector->outbox);
    atomic_fetch_add(&collector->session->shared->heartbeat, 1);
    return PASS_EMPTY_MS;
}

// Finishes a process, in as many parts as it takes.
static void finish_wholly(struct collector *collector, struct process *process)
{
    while (!finish_process(collector, process) && drain_full(&collector->drain)) {
        collector__fail(collector, begin_part(collector));
    }
}

// Processes that still run are finished first: their threads may be waiting for room.
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
        for (struct process *at = collector__first(collector); at; at = next) {
            next = collector__next(collector, at); // `at` may be freed
            if (at->watch.pid == collector->session->program && status != EXIT_STATUS_UNKNOWN) {
                begin_end(at, status);
            } else if (watch_ended(&at->watch)) {
                begin_end(at, status_of(at));
            } else if (running) {
                process_begin_end(at, PROCESS_CUT, EXIT_STATUS_UNKNOWN);
            }
            if (!running || at->end.state == PROCESS_CUT) {
                finish_wholly(collector, at);
            }
        }
    }
    if (collector->drain.held_back) { // the file reached its size during these last passes
        note_full(collector);
    }
    publish(collector);
    write_end(collector);
}
