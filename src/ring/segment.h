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

// The collector's side: a sealed memfd with a filled-in header, mapped. The caller closes *fd and unmaps with
// segment_unmap().
enum clew_error segment_create(const struct ring_options *options, int *fd, struct ring_header **ring);

// A program with a wild pointer can write anywhere in the segment, the header included. So the collector, once it has
// filled in the header and before the program has the segment, takes a copy of the fixed part (RING_HEADER_FIXED_SIZE):
// `*ring` then reads that copy, where all sizes and offsets are, and the shared one is only compared with it.
enum clew_error segment_protect(int fd, struct ring_header *ring);
// Whether the shared header still equals the collector's copy. After segment_protect() or segment_adopt() only.
bool segment_intact(const struct ring_header *ring);

// Maps what another collector made with these options and protected; the layout comes from the options, and only the numbers
// of the process and its start from the segment. UNSUPPORTED when the file is none of that size.
enum clew_error segment_adopt(int fd, const struct ring_options *options, struct ring_header **ring);

// Maps a segment received from elsewhere and checks it; UNSUPPORTED when it is of another version.
enum clew_error segment_map(int fd, struct ring_header **ring);
void segment_unmap(struct ring_header *ring);

// The agent's side, instead of segment_map(): tells the collector that this process has no room for the segment.
void segment_decline(int fd);

#endif
