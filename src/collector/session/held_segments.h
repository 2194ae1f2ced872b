// The segments that the CLI keeps open: those of all processes that the collector has not finished. From them the CLI
// finishes the recording when the collector dies.
#ifndef CLEW_COLLECTOR_HELD_SEGMENTS_H
#define CLEW_COLLECTOR_HELD_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct held_segment {
    uint32_t process; // clew's number
    pid_t pid;
    uint64_t started; // when the process began, as in struct watch
    int segment;      // -1: no descriptor was free for it
};

// Zero-initialise.
struct held_segments {
    struct held_segment *of; // by ascending numbers of processes
    size_t count, room;
};

// Owns the segment from then on. The process has a higher number than those before.
void held_segments_add(struct held_segments *segments, struct held_segment held);
// Closes the segment of a process that is finished.
void held_segments_remove(struct held_segments *segments, uint32_t process);
// Closes all segments.
void held_segments_free(struct held_segments *segments);

#endif
