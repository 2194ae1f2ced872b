// The collector: drains the shared memory of all processes of a session into the recording. It is a child of the CLI;
// when it dies, the CLI goes on in its place with the same functions.
#ifndef CLEW_COLLECTOR_COLLECTOR_H
#define CLEW_COLLECTOR_COLLECTOR_H

#include <stdbool.h>

#include "collector/session/held_segments.h"
#include "collector/session/session.h"
#include "recording/writer.h"

struct collector;

// Takes the writer over. `channel` -1: none (the CLI in the collector's place).
enum clew_error collector_new(const struct session *session, struct recording_writer *writer, int listener, int channel,
                              struct collector **out);
void collector_free(struct collector *collector);

// Begins to answer processes, in a thread of its own: a busy pass must not make an agent wait too long.
enum clew_error collector_start(struct collector *collector);
// Processes that another collector has left, each with its segment: goes on where the file ends. Leaves `segments` empty.
// `given`: how many processes that collector gave a number. Errors, and how many processes have no segment, are in
// session->shared.
void collector_adopt(struct collector *collector, struct held_segments *segments, uint32_t given);
// One pass over everything; returns after how many ms the next is due. collector_wake() becomes readable earlier when a
// process has come.
int collector_step(struct collector *collector);
int collector_wake(const struct collector *collector);
// The started process is gone, `status` as waitpid gives it or EXIT_STATUS_UNKNOWN: last drain, END block. Errors are told
// in session->shared.
void collector_finish(struct collector *collector, int status);

#endif
