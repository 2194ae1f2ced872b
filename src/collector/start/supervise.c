// The supervisor: the CLI's loop while a program is recorded.
//
// The collector can die at any moment. The supervisor sees its end of the channel close, makes sure that the process is
// gone, and becomes the collector: it resumes the file and adopts the segments that it was sent. It also replaces a
// collector that hangs: before the program starts (wait_for_collector) and after it has ended (kill_if_stuck).
#include "collector/start/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/collect/collector.h"
#include "collector/drain/cpu.h"
#include "collector/session/channel.h"
#include "collector/session/exit_status.h"
#include "collector/session/limits.h"
#include "collector/session/watch.h"
#include "collector/start/folder.h"
#include "collector/start/launch.h"
#include "collector/start/serve.h"
#include "ring/attended.h"

enum { PROGRESS_MS = 200 };

struct supervisor {
    const struct supervision *supervision;
    struct session *session;
    struct folder folder;
    int listener;
    int signals;
    sigset_t mask_before;
    struct launched launched; // of a program that is started
    struct watch watch;       // of one that is there already
    pid_t collector_pid;
    int channel; // -1 once the collector is gone or done
    struct held_segments segments;
    struct collector *own; // after a takeover: the supervisor is the collector. NULL before
    bool ready;            // the collector answers processes
    bool done;             // the recording is closed
    struct supervised result;
};

// -- Start ------------------------------------------------------------------------------------------------------------

static bool take_signals(struct supervisor *supervisor)
{
    static const int taken[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        (void)sigaddset(&set, taken[i]);
    }
    if (sigprocmask(SIG_BLOCK, &set, &supervisor->mask_before) != 0) {
        return false;
    }
    supervisor->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return supervisor->signals >= 0;
}

// Whether the program is there already: it is not our child, and its signals are not ours to forward.
static bool attends(const struct supervisor *supervisor)
{
    return supervisor->supervision->program > 0;
}

static bool start_collector(struct supervisor *supervisor)
{
    int theirs;
    if (!channel_new(&supervisor->channel, &theirs)) {
        return false;
    }
    supervisor->collector_pid = fork();
    if (supervisor->collector_pid == 0) {
        (void)close(supervisor->channel); // otherwise it would not see the CLI die
        if (attends(supervisor)) {
            (void)close(supervisor->supervision->answer); // the program waits for its last end
        } else {
            launch_forget(&supervisor->launched);
        }
        collector_serve(supervisor->session, supervisor->supervision->writer, supervisor->listener, theirs);
    }
    (void)close(theirs);
    if (supervisor->collector_pid < 0) {
        return false;
    }
    // The collector owns the file now. No block has been gathered, so this only frees the writer here.
    return recording_close(supervisor->supervision->writer, NULL) == CLEW_OK;
}

static bool start_program(struct supervisor *supervisor)
{
    const struct supervision *supervision = supervisor->supervision;
    struct launch launch = {
        .command = supervision->command,
        .path = supervision->path,
        .agent = supervision->writer ? supervision->agent : NULL,
        .socket_path = supervisor->folder.socket_path,
        .mask = supervisor->mask_before,
        .writer = supervision->writer,
    };
    return launch_fork(&launch, &supervisor->launched);
}

// -- Taking over ------------------------------------------------------------------------------------------------------

// `clew repair` may have locked the file meanwhile, since it found no writer. We wait for it, but less than the 5 s for
// which agents wait for an answer.
static enum clew_error resume_recording(const char *path, struct recording_writer **writer)
{
    enum { STEP_US = 20000, LONGEST_S = 3 };
    enum clew_error error = recording_resume(path, writer);
    for (int tries = LONGEST_S * (1000000 / STEP_US); error == CLEW_BUSY && tries > 0; tries--) {
        (void)usleep(STEP_US);
        error = recording_resume(path, writer);
    }
    return error;
}

static void take_over(struct supervisor *supervisor)
{
    struct session *session = supervisor->session;
    struct recording_writer *writer;
    if (atomic_load(&session->shared->full)) { // the dead collector had closed the full recording
        supervisor->done = true;
        return;
    }
    supervisor->result.took_over = true;
    uint32_t given = atomic_load(&session->shared->processes); // the acceptor started below numbers more
    (void)signal(SIGXFSZ, SIG_IGN);                            // then a file above the size limit is a write error
    enum clew_error error = resume_recording(session->path, &writer);
    if (error == CLEW_OK) {
        error = collector_new(session, writer, supervisor->listener, -1, &supervisor->own);
    }
    if (error != CLEW_OK) {
        atomic_store(&session->shared->error, error);
        supervisor->done = true;
        return;
    }
    if (collector_start(supervisor->own) != CLEW_OK) {                 // first, since agents are waiting for an answer
        atomic_store(&session->shared->segment_error, CLEW_NO_MEMORY); // later processes stay unrecorded
    }
    collector_adopt(supervisor->own, &supervisor->segments, given);
}

static void reap(pid_t pid)
{
    int status;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
}

// Kills and reaps the old collector before the takeover: two must never write, and its lock on the file must be gone.
static void lose_collector(struct supervisor *supervisor)
{
    (void)close(supervisor->channel); // the other end is closed
    supervisor->channel = -1;
    if (!supervisor->done) {
        (void)kill(supervisor->collector_pid, SIGKILL); // our own child, not yet reaped
        reap(supervisor->collector_pid);
        supervisor->collector_pid = 0;
        take_over(supervisor);
    }
}

static void receive_message(struct supervisor *supervisor)
{
    struct channel_message message;
    int segment;
    if (!channel_receive(supervisor->channel, &message, &segment)) {
        lose_collector(supervisor);
    } else if (message.kind == CHANNEL_SEGMENT) {
        held_segments_add(&supervisor->segments,
                          (struct held_segment){message.process, message.pid, message.started, segment});
    } else if (message.kind == CHANNEL_RELEASED) {
        held_segments_remove(&supervisor->segments, message.process);
    } else if (message.kind == CHANNEL_READY) {
        supervisor->ready = true;
    } else if (message.kind == CHANNEL_DONE) {
        supervisor->done = true;
    }
}

// -- While it runs ----------------------------------------------------------------------------------------------------

// Forwards a signal that a process sent to clew. One from the terminal has reached the program already, which is in the
// same process group.
static void forward_signal(const struct supervisor *supervisor, const struct signalfd_siginfo *signal)
{
    bool sent_by_process = signal->ssi_code <= 0;
    CLEW_ASSERT(supervisor->launched.pid > 0 && "pid 0 would be our whole process group");
    if (sent_by_process && signal->ssi_pid != (uint32_t)supervisor->launched.pid) {
        (void)kill(supervisor->launched.pid, (int)signal->ssi_signo); // not reaped yet, so the pid is still its own
    }
}

// False once the program has ended.
static bool read_signals(struct supervisor *supervisor, bool running)
{
    struct signalfd_siginfo signal;
    while (read(supervisor->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        if (signal.ssi_signo == SIGCHLD || attends(supervisor)) {
            continue;
        }
        if (running) {
            forward_signal(supervisor, &signal);
        } else {
            supervisor->result.interrupted = true;
        }
    }
    if (attends(supervisor)) {
        return !watch_ended(&supervisor->watch);
    }
    siginfo_t info = {0};
    // Not reaped: the collector reads its CPU time once more from /proc.
    int rc = waitid(P_PID, (id_t)supervisor->launched.pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return !(rc == 0 && info.si_pid == supervisor->launched.pid);
}

static struct ring_started started_at(const char *socket_path)
{
    struct ring_started started = {0};
    (void)snprintf(started.socket_path, sizeof started.socket_path, "%s", socket_path);
    return started;
}

// `program`: its pidfd, whose end counts as a signal; -1: none.
static void wait_once(struct supervisor *supervisor, int limit_ms, int program, bool *signalled)
{
    struct pollfd entries[] = {{.fd = supervisor->signals, .events = POLLIN},
                               {.fd = supervisor->channel, .events = POLLIN},
                               {.fd = supervisor->own ? collector_wake(supervisor->own) : -1, .events = POLLIN},
                               {.fd = program, .events = POLLIN},
                               {.fd = attends(supervisor) ? supervisor->supervision->attended : -1, .events = POLLIN}};
    int wait = supervisor->own ? collector_step(supervisor->own) : limit_ms;
    int ready = poll(entries, 5, wait < limit_ms ? wait : limit_ms);
    *signalled = ready > 0 && (entries[0].revents || entries[3].revents);
    if (ready > 0 && entries[4].revents) {
        struct ring_started started = started_at(supervisor->folder.socket_path);
        attended_answer(supervisor->supervision->attended, &started);
    }
    if (ready > 0 && entries[1].revents) {
        receive_message(supervisor);
    }
}

static void wait_for_program(struct supervisor *supervisor)
{
    const struct supervision *supervision = supervisor->supervision;
    bool running = true;
    while (running) {
        bool signalled;
        wait_once(supervisor, PROGRESS_MS, supervisor->watch.pidfd, &signalled);
        if (signalled || (attends(supervisor) && supervisor->watch.pidfd < 0)) {
            running = read_signals(supervisor, true);
        }
        if (running && supervision->progress) {
            supervision->progress(supervision->context);
        }
    }
}

static int status_of(const siginfo_t *info)
{
    if (info->si_code == CLD_EXITED) {
        return info->si_status << 8;
    }
    return info->si_status | (info->si_code == CLD_DUMPED ? 0x80 : 0);
}

// When the collector last gave a sign of life. CLOCK_MONOTONIC.
struct heartbeat {
    struct cpu_watch watch; // of its main thread, which does the work
    uint64_t count, cpu_ns; // session->shared->heartbeat and CPU time, as last seen
    uint64_t counted_at_ns; // when the count last changed
    uint64_t active_at_ns;  // when the count or the CPU time last changed
};

// Kills a collector that hangs; a slow one, or one that writes a large tree, uses CPU time. The supervisor then sees
// the channel close, and takes over.
static void kill_if_stuck(struct supervisor *supervisor, struct heartbeat *heartbeat)
{
    uint64_t now = clock_monotonic_ns(), count = atomic_load(&supervisor->session->shared->heartbeat), cpu_ns;
    (void)cpu_read(&heartbeat->watch, &cpu_ns); // 0 if the system does not show it
    if (count != heartbeat->count) {
        heartbeat->count = count;
        heartbeat->counted_at_ns = heartbeat->active_at_ns = now;
    }
    if (cpu_ns != heartbeat->cpu_ns) {
        heartbeat->cpu_ns = cpu_ns;
        heartbeat->active_at_ns = now;
    }
    bool stuck = now - heartbeat->active_at_ns > COLLECTOR_IDLE_LIMIT_NS ||
                 now - heartbeat->counted_at_ns > COLLECTOR_BUSY_LIMIT_NS;
    if (stuck && supervisor->channel >= 0) {
        CLEW_ASSERT(supervisor->collector_pid > 0 && "pid 0 would be our whole process group");
        (void)kill(supervisor->collector_pid, SIGKILL); // our own child, not yet reaped
        heartbeat->counted_at_ns = heartbeat->active_at_ns = now;
    }
}

static void finish_recording(struct supervisor *supervisor, int status)
{
    struct channel_message message = {.kind = CHANNEL_ENDED, .status = status};
    uint64_t now = clock_monotonic_ns();
    struct heartbeat heartbeat = {.counted_at_ns = now, .active_at_ns = now};
    cpu_watch_begin(&heartbeat.watch, supervisor->collector_pid, supervisor->collector_pid, false);
    if (supervisor->channel >= 0) {
        (void)channel_send(supervisor->channel, message, -1, true); // if the collector is dead, the loop below notices
    }
    while (!supervisor->done && !supervisor->own && !supervisor->result.interrupted) {
        bool signalled;
        wait_once(supervisor, PROGRESS_MS, -1, &signalled);
        if (signalled) {
            (void)read_signals(supervisor, false); // the program has ended already
        }
        kill_if_stuck(supervisor, &heartbeat);
    }
    cpu_watch_end(&heartbeat.watch);
    if (supervisor->own) {
        collector_finish(supervisor->own, status);
        collector_free(supervisor->own);
        supervisor->own = NULL;
    }
}

// -- The whole --------------------------------------------------------------------------------------------------------

// Stores the user as whom the program ended: an agent of another user gets no answer, and cannot report why.
static void note_user(const struct supervisor *supervisor)
{
    char path[32], line[256];
    unsigned user = geteuid();
    if (attends(supervisor)) {
        return; // its agent has started us
    }
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)supervisor->launched.pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Uid: %*u %u", &user) != 1) {
    }
    if (file) {
        (void)fclose(file); // only read from
    }
    atomic_store(&supervisor->session->shared->other_user, user == geteuid() ? 0 : user + 1);
}

// Waits until agents will be answered, before the program starts: an agent waits 5 s at most. Replaces a collector that
// does not become ready.
static void wait_for_collector(struct supervisor *supervisor)
{
    uint64_t deadline_ns = clock_monotonic_ns() + COLLECTOR_IDLE_LIMIT_NS;
    while (!supervisor->ready && supervisor->channel >= 0) {
        struct pollfd entry = {.fd = supervisor->channel, .events = POLLIN};
        if (poll(&entry, 1, PROGRESS_MS) > 0) {
            receive_message(supervisor);
        } else if (clock_monotonic_ns() > deadline_ns) {
            lose_collector(supervisor);
        }
    }
}

// Answers a program that waits. Returns 0, or an errno: it does not wait any more.
static int answer(const struct supervision *supervision, const char *socket_path)
{
    struct ring_started started = started_at(socket_path);
    ssize_t size = write(supervision->answer, &started, sizeof started); // SIGPIPE is ignored
    int number = size == (ssize_t)sizeof started ? 0 : EPIPE;
    (void)close(supervision->answer);
    return number;
}

static int release_program(struct supervisor *supervisor)
{
    return attends(supervisor) ? answer(supervisor->supervision, supervisor->folder.socket_path)
                               : launch_release(&supervisor->launched);
}

static int status_of_program(const struct supervisor *supervisor)
{
    siginfo_t info = {0};
    if (attends(supervisor)) {
        return exit_status_of(supervisor->watch.pid, supervisor->watch.pidfd);
    }
    (void)waitid(P_PID, (id_t)supervisor->launched.pid, &info, WEXITED | WNOWAIT); // it has ended: returns at once
    return status_of(&info);
}

static void run(struct supervisor *supervisor)
{
    wait_for_collector(supervisor);
    supervisor->result.exec_error = release_program(supervisor);
    if (!attends(supervisor) || supervisor->result.exec_error == 0) {
        wait_for_program(supervisor);
    }
    supervisor->result.status = status_of_program(supervisor);
    note_user(supervisor);
    if (supervisor->supervision->writer) {
        finish_recording(supervisor, supervisor->result.status);
    }
    reap(supervisor->launched.pid);
    watch_end(&supervisor->watch);
    if (supervisor->session->program_fd >= 0) {
        (void)close(supervisor->session->program_fd); // only waited on
    }
    if (!supervisor->result.interrupted) {
        reap(supervisor->collector_pid);
    }
}

// Without a collector a program that was forked does not start, and one that waits runs on.
static void give_up_program(struct supervisor *supervisor)
{
    if (attends(supervisor)) {
        (void)close(supervisor->supervision->answer);
        return;
    }
    launch_forget(&supervisor->launched); // the child sees its pipe close, and exits
    reap(supervisor->launched.pid);
}

static enum clew_error start(struct supervisor *supervisor)
{
    struct session *session = supervisor->session;
    bool records = supervisor->supervision->writer != NULL;
    if (!take_signals(supervisor) || (records && !folder_open(&supervisor->folder, &supervisor->listener))) {
        return CLEW_IO;
    }
    session->socket_path = supervisor->folder.socket_path;
    if (!attends(supervisor) && !start_program(supervisor)) {
        return CLEW_NO_MEMORY;
    }
    limits_more_files(); // only now: the program must not inherit it
    session->program = attends(supervisor) ? supervisor->supervision->program : supervisor->launched.pid;
    session->program_fd = (int)syscall(SYS_pidfd_open, session->program, 0); // not reaped yet, or waiting for us
    if (attends(supervisor)) {
        supervisor->watch = watch_begin(session->program);
    }
    if (records && !start_collector(supervisor)) {
        give_up_program(supervisor);
        return CLEW_NO_MEMORY;
    }
    return CLEW_OK;
}

enum clew_error supervise(const struct supervision *supervision, struct supervised *out)
{
    struct supervisor supervisor = {.supervision = supervision,
                                    .session = supervision->session,
                                    .listener = -1,
                                    .signals = -1,
                                    .channel = -1,
                                    .watch.pid = 0,
                                    .watch.pidfd = -1};
    enum clew_error error = start(&supervisor);
    if (error == CLEW_OK) {
        run(&supervisor);
        *out = supervisor.result;
    }
    if (supervisor.listener >= 0) {
        (void)close(supervisor.listener); // agents get no answer any more
        folder_close(&supervisor.folder);
    }
    held_segments_free(&supervisor.segments);
    if (supervisor.channel >= 0) {
        (void)close(supervisor.channel); // the collector has finished
    }
    (void)close(supervisor.signals);
    (void)sigprocmask(SIG_SETMASK, &supervisor.mask_before, NULL); // cannot fail with these arguments
    return error;
}
