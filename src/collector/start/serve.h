// The collector as a process of its own.
#ifndef CLEW_COLLECTOR_SERVE_H
#define CLEW_COLLECTOR_SERVE_H

#include "collector/session/session.h"
#include "recording/writer.h"

// The whole life of a collector process; does not return.
_Noreturn void collector_serve(const struct session *session, struct recording_writer *writer, int listener,
                               int channel);

#endif
