// The line between the CLI and its collector: a pair of connected sockets. Whole messages, or none.
#ifndef CLEW_COLLECTOR_CHANNEL_H
#define CLEW_COLLECTOR_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

enum channel_kind {
    CHANNEL_READY = 1, // collector: processes are answered from now on
    CHANNEL_SEGMENT,   // collector: the segment of a new process, before the process has it
    CHANNEL_RELEASED,  // collector: all of this process is in the file; its segment is not needed any more
    CHANNEL_DONE,      // collector: the recording is closed
    CHANNEL_ENDED,     // CLI: the program ended with `status`; finish
};

struct channel_message {
    uint32_t kind;
    int32_t status;   // ENDED: as waitpid gives it
    uint32_t process; // SEGMENT, RELEASED: clew's number
    int32_t pid;      // SEGMENT: the system's number
    uint64_t started; // SEGMENT: when the process began, as struct watch has it
};

enum channel_sent {
    CHANNEL_SENT,
    CHANNEL_FULL, // the other side does not read; only where we do not wait for it
    CHANNEL_CLOSED,
};

// Both close-on-exec. False when the system gives none.
bool channel_new(int *cli, int *collector);
// `segment` -1: none. Waits for room, or not.
enum channel_sent channel_send(int channel, struct channel_message message, int segment, bool waits);
// Waits for a message. *segment -1 when none came along, or no descriptor was free for it; else the caller closes it. False
// when the other side is gone.
bool channel_receive(int channel, struct channel_message *message, int *segment);

#endif
