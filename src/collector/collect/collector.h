// The collector drains the shared memory of all processes of a session into the recording.
//
// It runs as a child of the CLI (start/serve.c) that calls collector_step() in a loop. When the child dies, the CLI
// calls the same functions itself (start/supervise.c), after collector_adopt(). All functions here are for one thread.
#ifndef CLEW_COLLECTOR_COLLECTOR_H
#define CLEW_COLLECTOR_COLLECTOR_H

#include <stdbool.h>

#include "collector/session/held_segments.h"
#include "collector/session/session.h"
#include "recording/writer.h"

struct collector;

// Owns the writer from then on. `channel` leads to the CLI; -1 when the CLI itself is the collector.
enum clew_error collector_new(const struct session *session, struct recording_writer *writer, int listener, int channel,
                              struct collector **out);
void collector_free(struct collector *collector);

// Starts the threads that answer processes and move the tick clock.
enum clew_error collector_start(struct collector *collector);
// Takes over the processes of a dead collector from their segments, and continues where the file ends. Leaves
// `segments` empty. `given` is how many processes that collector had numbered. Errors, and the number of processes
// without a segment, are stored in session->shared.
void collector_adopt(struct collector *collector, struct held_segments *segments, uint32_t given);
// Makes one pass over all processes; returns after how many ms the next one is due. The descriptor of collector_wake()
// becomes readable when a process has been added before that.
int collector_step(struct collector *collector);
int collector_wake(const struct collector *collector);
// Finishes the recording after the end of the started program: drains all processes a last time and writes the END
// block. `status` is the program's, as waitpid gives it, or EXIT_STATUS_UNKNOWN. Errors are stored in session->shared.
void collector_finish(struct collector *collector, int status);

#endif
