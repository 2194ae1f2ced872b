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
#include "collector/session/limits.h"
#include "collector/start/folder.h"
#include "collector/start/launch.h"
#include "collector/start/serve.h"
#include "ring/handshake.h"

enum { PROGRESS_MS = 200 };
// A collector is replaced that for so long has not said that it goes on: one that does nothing, and one that works.
#define STUCK_NS UINT64_C(10000000000)
#define ASTRAY_NS UINT64_C(120000000000)

struct conductor {
    const struct supervision *supervision;
    struct session *session;
    struct folder folder;
    int listener;
    int signals;
    sigset_t mask_before;
    struct launched launched;
    pid_t collector_pid;
    int channel; // -1 once the collector is gone or done
    struct held_segments segments;
    struct collector *own; // once we are in the collector's place
    bool ready;            // processes are answered
    bool done;             // the recording is closed
    struct supervised result;
};

// -- Start ------------------------------------------------------------------------------------------------------------

static bool take_signals(struct conductor *conductor)
{
    static const int taken[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        (void)sigaddset(&set, taken[i]);
    }
    if (sigprocmask(SIG_BLOCK, &set, &conductor->mask_before) != 0) {
        return false;
    }
    conductor->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return conductor->signals >= 0;
}

static bool start_collector(struct conductor *conductor)
{
    int theirs;
    if (!channel_new(&conductor->channel, &theirs)) {
        return false;
    }
    conductor->collector_pid = fork();
    if (conductor->collector_pid == 0) {
        (void)close(conductor->channel); // or it would not see the CLI's end
        launch_forget(&conductor->launched);
        collector_serve(conductor->session, conductor->supervision->writer, conductor->listener, theirs);
    }
    (void)close(theirs);
    if (conductor->collector_pid < 0) {
        return false;
    }
    // The file is the collector's now. Nothing is gathered yet, so this only lets go of it.
    return recording_close(conductor->supervision->writer, NULL) == CLEW_OK;
}

static bool start_program(struct conductor *conductor)
{
    const struct supervision *supervision = conductor->supervision;
    struct launch launch = {
        .command = supervision->command,
        .path = supervision->path,
        .agent = supervision->writer ? supervision->agent : NULL,
        .socket_path = conductor->folder.socket_path,
        .mask = conductor->mask_before,
    };
    return launch_fork(&launch, &conductor->launched);
}

// -- In the collector's place -----------------------------------------------------------------------------------------

// `clew repair` may have the file for a moment: it found no writer. Agents wait for an answer no longer than 5 s.
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

static void take_over(struct conductor *conductor)
{
    struct session *session = conductor->session;
    struct recording_writer *writer;
    if (atomic_load(&session->shared->full)) { // closed in order: nothing is left to do
        conductor->done = true;
        return;
    }
    conductor->result.took_over = true;
    uint32_t given = atomic_load(&session->shared->processes); // the new collector numbers more as soon as it starts
    (void)signal(SIGXFSZ, SIG_IGN);                            // a limit of file size is an error of writing
    enum clew_error error = resume_recording(session->path, &writer);
    if (error == CLEW_OK) {
        error = collector_new(session, writer, conductor->listener, -1, &conductor->own);
    }
    if (error != CLEW_OK) {
        atomic_store(&session->shared->error, error);
        conductor->done = true;
        return;
    }
    if (collector_start(conductor->own) != CLEW_OK) {                  // first: agents that wait are answered meanwhile
        atomic_store(&session->shared->segment_error, CLEW_NO_MEMORY); // later processes stay dormant
    }
    collector_adopt(conductor->own, &conductor->segments, given);
}

static void reap(pid_t pid)
{
    int status;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
}

// Two must never write: it is surely gone, its lock on the file too, before we begin.
static void lose_collector(struct conductor *conductor)
{
    (void)close(conductor->channel); // its other end is closed
    conductor->channel = -1;
    if (!conductor->done) {
        (void)kill(conductor->collector_pid, SIGKILL); // our own child, not yet reaped
        reap(conductor->collector_pid);
        conductor->collector_pid = 0;
        take_over(conductor);
    }
}

static void hear_collector(struct conductor *conductor)
{
    struct channel_message message;
    int segment;
    if (!channel_receive(conductor->channel, &message, &segment)) {
        lose_collector(conductor);
    } else if (message.kind == CHANNEL_SEGMENT) {
        held_segments_add(&conductor->segments,
                          (struct held_segment){message.process, message.pid, message.started, segment});
    } else if (message.kind == CHANNEL_RELEASED) {
        held_segments_remove(&conductor->segments, message.process);
    } else if (message.kind == CHANNEL_READY) {
        conductor->ready = true;
    } else if (message.kind == CHANNEL_DONE) {
        conductor->done = true;
    }
}

// -- While it runs ----------------------------------------------------------------------------------------------------

// What the terminal sends goes to the program too, which is of the same group; what somebody sent to clew alone does not.
static void pass_on(const struct conductor *conductor, const struct signalfd_siginfo *signal)
{
    bool sent_by_process = signal->ssi_code <= 0;
    CLEW_ASSERT(conductor->launched.pid > 0 && "0 would be our whole group");
    if (sent_by_process && signal->ssi_pid != (uint32_t)conductor->launched.pid) {
        (void)kill(conductor->launched.pid, (int)signal->ssi_signo); // not yet reaped, so it is still this one
    }
}

// False once the program has ended.
static bool hear_signals(struct conductor *conductor, bool running)
{
    struct signalfd_siginfo signal;
    while (read(conductor->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        if (signal.ssi_signo != SIGCHLD && running) {
            pass_on(conductor, &signal);
        } else if (signal.ssi_signo != SIGCHLD) {
            conductor->result.interrupted = true;
        }
    }
    siginfo_t info = {0};
    // Left unreaped: its /proc files tell its CPU time once more.
    int rc = waitid(P_PID, (id_t)conductor->launched.pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return !(rc == 0 && info.si_pid == conductor->launched.pid);
}

static void wait_once(struct conductor *conductor, int limit_ms, bool *signalled)
{
    struct pollfd entries[] = {{.fd = conductor->signals, .events = POLLIN},
                               {.fd = conductor->channel, .events = POLLIN},
                               {.fd = conductor->own ? collector_wake(conductor->own) : -1, .events = POLLIN}};
    int wait = conductor->own ? collector_step(conductor->own) : limit_ms;
    int ready = poll(entries, 3, wait < limit_ms ? wait : limit_ms);
    *signalled = ready > 0 && entries[0].revents;
    if (ready > 0 && entries[1].revents) {
        hear_collector(conductor);
    }
}

static void wait_for_program(struct conductor *conductor)
{
    const struct supervision *supervision = conductor->supervision;
    bool running = true;
    while (running) {
        bool signalled;
        wait_once(conductor, PROGRESS_MS, &signalled);
        if (signalled) {
            running = hear_signals(conductor, true);
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

// Signs of life of a collector.
struct pulse {
    struct cpu_watch watch;            // of its first thread, which does the work
    uint64_t beat, cpu_ns;             // the last that were seen
    uint64_t beat_at_ns, active_at_ns; // when the beat changed, and when either did
};

// A collector that hangs (not one that is slow, or has one large tree to write) is ended; then its end is heard, and we take
// over.
static void end_if_stuck(struct conductor *conductor, struct pulse *pulse)
{
    uint64_t now = clock_monotonic_ns(), beat = atomic_load(&conductor->session->shared->heartbeat), cpu_ns;
    (void)cpu_read(&pulse->watch, &cpu_ns); // 0 where the system does not tell
    if (beat != pulse->beat) {
        pulse->beat = beat;
        pulse->beat_at_ns = pulse->active_at_ns = now;
    }
    if (cpu_ns != pulse->cpu_ns) {
        pulse->cpu_ns = cpu_ns;
        pulse->active_at_ns = now;
    }
    bool stuck = now - pulse->active_at_ns > STUCK_NS || now - pulse->beat_at_ns > ASTRAY_NS;
    if (stuck && conductor->channel >= 0) {
        CLEW_ASSERT(conductor->collector_pid > 0 && "0 would be our whole group");
        (void)kill(conductor->collector_pid, SIGKILL); // our own child, not yet reaped
        pulse->beat_at_ns = pulse->active_at_ns = now;
    }
}

static void finish_recording(struct conductor *conductor, int status)
{
    struct channel_message message = {.kind = CHANNEL_ENDED, .status = status};
    uint64_t now = clock_monotonic_ns();
    struct pulse pulse = {.beat_at_ns = now, .active_at_ns = now};
    cpu_watch_begin(&pulse.watch, conductor->collector_pid, conductor->collector_pid, false);
    if (conductor->channel >= 0) {
        (void)channel_send(conductor->channel, message, -1, true); // of one that is gone, the end is heard below
    }
    while (!conductor->done && !conductor->own && !conductor->result.interrupted) {
        bool signalled;
        wait_once(conductor, PROGRESS_MS, &signalled);
        if (signalled) {
            (void)hear_signals(conductor, false); // the program is gone already
        }
        end_if_stuck(conductor, &pulse);
    }
    cpu_watch_end(&pulse.watch);
    if (conductor->own) {
        collector_finish(conductor->own, status);
        collector_free(conductor->own);
        conductor->own = NULL;
    }
}

// -- The whole --------------------------------------------------------------------------------------------------------

// An agent of another user is not answered, and cannot say so.
static void note_user(const struct conductor *conductor)
{
    char path[32], line[256];
    unsigned user = geteuid();
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)conductor->launched.pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Uid: %*u %u", &user) != 1) {
    }
    if (file) {
        (void)fclose(file); // only read from
    }
    atomic_store(&conductor->session->shared->other_user, user == geteuid() ? 0 : user + 1);
}

// The program starts once somebody answers it: an agent does not wait long. A collector that does not come to that is
// replaced.
static void wait_for_collector(struct conductor *conductor)
{
    uint64_t deadline_ns = clock_monotonic_ns() + STUCK_NS;
    while (!conductor->ready && conductor->channel >= 0) {
        struct pollfd entry = {.fd = conductor->channel, .events = POLLIN};
        if (poll(&entry, 1, PROGRESS_MS) > 0) {
            hear_collector(conductor);
        } else if (clock_monotonic_ns() > deadline_ns) {
            lose_collector(conductor);
        }
    }
}

static void run(struct conductor *conductor)
{
    wait_for_collector(conductor);
    conductor->result.exec_error = launch_release(&conductor->launched);
    wait_for_program(conductor);
    siginfo_t info = {0};
    (void)waitid(P_PID, (id_t)conductor->launched.pid, &info, WEXITED | WNOWAIT); // it has ended: returns at once
    conductor->result.status = status_of(&info);
    note_user(conductor);
    if (conductor->supervision->writer) {
        finish_recording(conductor, conductor->result.status);
    }
    reap(conductor->launched.pid);
    if (conductor->session->program_fd >= 0) {
        (void)close(conductor->session->program_fd); // only waited on
    }
    if (!conductor->result.interrupted) {
        reap(conductor->collector_pid);
    }
}

static enum clew_error start(struct conductor *conductor)
{
    struct session *session = conductor->session;
    bool records = conductor->supervision->writer != NULL;
    if (!take_signals(conductor) || (records && !folder_open(&conductor->folder, &conductor->listener))) {
        return CLEW_IO;
    }
    session->socket_path = conductor->folder.socket_path;
    if (!start_program(conductor)) {
        return CLEW_NO_MEMORY;
    }
    limits_more_files(); // only now, or the program would have it too
    session->program = conductor->launched.pid;
    session->program_fd = (int)syscall(SYS_pidfd_open, session->program, 0); // our child, not yet reaped
    if (records && !start_collector(conductor)) {
        launch_forget(&conductor->launched); // the child sees the gate close, and ends
        reap(conductor->launched.pid);
        return CLEW_NO_MEMORY;
    }
    return CLEW_OK;
}

enum clew_error supervise(const struct supervision *supervision, struct supervised *out)
{
    struct conductor conductor = {
        .supervision = supervision, .session = supervision->session, .listener = -1, .signals = -1, .channel = -1};
    enum clew_error error = start(&conductor);
    if (error == CLEW_OK) {
        run(&conductor);
        *out = conductor.result;
    }
    if (conductor.listener >= 0) {
        (void)close(conductor.listener); // nobody is let in any more
        folder_close(&conductor.folder);
    }
    held_segments_free(&conductor.segments);
    if (conductor.channel >= 0) {
        (void)close(conductor.channel); // the collector is done
    }
    (void)close(conductor.signals);
    (void)sigprocmask(SIG_SETMASK, &conductor.mask_before, NULL); // as we found it
    return error;
}
