// Writing a thread's stream: event words into chunks of the shared pool.
#ifndef CLEW_AGENT_STREAM_H
#define CLEW_AGENT_STREAM_H

#include "agent/thread.h"

// The slow path: a new chunk, a large step of the clock, waiting for room, telling of losses. Then writes the word.
void stream_write_slow(struct ring_thread *thread, uint64_t word, uint64_t clock);
// An extended event with its one further word; `has_word` false for those without.
void stream_extended(struct ring_thread *thread, enum ring_extended kind, bool has_word, uint64_t further, uint64_t clock);

extern bool stream_lossy;

// `word` has kind and payload; the clock's low half is added here.
static inline void stream_write(struct ring_thread *thread, uint64_t word, uint64_t clock)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    if (__builtin_expect(at >= thread->limit || (clock - thread->last_clock) >> 32 != 0, 0)) {
        stream_write_slow(thread, word, clock);
        return;
    }
    *(uint64_t *)((char *)probe_ring + at) = word | clock << 32;
    thread->last_clock = clock;
    // Pairs with the collector's acquire load: the word is there before the cursor passes it.
    atomic_store_explicit(&thread->at, at + sizeof word, memory_order_release);
}

#endif
