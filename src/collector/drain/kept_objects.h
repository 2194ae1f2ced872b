// What a flight recorder still knows of objects: the OBJECT events of chunks that it has discarded, since what it keeps may
// name them, and the program may again.
//
// The agent ends the second: asked by ring_header.objects_from, it gives objects with lower numbers new ones when it sees
// them next, beginning at a collection, and then sets objects_renewed. From there on a description below is kept only while
// a kept chunk names it. So there are as many as kept chunks name and the program has met between two collections.
//
// They lie in the segment, in chunks that a flight recorder's threads do not get, so whoever takes a dead collector's place
// has them. The program may write over them: each walk checks what it reads.
#ifndef CLEW_COLLECTOR_KEPT_OBJECTS_H
#define CLEW_COLLECTOR_KEPT_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ring/ring.h"

struct kept_objects {
    struct ring_header *ring;
    uint32_t half;      // which of the two is in use
    uint64_t sequence;  // of that one
    uint64_t used;      // bytes of it
    uint64_t sweep_at;  // so many are worth a sweep
    uint64_t sweep_min; // that come between two of them
    bool asked;         // the agent was, since the last one
    uint32_t highest;   // number so far
    uint64_t missed;    // that there was no room for
};

// `keep_bytes` is the size of what is kept. Takes up what a collector before has left.
void kept_objects_open(struct kept_objects *kept, struct ring_header *ring, uint64_t keep_bytes);

// Adds the OBJECT events among these cells, which are whole events.
void kept_objects_add(struct kept_objects *kept, const uint32_t *cells, size_t count);

// Whether a sweep is worth its while. Asks the agent for new numbers when it will be.
bool kept_objects_due(struct kept_objects *kept);

// The numbers that kept chunks name, and others: a bit for each number modulo NAMED_BITS.
enum { NAMED_BITS = 1 << 26 };
struct named {
    uint64_t *bits;
};

// Whatever the words are: one that is no object's number does no harm.
void named_add(struct named *named, const uint32_t *words, size_t count);

// Drops what is not named: all of it, or, before the end, what has been renewed. MALFORMED: the program wrote over it.
enum clew_error kept_objects_sweep(struct kept_objects *kept, struct named *named, bool at_the_end);

// The cells of all that there are: OBJECT events, one after the other. Until the next call.
const uint32_t *kept_objects_cells(const struct kept_objects *kept, size_t *count);

#endif
