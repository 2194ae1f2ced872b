// Writing a thread's stream: events go into chunks of the shared pool. The fast path is inline and ends in one release
// store of the cursor, `at`. Everything rare is in probe_stream.c. All functions run on the thread that owns the
// stream.
#ifndef CLEW_AGENT_PROBE_STREAM_H
#define CLEW_AGENT_PROBE_STREAM_H

#include "agent/probe/probe_thread.h"
#include "ring/walk.h"

// The slow path of stream_write(): takes a new chunk, waits for room, reports losses or a large step of the clock, and
// writes the event, or counts it as lost. True: the pool is empty, and the thread should call stream_wait() soon. At
// the very end of the chunk it waits itself.
bool stream_write_slow(struct ring_thread *thread, uint64_t word, uint64_t clock);
// The events of sites that follow have happened at this time or later.
void stream_moment(struct ring_thread *thread, uint64_t clock);
// Waits for room. Woven code calls it with GC transition, so that garbage collections can proceed meanwhile.
void stream_wait(void);
// Writes an extended event with so many further words, at most two.
void stream_extended(struct ring_thread *thread, enum ring_extended kind, const uint64_t *further, uint32_t count,
                     uint64_t clock);

// For methods with sites, whose woven code writes events itself. After each of these functions RING_SITE_ROOM bytes are
// free. Woven code calls stream_room() when it is past the limit. True: it should call stream_wait().
bool stream_room(struct ring_thread *thread);
// For probes at entry and at handlers that are past the limit. Waits itself if the spare room is used up.
void stream_check_slow(struct ring_thread *thread);
// Room for an event of so many bytes. stream_commit() makes the event part of the stream. NULL: it counts as lost.
uint32_t *stream_reserve_slow(struct ring_thread *thread, uint32_t size);
// The same for an event that only defines numbers of later events: it does not count as lost.
uint32_t *stream_reserve_definition_slow(struct ring_thread *thread, uint32_t size);

// How an activation ended; the payload of its LEAVE event.
enum activation_end { END_RETURNED = 0, END_THROWN = 1 };

#pragma GCC visibility push(hidden)
extern bool stream_lossy;
extern uint32_t stream_depth_limit; // activations deeper than this are not written
#pragma GCC visibility pop

// Whether so many bytes from address `at` on lie in one chunk, behind its header.
static inline bool stream_in_chunk(uint64_t at, uint64_t size)
{
    uint64_t offset = at - probe_chunks, within = offset % RING_CHUNK_SIZE;
    return offset / RING_CHUNK_SIZE < RING_CHUNKS_MAX && within >= sizeof(struct ring_chunk) &&
           within + size <= RING_CHUNK_SIZE;
}

// Not 0 if the position is outside the chunks: a thread that has none, or a broken program overwrote its slot. Whoever
// writes at the position asks first.
static inline __attribute__((always_inline)) uint64_t stream_strayed(uint64_t at)
{
    static_assert((uint64_t)RING_CHUNKS_MAX * RING_CHUNK_SIZE == UINT64_C(1) << 32, "a shift compares with their end");
    return (at - probe_chunks) >> 32;
}

// Whether activations of the method have events: not those of methods marked NOT_IN_CALLS, nor of most pseudo-methods.
static inline bool stream_has(uint32_t method)
{
    return method >= METHOD_FIRST_STREAMED && method < RING_METHOD_NOT_IN_CALLS;
}

// Writes an event of one word, which has kind and payload; adds the clock's low half. Returns as stream_write_slow().
static inline bool stream_write(struct ring_thread *thread, uint64_t word, uint64_t clock)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    if (__builtin_expect(at >= thread->limit || ((clock - thread->last_clock) >> 32 | stream_strayed(at)) != 0, 0)) {
        return stream_write_slow(thread, word, clock);
    }
    CLEW_ASSERT(stream_in_chunk(at, sizeof word));
    CLEW_ASSERT(word >> 32 == 0 && "the clock's half is empty");
    ring_set_word((void *)(uintptr_t)at, word | clock << 32);
    thread->last_clock = clock;
    // Pairs with the collector's acquire load: the word is there before the cursor passes it.
    atomic_store_explicit(&thread->at, at + sizeof word, memory_order_release);
    return false;
}

// Writes the entry of an activation. Returns whether the thread should wait for room soon; so does stream_leave().
static inline __attribute__((always_inline)) bool stream_enter(struct ring_thread *thread, uint32_t method,
                                                               uint64_t clock)
{
    return stream_has(method) && ++thread->depth <= stream_depth_limit &&
           stream_write(thread, RING_EVENT(RING_EVENT_ENTER, method & RING_METHOD_NUMBER, 0), clock);
}

static inline __attribute__((always_inline)) bool stream_leave(struct ring_thread *thread, uint32_t method,
                                                               enum activation_end end, uint64_t clock)
{
    if (!stream_has(method)) {
        return false;
    }
    if (__builtin_expect(thread->depth-- > stream_depth_limit, 0)) {
        thread_rewind_own(); // the caller may write to the discard context as well
        return false;
    }
    return stream_write(thread, RING_EVENT(RING_EVENT_LEAVE, end, 0), clock);
}

// Makes sure that RING_SITE_ROOM bytes are free for woven code.
static inline void stream_check(struct ring_thread *thread)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    if (__builtin_expect(at >= thread->limit || stream_strayed(at), 0)) {
        stream_check_slow(thread);
    }
}

// Inline part of stream_reserve_slow().
static inline uint32_t *stream_reserve(struct ring_thread *thread, uint32_t size)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    CLEW_ASSERT(size > 0 && size <= RING_SITE_ROOM && "the next site finds room again");
    if (__builtin_expect(at + size >= thread->limit || stream_strayed(at), 0)) {
        return stream_reserve_slow(thread, size);
    }
    return (uint32_t *)(uintptr_t)at;
}

static inline uint32_t *stream_reserve_definition(struct ring_thread *thread, uint32_t size)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    CLEW_ASSERT(size % sizeof(uint64_t) == 0 && "a definition is made of words");
    if (__builtin_expect(at + size >= thread->limit || stream_strayed(at), 0)) {
        return stream_reserve_definition_slow(thread, size);
    }
    return (uint32_t *)(uintptr_t)at;
}

// Makes an event of so many bytes, which the caller has written to reserved room, part of the stream.
static inline void stream_commit(struct ring_thread *thread, uint32_t size)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    CLEW_ASSERT(size % sizeof(uint32_t) == 0 && stream_in_chunk(at, size));
    // Pairs with the collector's acquire load: the event is there before the cursor passes it.
    atomic_store_explicit(&thread->at, at + size, memory_order_release);
}

#endif
