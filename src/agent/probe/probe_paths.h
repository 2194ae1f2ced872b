// Walking from a thread's current node towards its root, to find the activation that an exit, an exception or a filter
// belongs to.
//
// A path has at most as many nodes as the segment. A program that overwrites nodes may close a path to a circle; each
// walk therefore counts its steps, and after too many the thread continues as if none of its activations ran. The
// collector reports the damage when it copies the tree.
#ifndef CLEW_AGENT_PROBE_PATHS_H
#define CLEW_AGENT_PROBE_PATHS_H

#include <stdint.h>

#include "agent/probe/probe_thread.h"

#pragma GCC visibility push(hidden)

// How many steps a walk may take.
static inline uint32_t path_longest(void)
{
    return probe_ring->nodes_max;
}

// Resets the thread to its root after a walk that did not end. Returns 0, the number of no node, for its caller to
// return.
static __attribute__((noinline, cold, unused)) uint32_t path_leave_circle(struct ring_thread *thread)
{
    thread->current = thread->root;
    return 0;
}

// The caller's stack pointer as hooks store it in a node: 32 bits that grow with depth, and wrap.
static inline uint32_t path_stack_key(uintptr_t caller_stack)
{
    return (uint32_t)(-caller_stack >> 3);
}

// For hooks: the activation of `method` whose caller has this stack pointer; 0: its end was seen before. Does not
// search activations that began higher in the stack, of which deep recursion has many.
uint32_t path_newest_at(struct ring_thread *thread, uint32_t method, uintptr_t caller_stack);

#pragma GCC visibility pop

#endif
