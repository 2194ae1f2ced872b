// Counters of `lines`, as the probes keep them: a block of the segment for each method and thread.
#ifndef CLEW_AGENT_PROBE_LINES_H
#define CLEW_AGENT_PROBE_LINES_H

#include "agent/probe/probe_thread.h"

enum { LINES_OF_A_METHOD = 1 << 18 }; // statements of the largest method that is counted

// A method's sites, by its number; filled in before its body is given to the runtime.
struct line_layout {
    uint32_t first_site, site_count;
    uint32_t statements; // among them
};

typedef uintptr_t lines_clock(uint32_t);

#pragma GCC visibility push(hidden)

// THREAD_METHODS_MAX of them; NULL where no instrument has sites.
extern struct line_layout *line_layouts;

// weave_targets.enter_lines: the calling thread's counters of the method; never NULL. *state, where asked for, is what the
// thread runs now.
struct weave_line *lines_enter_method(uint32_t marked, struct weave_lines **state);

// weave_targets.lines_now: what lines are timed by in this session; NULL: the tick word.
lines_clock *lines_clock_of(const struct ring_header *ring);

#pragma GCC visibility pop

#endif
