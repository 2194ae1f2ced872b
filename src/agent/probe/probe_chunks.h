// The pool of chunks, and the threads that wait for one.
//
// Each live thread keeps the chunk that it writes to. The quota counts full chunks: those that their threads have left, and
// that the collector has not freed. So quiet threads take nothing from the others, however many there are.
#ifndef CLEW_AGENT_PROBE_CHUNKS_H
#define CLEW_AGENT_PROBE_CHUNKS_H

#include <stdint.h>

#include "ring/ring.h"

#pragma GCC visibility push(hidden)

// How long a thread waits at most, in ns. Set once before the first probe can run.
extern uint64_t chunks_wait_ns;

// All return the number + 1 of a chunk that is the caller's now, or 0.

// A thread's first chunk: 0 when all there are at all are taken.
uint64_t chunks_take_first(void);
// The next chunk of a thread, which must leave its chunk for it. 0 when the quota is used up, or what is left of it belongs
// to threads that wait.
uint64_t chunks_take(void);
// The same, but waits its turn: threads are served in the order in which they came. 0 after chunks_wait_ns, or when the
// collector drains no more. Takes a lock that no thread holds while it sleeps.
uint64_t chunks_wait(struct ring_thread *thread);

#pragma GCC visibility pop

#endif
