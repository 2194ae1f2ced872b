// Counters of `lines`: each thread has a block of them in the segment for each method that it runs. Woven code asks for
// the block at entry and then counts statements itself.
#ifndef CLEW_AGENT_PROBE_LINES_H
#define CLEW_AGENT_PROBE_LINES_H

#include "agent/probe/probe_thread.h"

enum { LINES_OF_A_METHOD = 1 << 18 }; // the most statements that a counted method may have

// The sites of a method. Stored before its new body is passed to the runtime.
struct line_layout {
    uint32_t first_site, site_count;
    uint32_t statements; // among them
};

typedef void lines_clock(uint64_t *now);

#pragma GCC visibility push(hidden)

// By method number, THREAD_METHODS_MAX entries; NULL if no instrument has sites.
extern struct line_layout *line_layouts;

// weave_targets.enter_lines: the calling thread's counters of the method, never NULL. If `state` is not NULL, *state is
// the thread's current statement, for timing.
struct weave_line *lines_enter_method(uint32_t marked, struct weave_lines **state);

// weave_targets.lines_now: the clock by which lines are timed in this session; NULL: the tick word of the segment.
lines_clock *lines_clock_of(const struct ring_header *ring);

#pragma GCC visibility pop

#endif
