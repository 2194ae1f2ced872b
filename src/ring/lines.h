// What all threads of a process have counted for `lines`, while they go on counting.
#ifndef CLEW_RING_LINES_H
#define CLEW_RING_LINES_H

#include "ring/ring.h"

// One more than the highest number of a site in any block so far.
uint32_t ring_lines_end(const struct ring_header *ring);

// Adds the counters of all threads to those of their sites: by_site[number], for numbers below `end`. Others stay as they
// are. Believes nothing that could lead out of the segment.
void ring_lines_sum(const struct ring_header *ring, struct ring_line *by_site, uint32_t end);

#endif
