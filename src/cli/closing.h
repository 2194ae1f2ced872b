// The closing lines of `run` and `record`: what they print on stderr after the program's end. stdout belongs to the
// program.
#ifndef CLEW_CLI_CLOSING_H
#define CLEW_CLI_CLOSING_H

#include "cli/recording_options.h"
#include "collector/session/session.h"
#include "model/model.h"

// Prints the file, its size, events and losses, the clock, what is missing and why, the cost, and commands to type
// next. With --json the same as an object, and nothing with --quiet. `exit_status` is the program's.
void closing_lines(const struct recording_options *options, const struct session *session, const struct model *model,
                   int exit_status);
// Prints why nothing was recorded, and the remedy. `model` is NULL if there is no file. `path` is the file of the
// started program.
void closing_nothing(const struct recording_options *options, const struct session *session, const struct model *model,
                     const char *path);
// Prints that the recording stopped before the program did, and why.
void closing_stopped(const struct session *session);

#endif
