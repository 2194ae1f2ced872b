// The segments that the CLI holds, of all processes that the collector has not done with: from them it finishes the
// recording when the collector dies.
#ifndef CLEW_COLLECTOR_HELD_SEGMENTS_H
#define CLEW_COLLECTOR_HELD_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct held_segment {
    uint32_t process; // clew's number
    pid_t pid;
    uint64_t started; // when the process began, as struct watch has it
    int segment;      // -1: there were too few descriptors
};

// Zero-initialise.
struct held_segments {
    struct held_segment *of; // by ascending numbers of processes
    size_t count, room;
};

// Takes the segment over. The process is a newer one than those before.
void held_segments_add(struct held_segments *segments, struct held_segment held);
// The process's segment is not needed any more: closed.
void held_segments_remove(struct held_segments *segments, uint32_t process);
// Closes all that are left.
void held_segments_free(struct held_segments *segments);

#endif
