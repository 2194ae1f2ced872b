// Making and mapping the segment of ring.h.
#ifndef CLEW_RING_SEGMENT_H
#define CLEW_RING_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "ring/ring.h"

struct ring_options {
    uint32_t process;
    enum clock_kind clock;
    uint32_t instruments;
    uint32_t flags;
    uint32_t depth_max;
    uint32_t nodes_max;   // 0: the default, 4 Mi nodes (256 MiB)
    uint32_t chunk_quota; // 0: the default, 4,096 chunks (64 MiB)
    struct text scope;    // configuration lines, see ring_header.text_size
};

// The collector's side: makes a sealed memfd, maps it and fills in the header. The caller closes *fd and unmaps with
// segment_unmap(). USAGE: the configuration is too long; IO: the system refused.
enum clew_error segment_create(const struct ring_options *options, int *fd, struct ring_header **ring);

// A program with a wild pointer can write anywhere in the segment, the header included. The fixed part of the header
// (RING_HEADER_FIXED_SIZE) has all sizes and offsets, so either side copies it: the collector before the program gets the
// segment, the agent before it records. From then on that part of `*ring` is the private copy, which can only be read. The
// collector compares the shared one with it. NO_MEMORY: `*ring` can only be unmapped.
enum clew_error segment_protect(int fd, struct ring_header *ring);
// Whether the shared header still equals the private copy. Only after segment_protect() or segment_adopt().
bool segment_intact(const struct ring_header *ring);

// For a collector that replaces a dead one: maps and protects a segment that was made with the same options. Takes the
// layout from the options, and from the segment only the process's numbers and start. UNSUPPORTED: the memfd has
// another size.
enum clew_error segment_adopt(int fd, const struct ring_options *options, struct ring_header **ring);

// The agent's side: maps a segment that it received. UNSUPPORTED: another version; NO_MEMORY: no room in the address
// space.
enum clew_error segment_map(int fd, struct ring_header **ring);
void segment_unmap(struct ring_header *ring);

// The agent's side, instead of segment_map(): reports to the collector that this process has no room for the segment.
void segment_decline(int fd);

#endif
