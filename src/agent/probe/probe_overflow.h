// Activations beyond the cap of call tree nodes.
//
// When a thread can make no more nodes, its sentinel node becomes the current one in place of a child, and the
// activations above are kept on an overflow stack of their own. Calls of each method stay exact, in a flat list of
// nodes under the thread's `(over the cap)`, or count as lost if there is no node for the method either; their time
// counts as own time of the last method that has a node. The sentinel differs from `(over the cap)` in having no
// children: an entry must not find one there and continue on an ordinary path.
#ifndef CLEW_AGENT_PROBE_OVERFLOW_H
#define CLEW_AGENT_PROBE_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe/probe_stream.h"
#include "agent/probe/probe_thread.h"

#pragma GCC visibility push(hidden)

// Whether activations beyond the cap run on the thread.
static inline bool overflow_runs(const struct ring_thread *thread)
{
    return node_at(thread->current)->method == METHOD_OVER_CAP;
}

// Begins an activation for which there is no node.
void overflow_enter(struct ring_thread *thread, uint32_t method);

// Position + 1 on the overflow stack of the newest activation of `method`; 0: none.
static inline uint32_t overflow_newest(uint32_t method)
{
    const struct thread_private *own = thread_self_private;
    uint32_t i = own->overflow_depth;
    while (i > 0 && node_at(own->overflow[i - 1].node)->method != method) {
        i--;
    }
    return i;
}

// Ends the newest activation of `method` beyond the cap; false: there is none.
bool overflow_leave(struct ring_thread *thread, uint32_t method, bool stream, uint64_t now);

// Ends the activations on the overflow stack from `position` (+ 1) up.
void overflow_end_from(struct ring_thread *thread, uint32_t position, enum activation_end end, bool stream,
                       uint64_t now);

#pragma GCC visibility pop

#endif
