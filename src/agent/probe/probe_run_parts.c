#include "agent/probe/probe_run_parts.h"

void write_run_event(uint32_t node, enum ring_extended kind, uint64_t serial, uint64_t number, uint64_t now)
{
    struct ring_thread *thread = thread_self;
    if (stream_has(node_at(node)->method) && thread->depth <= stream_depth_limit) {
        stream_extended(thread, kind, (const uint64_t[]){serial, number}, 2, now);
    }
}
