// The pool of chunks, and the threads that wait for one.
//
// Each live thread keeps the chunk that it writes to. The quota counts full chunks only: those that their threads have
// left and the collector has not freed. So quiet threads take nothing from busy ones, however many there are.
#ifndef CLEW_AGENT_PROBE_CHUNKS_H
#define CLEW_AGENT_PROBE_CHUNKS_H

#include <stdint.h>

#include "ring/ring.h"

#pragma GCC visibility push(hidden)

// The longest that a thread waits, in ns. Set once, before the first probe can run.
extern uint64_t chunks_wait_ns;

// All return the number + 1 of a chunk that now belongs to the caller, or 0.

// A thread's first chunk. 0: all RING_CHUNKS_MAX chunks are taken.
uint64_t chunks_take_first(void);
// The next chunk of a thread, which must leave its current chunk for it. 0: the quota is used up, or the rest of it is
// reserved for threads that already wait.
uint64_t chunks_take(void);
// The same, but waits its turn: threads are served in the order of their arrival. 0: chunks_wait_ns have passed, or the
// collector is gone. Adds the time to thread->paused_ns. Takes a lock that no thread holds while it sleeps.
uint64_t chunks_wait(struct ring_thread *thread);

#pragma GCC visibility pop

#endif
