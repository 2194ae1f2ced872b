// What `run` and `record` say on stderr after the program's end.
#ifndef CLEW_CLI_VERDICT_H
#define CLEW_CLI_VERDICT_H

#include "cli/recording_options.h"
#include "collector/session/session.h"
#include "model/model.h"

// File, size, events kept and lost, clock, what is missing and why, what it cost, what to type next.
void verdict_say(const struct recording_options *options, const struct session *session, const struct model *model,
                 int exit_status);
// Why there is nothing, and what to do. `model` NULL: there is no file to ask. `path` is the started program's.
void verdict_nothing(const struct recording_options *options, const struct session *session, const struct model *model,
                     const char *path);
// The recording stopped before the program did.
void verdict_stopped(const struct session *session);

#endif
