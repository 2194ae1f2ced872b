// The lines that `run` and `record` close with, on stderr after the program's end.
#ifndef CLEW_CLI_CLOSING_H
#define CLEW_CLI_CLOSING_H

#include "cli/recording_options.h"
#include "collector/session/session.h"
#include "model/model.h"

// File, size, events kept and lost, clock, what is missing and why, what it cost, what to type next.
void closing_lines(const struct recording_options *options, const struct session *session, const struct model *model,
                   int exit_status);
// Why there is nothing, and what to do. `model` NULL: there is no file to ask. `path` is the started program's.
void closing_nothing(const struct recording_options *options, const struct session *session, const struct model *model,
                     const char *path);
// The recording stopped before the program did.
void closing_stopped(const struct session *session);

#endif
