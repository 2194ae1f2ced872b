// The line between the CLI and its collector: a pair of connected sockets. Whole messages, or none.
#ifndef CLEW_COLLECTOR_CHANNEL_H
#define CLEW_COLLECTOR_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

enum channel_kind {
    CHANNEL_READY = 1, // collector: processes are answered from now on
    CHANNEL_SEGMENT,   // collector: here is the segment of a new process, before the process has it
    CHANNEL_DONE,      // collector: the recording is closed
    CHANNEL_ENDED,     // CLI: the program ended with `status`; finish
};

struct channel_message {
    uint32_t kind;
    int32_t status; // as waitpid gives it
};

// Both close-on-exec. False when the system gives none.
bool channel_new(int *cli, int *collector);
// `segment` -1: none. False when the other side is gone.
bool channel_send(int channel, struct channel_message message, int segment);
// Waits for a message. *segment -1 when none came along, else the caller closes it. False when the other side is gone.
bool channel_receive(int channel, struct channel_message *message, int *segment);

#endif
