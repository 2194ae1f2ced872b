// The collector as a child process of the CLI.
#ifndef CLEW_COLLECTOR_SERVE_H
#define CLEW_COLLECTOR_SERVE_H

#include "collector/session/session.h"
#include "recording/writer.h"

// Runs in the forked child, and never returns. `channel` is its end of the channel to the CLI.
_Noreturn void collector_serve(const struct session *session, struct recording_writer *writer, int listener,
                               int channel);

#endif
