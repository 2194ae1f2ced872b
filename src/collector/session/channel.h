// The channel between the CLI and its collector: a pair of connected sockets of type SOCK_SEQPACKET, so a message
// arrives whole or not at all. Both sides learn from it when the other one dies.
#ifndef CLEW_COLLECTOR_CHANNEL_H
#define CLEW_COLLECTOR_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

enum channel_kind {
    // From the collector:
    CHANNEL_READY = 1, // it answers processes from now on
    CHANNEL_SEGMENT,   // the segment of a new process, which has not received it yet
    CHANNEL_RELEASED,  // all of this process is in the file; the CLI may close its segment
    CHANNEL_DONE,      // the recording is closed
    // From the CLI:
    CHANNEL_ENDED, // the program ended with `status`: finish the recording
};

struct channel_message {
    uint32_t kind;
    int32_t status;   // ENDED: as waitpid gives it
    uint32_t process; // SEGMENT, RELEASED: clew's number
    int32_t pid;      // SEGMENT: the process id
    uint64_t started; // SEGMENT: when the process began, as in struct watch
};

enum channel_sent {
    CHANNEL_SENT,
    CHANNEL_FULL, // the other side does not read; only without `waits`
    // The other side is gone:
    CHANNEL_CLOSED,
};

// Both ends are close-on-exec. False, with errno, when the system refuses.
bool channel_new(int *cli, int *collector);
// `segment` -1 sends no descriptor. `waits`: blocks while the other side does not read.
enum channel_sent channel_send(int channel, struct channel_message message, int segment, bool waits);
// Blocks until a message arrives. *segment is the descriptor that came with it, which the caller closes; -1 when none
// came, or this process had no free descriptor. False when the other side is gone.
bool channel_receive(int channel, struct channel_message *message, int *segment);

#endif
