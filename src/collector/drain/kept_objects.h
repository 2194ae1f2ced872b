// Descriptions of objects (OBJECT events) from chunks that a flight recorder has discarded. Events in the chunks that
// it keeps may refer to those objects, and so may later events of the program.
//
// To bound their number, the collector asks the agent for new object numbers: it stores ring_header.objects_from. At
// the next garbage collection the agent begins to give a new number to each object with a lower one that it sees again,
// and stores objects_renewed. From then on an older description is needed only while a kept chunk refers to it, and a
// sweep drops the others.
//
// The descriptions are in the segment, in chunks that no thread of a flight recorder gets (RING_KEPT_CHUNKS), so that a
// collector that takes over has them. They are in two halves; a sweep copies from one to the other. The program may
// write over them, so each walk checks what it reads.
#ifndef CLEW_COLLECTOR_KEPT_OBJECTS_H
#define CLEW_COLLECTOR_KEPT_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ring/ring.h"

struct kept_objects {
    struct ring_header *ring;
    uint32_t half;      // the half in use, 0 or 1
    uint64_t sequence;  // its sequence number, which is higher than the other's
    uint64_t used;      // bytes used in it
    uint64_t sweep_at;  // when so many bytes are used, a sweep is due
    uint64_t sweep_min; // bytes that are added between two sweeps, at least
    bool asked;         // the agent was asked for new numbers since the last sweep
    uint32_t highest;   // the highest object number so far
    uint64_t missed;    // descriptions that found no room
};

// `keep_bytes` is how much of the streams the flight recorder keeps. Continues with the descriptions that an earlier
// collector has left.
void kept_objects_open(struct kept_objects *kept, struct ring_header *ring, uint64_t keep_bytes);

// Adds the OBJECT events among these cells of a chunk, which begin and end with an event.
void kept_objects_add(struct kept_objects *kept, const uint32_t *cells, size_t count);

// Whether a sweep is due. Once enough bytes are used it asks the agent for new numbers; the sweep is due when the agent
// gives them.
bool kept_objects_due(struct kept_objects *kept);

// The object numbers in kept chunks: one bit for each number modulo NAMED_BITS. Some bits are set by other words.
enum { NAMED_BITS = 1 << 26 };
struct named {
    uint64_t *bits;
};

// Adds each word as if it were an object number. A wrong one only keeps a description too long.
void named_add(struct named *named, const uint32_t *words, size_t count);

// Drops descriptions whose objects are not named: all such at the end of the process, before that only those whose
// objects get new numbers. MALFORMED when the program wrote over them.
enum clew_error kept_objects_sweep(struct kept_objects *kept, struct named *named, bool at_the_end);

// The cells of all descriptions: OBJECT events in a row. Borrowed until the next call of a function here.
const uint32_t *kept_objects_cells(const struct kept_objects *kept, size_t *count);

#endif
