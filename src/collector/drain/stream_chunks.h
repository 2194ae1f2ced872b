// Chunks of a thread's stream in the segment: which of their cells are committed, and how they return to the pool.
//
// A stream is a chain of chunks. The thread fills the newest one; every older one has a successor and a final size. The
// program can write over all of this, so each value is read once and checked before use, and every walk has a bound.
#ifndef CLEW_COLLECTOR_STREAM_CHUNKS_H
#define CLEW_COLLECTOR_STREAM_CHUNKS_H

#include "collector/drain/process.h"

// The committed cells of one chunk, as offsets in the segment.
struct chunk_span {
    uint64_t from, to; // equal when nothing is committed
    uint64_t next;     // chunk number + 1 of the successor; 0 when there is none
    uint64_t opened_clock;
};

// The offset up to which the thread's newest chunk may be read; 0 before its first event. Read it before any `next`: a
// chunk that then has no successor contains the cursor. MALFORMED when it is in no chunk.
enum clew_error chunk_cursor(const struct process *process, uint32_t index, uint64_t *cursor);
// `number` is a chunk number + 1; `from` 0 starts at the chunk's first cell. `cursor` is from chunk_cursor(). MALFORMED
// when no agent leaves a chunk like this.
enum clew_error chunk_look(const struct process *process, uint32_t index, uint64_t number, uint64_t from,
                           uint64_t cursor, struct chunk_span *out);

// All committed cells of a thread that are not yet in the file, chunk by chunk.
struct chunk_walk {
    const struct process *process;
    uint32_t index;
    uint32_t steps;
    uint64_t number; // chunk number + 1 of the next chunk; 0 at the end
    uint64_t from;
    uint64_t cursor;
};
enum clew_error chunk_walk_begin(struct chunk_walk *walk, const struct process *process, uint32_t index);
// *more is false at the end; then *out is undefined.
enum clew_error chunk_walk_next(struct chunk_walk *walk, struct chunk_span *out, bool *more);

// The chunk (number + 1) that is read next; 0 before the thread has one.
uint64_t chunk_to_read(const struct process *process, uint32_t index);

// Returns the chunks from `from` up to, but without, `to` (both number + 1) to the pool, and wakes waiting threads once
// it is worth it. `to` 0 returns the whole chain.
void chunks_free(struct ring_header *ring, uint64_t from, uint64_t to);
// Wakes the threads that wait for room.
void chunks_wake(struct ring_header *ring);
// False: a broken program overwrote the number of full chunks, and threads would wait for room that never comes.
bool chunks_are_counted(const struct ring_header *ring);
// Whether threads wait for chunks, or soon will.
bool chunks_are_short(const struct ring_header *ring);

// The stream of an ended thread stops where the thread began to lose events. Counts the events behind that point as
// lost, and ends the stream there.
void chunks_count_stalled(struct ring_header *ring, struct ring_thread *thread);

// Whether the quota counts the last chunk of an ended thread. It does while a flight recorder keeps the chunk; the
// current chunks of live threads are beside the quota.
void chunks_count_last(struct process *process, uint32_t index, bool counts);

enum { CHUNKS_TO_WAKE = 128 }; // free chunks that are worth waking the waiting threads for

#endif
