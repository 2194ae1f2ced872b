// Sums of the counters of `lines` over all threads of a process, read by the collector while the threads continue to
// count.
#ifndef CLEW_RING_RING_LINES_H
#define CLEW_RING_RING_LINES_H

#include "base/error.h"
#include "ring/ring.h"

// *end: one more than the highest site number in any block so far; 0 if there is no block. MALFORMED: there are more
// blocks than an agent could have made.
enum clew_error ring_lines_end(const struct ring_header *ring, uint32_t *end);

// Adds each counter to by_site[number of its site]. Skips blocks with a site at or above `end`. The time is linear in
// the numbers of sites, blocks and counters, whatever a broken program wrote over them. MALFORMED: two blocks overlap
// in part, or all blocks together have more counters than the segment; some counters may have been added then.
enum clew_error ring_lines_sum(const struct ring_header *ring, struct ring_line *by_site, uint32_t end);

#endif
