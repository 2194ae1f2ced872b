// The collector process: its surroundings, its loop, and its end.
#include "collector/start/serve.h"

#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "collector/collect/collector.h"
#include "collector/session/channel.h"
#include "collector/session/exit_status.h"
#include "collector/session/limits.h"
#include "collector/session/watch.h"
#include "collector/start/background.h"

static void become_collector(void)
{
    background_enter(-1);
    // Sent to all processes of a service when it is to stop: the program decides when it ends, and the collector after it.
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); // then a file above the size limit is a write error
    (void)prctl(PR_SET_NAME, "clew-collector", 0UL, 0UL, 0UL);
}

// For a CLI that was killed, which would have removed the session's folder.
static void remove_folder(const struct session *session)
{
    char *path = strdup(session->socket_path);
    if (path) {
        (void)unlink(path);
        (void)rmdir(dirname(path));
        free(path);
    }
}

// Makes passes until the CLI reports the end of the program (true), or until both the CLI and the program are gone
// (false).
static bool serve_until_end(struct collector *collector, const struct session *session, int channel, int *status)
{
    const struct watch program = {.pid = session->program, .pidfd = session->program_fd};
    struct pollfd entries[] = {{.fd = channel, .events = POLLIN}, {.fd = collector_wake(collector), .events = POLLIN}};
    for (;;) {
        int wait = collector_step(collector);
        (void)poll(entries, 2, wait); // if interrupted, the next pass only comes earlier
        if (entries[0].fd >= 0 && entries[0].revents) {
            struct channel_message message;
            int segment;
            if (!channel_receive(channel, &message, &segment)) {
                entries[0].fd = -1; // poll() ignores it from now on
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
    become_collector();
    limits_more_files();
    if (collector_new(session, writer, listener, channel, &collector) != CLEW_OK ||
        collector_start(collector) != CLEW_OK ||
        channel_send(channel, (struct channel_message){.kind = CHANNEL_READY}, -1, true) != CHANNEL_SENT) {
        _exit(1); // the CLI takes over; if it is dead, no program was started
    }
    bool cli_lives = serve_until_end(collector, session, channel, &status);
    collector_finish(collector, status);
    if (cli_lives) {
        // Otherwise the CLI would take our exit for a crash.
        (void)channel_send(channel, (struct channel_message){.kind = CHANNEL_DONE}, -1, true);
    } else {
        remove_folder(session);
    }
    _exit(0); // not exit(): the atexit handlers are the CLI's
}
