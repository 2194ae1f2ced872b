// A line on the terminal while a program is recorded.
#ifndef CLEW_CLI_PROGRESS_H
#define CLEW_CLI_PROGRESS_H

#include "collector/session/session.h"

struct progress {
    const struct session *session;
    uint64_t started_ns; // CLOCK_MONOTONIC
    bool shown;
};

// Whether a line would disturb nobody: stderr is a terminal, and what the program prints goes elsewhere.
bool progress_wanted(void);
// For supervise(): draws the line anew; `context` is the struct progress.
void progress_show(void *context);
// Wipes it.
void progress_end(struct progress *progress);

#endif
