// One session from the CLI's side: starts the collector and the program, passes signals on, waits, and takes the
// collector's place if that dies.
#ifndef CLEW_COLLECTOR_SUPERVISE_H
#define CLEW_COLLECTOR_SUPERVISE_H

#include <stdbool.h>

#include "collector/session/session.h"
#include "recording/writer.h"

struct supervision {
    struct session *session;         // program and socket_path are filled in here
    struct recording_writer *writer; // taken over; NULL: nothing is recorded, the program only runs
    char *const *command;
    const char *path;  // of the program's file
    const char *agent; // NULL: the program's environment stays as it is
    // Called about every 200 ms while the program runs; may be NULL.
    void (*progress)(void *context);
    void *context;
};

struct supervised {
    int status;       // of the program, as waitpid gives it
    int exec_error;   // errno of a failed exec: then the program never ran
    bool took_over;   // the collector died, and the CLI finished the recording
    bool interrupted; // the user did not want to wait for the end of the recording
};

// IO or NO_MEMORY when the session could not be started; then nothing runs.
enum clew_error supervise(const struct supervision *supervision, struct supervised *out);

#endif
