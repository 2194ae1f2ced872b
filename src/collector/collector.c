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
#include "collector/process.h"
#include "recording/reader.h"
#include "ring/handshake.h"
#include "ring/segment.h"

enum {
    PASS_BUSY_MS = 1,
    PASS_MS = 10,
    PASS_EMPTY_MS = 100,
    TICK_NS = 100 * 1000,
    ANSWER_NICE = -10,
    KEEP_SLACK = 1024,     // chunks for what comes while a flight recorder discards its oldest: 16 MiB
    PROCESSES_MAX = 65536, // in one session
};

struct collector {
    const struct session *session;
    struct drain drain;
    int listener;
    int channel;
    int wake; // eventfd: a process has come
    pthread_t acceptor, ticker;
    bool accepting, ticking;
    _Atomic bool stop;
    pthread_mutex_t lock;       // guards what is below: the acceptor adds, the ticker reads
    struct process **processes; // PROCESSES_MAX of them; NULL once finished
    uint32_t count;
    uint32_t fresh; // processes[fresh] and up have not been seen by a pass yet
    // Of processes that are finished.
    uint64_t events, lost;
    uint32_t threads;
    bool incomplete; // some of it was not recorded to its end
};

// -- New processes ----------------------------------------------------------------------------------------------------

// Takes the mapping and the watch over, also on failure.
static enum clew_error add_process(struct collector *collector, struct ring_header *ring, int pidfd)
{
    struct process *process = NULL;
    enum clew_error error = collector->count < PROCESSES_MAX
                                ? process_new(ring, pidfd, collector->session->record.scope, &process)
                                : CLEW_NO_MEMORY;
    if (error != CLEW_OK) {
        if (pidfd >= 0) {
            (void)close(pidfd); // only waited on
        }
        atomic_store(&ring->collector_gone, 1);
        segment_unmap(ring);
        return error;
    }
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    collector->processes[collector->count++] = process;
    (void)pthread_mutex_unlock(&collector->lock);
    return CLEW_OK;
}

static enum clew_error make_segment(struct collector *collector, pid_t pid, int *segment, struct ring_header **ring)
{
    const struct session *session = collector->session;
    const struct recording_session *record = &session->record;
    struct ring_options options = {
        .process = atomic_fetch_add(&session->shared->processes, 1) + 1,
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
    CLEW_TRY(segment_create(&options, segment, ring));
    (*ring)->os_pid = pid;
    (*ring)->started_clock = session_clock(session);
    atomic_store(&(*ring)->tick_ns, clock_monotonic_ns());
    return CLEW_OK;
}

// The CLI has the segment before the process does, so that whatever dies next, somebody can finish the file.
static enum clew_error welcome(struct collector *collector, struct handshake_peer *peer)
{
    int segment;
    struct ring_header *ring;
    enum clew_error error = make_segment(collector, peer->pid, &segment, &ring);
    if (error != CLEW_OK) {
        (void)handshake_answer(peer, RING_WELCOME_FAILED, -1); // it stays dormant either way
        return error;
    }
    struct channel_message message = {.kind = CHANNEL_SEGMENT};
    int pidfd = process_watch(peer->pid); // while it waits for the answer, so that it surely is this one
    if (collector->channel >= 0) {
        (void)channel_send(collector->channel, message, segment); // a dead CLI needs none
    }
    (void)handshake_answer(peer, RING_WELCOME_ACCEPTED, segment); // who did not get it shows as dormant
    (void)close(segment);                                         // mapped
    return add_process(collector, ring, pidfd);
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
        for (uint32_t i = 0; i < collector->count; i++) {
            if (collector->processes[i]) {
                atomic_store_explicit(&collector->processes[i]->ring->tick_ns, now, memory_order_relaxed);
            }
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
    collector->listener = listener;
    collector->channel = channel;
    (void)pthread_mutex_init(&collector->lock, NULL); // cannot fail for a plain one
    collector->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    collector->processes = calloc(PROCESSES_MAX, sizeof(struct process *));
    if (!collector->processes || collector->wake < 0 || !stream_block_init(&collector->drain.block)) {
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
    for (uint32_t i = 0; i < collector->count; i++) {
        if (collector->processes[i]) {
            process_free(collector->processes[i]);
        }
    }
    if (collector->wake >= 0) {
        (void)close(collector->wake); // an eventfd
    }
    stream_block_free(&collector->drain.block);
    tree_copy_free(&collector->drain.tree);
    buffer_free(&collector->drain.definition);
    contents_free(&collector->drain.contents);
    free(collector->processes);
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
    for (uint32_t i = 0; i < collector->fresh; i++) {
        if (collector->processes[i]) {
            process_abandon(collector->processes[i]);
        }
    }
}

static void remove_process(struct collector *collector, uint32_t index)
{
    struct process *process = collector->processes[index];
    uint64_t events, lost;
    process_totals(process, &events, &lost);
    collector->events += events;
    collector->lost += lost;
    collector->threads += atomic_load(&process->ring->threads_started);
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    collector->processes[index] = NULL;
    (void)pthread_mutex_unlock(&collector->lock);
    process_free(process);
}

static void finish_process(struct collector *collector, uint32_t index, enum recording_process_state state, int status)
{
    struct process *process = collector->processes[index];
    if (!stopped(collector)) {
        fail(collector, process_finish(process, &collector->drain, state, status));
    }
    uint32_t agent = atomic_load(&process->ring->agent_state);
    if (process->damaged) {
        atomic_fetch_add(&collector->session->shared->overwritten, 1);
    }
    collector->incomplete |= state == RECORDING_PROCESS_CUT || agent == RING_AGENT_ABSENT || process->damaged;
    process_abandon(process);
    remove_process(collector, index);
}

// A process has ended before anybody reaps it. Where the kernel has no pidfds, one that waits for that counts as ended by
// the state in its stat.
static bool process_ended(int pidfd, pid_t pid)
{
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};
    char path[32], stat[512];
    if (pidfd >= 0) {
        return poll(&entry, 1, 0) == 1;
    }
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(stat, 1, sizeof stat - 1, file) : 0;
    if (file) {
        (void)fclose(file); // only read from
    }
    stat[size] = '\0';
    const char *name_end = strrchr(stat, ')');
    bool waits = name_end && (strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0);
    return waits || (kill(pid, 0) != 0 && errno == ESRCH);
}

static bool has_ended(const struct process *process)
{
    return process_ended(process->pidfd, process->os_pid);
}

static void finish_ended(struct collector *collector, uint32_t index, int status)
{
    bool killed = status != EXIT_STATUS_UNKNOWN && WIFSIGNALED(status);
    finish_process(collector, index, killed ? RECORDING_PROCESS_KILLED : RECORDING_PROCESS_ENDED, status);
}

// A new image in the same process (exec) brings an agent of its own: the older one is over.
static void end_replaced(struct collector *collector, uint32_t index)
{
    pid_t pid = collector->processes[index]->os_pid;
    for (uint32_t i = 0; i < index; i++) {
        if (collector->processes[i] && collector->processes[i]->os_pid == pid) {
            finish_process(collector, i, RECORDING_PROCESS_ENDED, EXIT_STATUS_UNKNOWN); // it has none
        }
    }
}

static uint32_t take_fresh(struct collector *collector)
{
    eventfd_t count;
    (void)eventfd_read(collector->wake, &count); // nothing there is no error here
    (void)pthread_mutex_lock(&collector->lock);  // a plain mutex, never locked twice
    uint32_t all = collector->count;
    (void)pthread_mutex_unlock(&collector->lock);
    for (; collector->fresh < all; collector->fresh++) {
        end_replaced(collector, collector->fresh);
    }
    return all;
}

static void tell(struct collector *collector)
{
    uint64_t sum = collector->events;
    for (uint32_t i = 0; i < collector->fresh; i++) {
        uint64_t events, lost;
        if (collector->processes[i]) {
            process_totals(collector->processes[i], &events, &lost);
            sum += events;
        }
    }
    struct session_shared *shared = collector->session->shared;
    atomic_store(&shared->events, sum);
    atomic_store(&shared->bytes, recording_size(collector->drain.writer));
    atomic_fetch_add(&shared->beat, 1);
}

// Whose end nobody will tell: children, and everything once the CLI is gone.
static bool watched(const struct collector *collector, const struct process *process)
{
    return process->os_pid != collector->session->program;
}

int collector_step(struct collector *collector)
{
    uint32_t all = take_fresh(collector);
    int next = PASS_EMPTY_MS;
    for (uint32_t i = 0; i < all; i++) {
        struct process *process = collector->processes[i];
        if (!process) {
            continue;
        }
        bool ended = watched(collector, process) && has_ended(process);
        if (!stopped(collector)) {
            fail(collector, process_drain(process, &collector->drain, clock_monotonic_ns()));
        }
        if (ended) {
            finish_ended(collector, i, exit_status_of(process->os_pid, process->pidfd));
            continue;
        }
        int wait = process->busy ? PASS_BUSY_MS : PASS_MS;
        next = wait < next ? wait : next;
    }
    if (stopped(collector)) {
        abandon_all(collector);
        next = PASS_EMPTY_MS;
    }
    tell(collector);
    return next;
}

static void write_end(struct collector *collector)
{
    const struct session_shared *shared = collector->session->shared;
    struct recording_end end = {
        .ended_clock = session_clock(collector->session),
        .events = collector->events,
        .lost = collector->lost,
        .processes = atomic_load(&shared->processes),
        .threads = collector->threads,
        .complete = collector->lost == 0 && !collector->incomplete && atomic_load(&shared->segment_error) == CLEW_OK &&
                    !(collector->session->record.flags & RING_KEEP_LAST),
    };
    enum clew_error error = recording_close(collector->drain.writer, stopped(collector) ? NULL : &end);
    fail(collector, error);
}

void collector_finish(struct collector *collector, int status)
{
    stop_threads(collector);
    uint32_t all = take_fresh(collector);
    for (uint32_t i = 0; i < all; i++) {
        struct process *process = collector->processes[i];
        if (!process) {
            continue;
        }
        if (process->os_pid == collector->session->program && status != EXIT_STATUS_UNKNOWN) {
            finish_ended(collector, i, status);
        } else if (has_ended(process)) {
            finish_ended(collector, i, exit_status_of(process->os_pid, process->pidfd));
        } else {
            finish_process(collector, i, RECORDING_PROCESS_CUT, EXIT_STATUS_UNKNOWN);
        }
    }
    tell(collector);
    write_end(collector);
}

// -- In place of another ----------------------------------------------------------------------------------------------

static enum clew_error resume_process(struct collector *collector, uint32_t index)
{
    struct recording_reader *reader;
    CLEW_TRY(recording_open(collector->session->path, &reader));
    enum clew_error error = process_resume(collector->processes[index], &collector->drain, reader);
    recording_close_reader(reader);
    return error;
}

enum clew_error collector_adopt(struct collector *collector, int segment)
{
    struct ring_header *ring;
    enum clew_error error = segment_map(segment, &ring);
    (void)close(segment); // mapped, or of no use
    CLEW_TRY(error);
    ring->collector_pid = getpid();
    bool finished = ring->finished != 0;
    CLEW_TRY(add_process(collector, ring, process_watch((pid_t)ring->os_pid)));
    collector->fresh = collector->count;
    uint32_t index = collector->count - 1;
    if (finished) {
        remove_process(collector, index);
        return CLEW_OK;
    }
    end_replaced(collector, index);
    error = resume_process(collector, index);
    fail(collector, error);
    return error;
}

// -- As a process of its own ------------------------------------------------------------------------------------------

static void more_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); // with fewer, threads' files are opened for each sample
    }
}

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
    struct pollfd entries[] = {{.fd = collector->channel, .events = POLLIN}, {.fd = collector->wake, .events = POLLIN}};
    for (;;) {
        int wait = collector_step(collector);
        (void)poll(entries, 2, wait); // interrupted it only passes sooner
        if (entries[0].fd >= 0 && entries[0].revents) {
            struct channel_message message;
            int segment;
            if (!channel_receive(collector->channel, &message, &segment)) {
                entries[0].fd = -1; // ignored by poll from now on
            } else if (message.kind == CHANNEL_ENDED) {
                *status = message.status;
                return true;
            }
        }
        if (entries[0].fd < 0 && process_ended(collector->session->program_fd, collector->session->program)) {
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
    more_files();
    if (collector_new(session, writer, listener, channel, &collector) != CLEW_OK ||
        collector_start(collector) != CLEW_OK) {
        _exit(1); // the CLI takes over
    }
    (void)channel_send(channel, (struct channel_message){.kind = CHANNEL_READY}, -1); // a dead CLI started no program
    bool heard = serve_until_end(collector, &status);
    collector_finish(collector, status);
    if (heard) {
        (void)channel_send(channel, (struct channel_message){.kind = CHANNEL_DONE},
                           -1); // else it takes our end for death
    } else {
        remove_folder(session);
    }
    _exit(0); // the CLI's atexit handlers are not ours
}
