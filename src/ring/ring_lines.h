// What all threads of a process have counted for `lines`, while they go on counting.
#ifndef CLEW_RING_RING_LINES_H
#define CLEW_RING_RING_LINES_H

#include "base/error.h"
#include "ring/ring.h"

// One more than the highest number of a site in any block so far; 0 without blocks. MALFORMED: more blocks than any agent
// could have made.
enum clew_error ring_lines_end(const struct ring_header *ring, uint32_t *end);

// Adds the counters of all threads to those of their sites: by_site[number], for blocks whose sites are all below `end`.
// Takes as long as there are sites, blocks and counters, whatever a broken program has made of them. MALFORMED: blocks
// overlap that are not of the same sites, or have more counters than were handed out; some may have been added then.
enum clew_error ring_lines_sum(const struct ring_header *ring, struct ring_line *by_site, uint32_t end);

#endif
