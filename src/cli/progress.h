// A line on the terminal that shows the progress of a recording.
#ifndef CLEW_CLI_PROGRESS_H
#define CLEW_CLI_PROGRESS_H

#include "collector/session/session.h"

// The caller sets `session` and zeroes the other members.
struct progress {
    const struct session *session;
    uint64_t started_ns; // CLOCK_MONOTONIC
    bool shown;
};

// Whether to show the line: stderr is a terminal, and the program's output goes elsewhere, so the line disturbs
// nothing.
bool progress_wanted(void);
// Redraws the line; a callback for supervise(). `context` is the struct progress.
void progress_show(void *context);
// Erases the line.
void progress_end(struct progress *progress);

#endif
