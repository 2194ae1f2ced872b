// A session from the CLI's side: starts the collector and the program, forwards signals, waits for both, and becomes
// the collector itself if that dies. Or the program is there already, and waits for an answer: its agent has started clew.
#ifndef CLEW_COLLECTOR_SUPERVISE_H
#define CLEW_COLLECTOR_SUPERVISE_H

#include <stdbool.h>

#include "base/limit.h"
#include "collector/session/session.h"
#include "recording/writer.h"
#include "ring/handshake.h"

// Without a sign of life for so long, the collector is replaced: while it uses no CPU time, and while it does.
CLEW_LIMIT(COLLECTOR_IDLE_LIMIT_NS, 10000000000);
CLEW_LIMIT(COLLECTOR_BUSY_LIMIT_NS, 120000000000);

struct supervision {
    struct session *session;         // supervise() sets program, program_fd and socket_path
    struct recording_writer *writer; // owned by supervise(); NULL: the program runs unrecorded
    char *const *command;
    const char *path;  // of the program's file
    const char *agent; // NULL leaves the environment of the program unchanged
    // A program that has started clew: `command`, `path` and `agent` are not used, and signals are ignored.
    pid_t program; // 0: `command` is started
    int answer;    // pipe on which it waits for a struct ring_started, closed by supervise()
    int attended;  // from attended_listen(), answered while the program runs; -1: none
    // Called about every 200 ms while the program runs; may be NULL.
    void (*progress)(void *context);
    void *context;
};

struct supervised {
    int status;       // of the program, as waitpid gives it
    int exec_error;   // errno of a failed exec: then the program never ran; EPIPE: supervision.program did not wait
    bool took_over;   // the collector died, and the CLI finished the recording
    bool interrupted; // the user interrupted the wait for the end of the recording
};

// Returns after the end of the program and of the recording. IO or NO_MEMORY when the session could not be started;
// then nothing runs. Blocks the signals that it forwards meanwhile.
enum clew_error supervise(const struct supervision *supervision, struct supervised *out);

#endif
