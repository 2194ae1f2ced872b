// The slow paths of streams: chunks, losses, and waiting for the collector.
//
// A chunk has room behind its limit. A thread that passes the limit while the pool is empty is asked to wait, which woven
// code does in a call with GC transition (stream_wait), so that collections of the program can go on. Hooks cannot, and
// wait at the chunk's very end in cooperative mode: 10 ms at a time, counted, and no longer than somebody drains.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/stream.h"
#include "base/clock.h"

enum {
    SPARE = 64,                               // bytes kept free at a chunk's very end for an extended event
    BEHIND_LIMIT = 1024,                      // bytes from the limit to the chunk's end
    STACK_MAX = (RING_CHUNK_SIZE - 1024) / 8, // methods in one STACK event
    WAIT_NS = 10 * 1000 * 1000,
};
#define GIVE_UP_NS UINT64_C(5000000000)

bool stream_lossy;

// -- The pool ---------------------------------------------------------------------------------------------------------

static bool under_quota(void)
{
    uint32_t in_use = atomic_load_explicit(&probe_ring->chunks_in_use, memory_order_relaxed);
    return in_use < probe_ring->chunk_quota;
}

// Number + 1 of a chunk that is now ours; 0 when the pool is empty. A thread's first chunk may exceed the quota, so that
// many quiet threads cannot starve each other.
static uint64_t take_chunk(bool first)
{
    if (!first && !under_quota()) {
        return 0;
    }
    _Atomic uint64_t *words = ring_free_chunks(probe_ring);
    uint32_t count = RING_CHUNKS_MAX / 64;
    uint32_t hint = atomic_load_explicit(&probe_ring->chunk_hint, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        // From the front: chunks that were used before have their pages already.
        uint32_t at = first ? i : (hint + i) % count;
        uint64_t word = atomic_load_explicit(&words[at], memory_order_relaxed);
        while (word) {
            uint64_t bit = word & -word;
            if (atomic_compare_exchange_weak_explicit(&words[at], &word, word & ~bit, memory_order_acq_rel,
                                                      memory_order_relaxed)) {
                atomic_fetch_add_explicit(&probe_ring->chunks_in_use, 1, memory_order_relaxed);
                return (uint64_t)at * 64 + (uint64_t)__builtin_ctzll(bit) + 1;
            }
        }
    }
    return 0;
}

static struct ring_chunk *current_chunk(struct ring_thread *thread)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    return at ? ring_chunk_at(probe_ring, (at - probe_ring->chunks_offset) / RING_CHUNK_SIZE) : NULL;
}

static uint64_t offset_of(const void *place)
{
    return (uint64_t)((const char *)place - (const char *)probe_ring);
}

// Leaves the current chunk for chunk `number` (+ 1).
static void move_to(struct ring_thread *thread, uint64_t number, uint64_t clock)
{
    struct ring_chunk *old = current_chunk(thread);
    struct ring_chunk *fresh = ring_chunk_at(probe_ring, number - 1);
    uint64_t tsc = clock_tsc();
    fresh->thread = (uint32_t)(thread - ring_threads(probe_ring));
    atomic_store_explicit(&fresh->next, 0, memory_order_relaxed);
    fresh->used = 0;
    fresh->sequence = old ? old->sequence + 1 : 0;
    fresh->opened_tsc = tsc;
    fresh->closed_tsc = 0;
    fresh->opened_clock = clock;
    thread->last_clock = clock;
    if (old) {
        old->used = atomic_load_explicit(&thread->at, memory_order_relaxed) - offset_of(old);
        old->closed_tsc = tsc;
        // Pairs with the collector's acquire load of next: used is final before the chunk counts as left.
        atomic_store_explicit(&old->next, number, memory_order_release);
    } else {
        thread->first_chunk = number;
    }
    thread->limit = offset_of(fresh) + RING_CHUNK_SIZE - BEHIND_LIMIT;
    atomic_store_explicit(&thread->at, offset_of(fresh) + sizeof *fresh, memory_order_release);
}

// -- Waiting ----------------------------------------------------------------------------------------------------------

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void nap(uint32_t seen)
{
    struct timespec limit = {.tv_nsec = WAIT_NS};
    (void)syscall(SYS_futex, &probe_ring->room, FUTEX_WAIT, seen, &limit, NULL, 0); // woken, timed out: look again
}

// Waits until a chunk is free; 0 when there is nobody to make room.
static uint64_t wait_for_chunk(struct ring_thread *thread)
{
    uint64_t start = now_ns();
    uint64_t progress = atomic_load_explicit(&probe_ring->progress, memory_order_relaxed);
    uint64_t moved = start;
    uint64_t chunk = 0;
    atomic_fetch_add_explicit(&probe_ring->pauses, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&probe_ring->waiters, 1, memory_order_seq_cst);
    while (!atomic_load_explicit(&probe_ring->collector_gone, memory_order_acquire)) {
        uint32_t seen = atomic_load_explicit(&probe_ring->room, memory_order_acquire);
        chunk = take_chunk(false);
        if (chunk) {
            break;
        }
        nap(seen);
        uint64_t latest = atomic_load_explicit(&probe_ring->progress, memory_order_relaxed);
        uint64_t now = now_ns();
        moved = latest == progress ? moved : now;
        progress = latest;
        if (now - moved > GIVE_UP_NS) {
            atomic_store_explicit(&probe_ring->collector_gone, 1, memory_order_release);
        }
    }
    atomic_fetch_sub_explicit(&probe_ring->waiters, 1, memory_order_relaxed);
    thread->paused_ns += now_ns() - start;
    return chunk;
}

static bool past_limit(const struct ring_thread *thread)
{
    return atomic_load_explicit(&thread->at, memory_order_relaxed) >= thread->limit;
}

static bool at_the_end(const struct ring_thread *thread)
{
    return atomic_load_explicit(&thread->at, memory_order_relaxed) >= thread->limit + BEHIND_LIMIT - SPARE;
}

enum room { ROOM_MADE, ROOM_WAIT_SOON, ROOM_NONE };

// Called past the limit.
static enum room make_room(struct ring_thread *thread, uint64_t clock)
{
    bool first = atomic_load_explicit(&thread->at, memory_order_relaxed) == 0;
    uint64_t chunk = take_chunk(first);
    if (!chunk && !first && !at_the_end(thread)) {
        return ROOM_WAIT_SOON;
    }
    if (!chunk && !stream_lossy) {
        chunk = wait_for_chunk(thread);
    }
    if (!chunk) {
        return ROOM_NONE;
    }
    move_to(thread, chunk, clock);
    return ROOM_MADE;
}

void stream_wait(void)
{
    struct ring_thread *thread = thread_self;
    if (thread && past_limit(thread)) {
        uint64_t chunk = wait_for_chunk(thread);
        if (chunk) {
            move_to(thread, chunk, thread->last_clock);
        }
    }
}

// -- Events -----------------------------------------------------------------------------------------------------------

static void put(struct ring_thread *thread, uint64_t word)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    ring_set_word((char *)probe_ring + at, word);
    atomic_store_explicit(&thread->at, at + sizeof word, memory_order_release);
}

// Extended events have words that must appear together: the cursor moves once, over all of them.
static void put_two(struct ring_thread *thread, uint64_t first, uint64_t second)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    struct ring_word *words = (struct ring_word *)((char *)probe_ring + at);
    words[0].value = first;
    words[1].value = second;
    atomic_store_explicit(&thread->at, at + 2 * sizeof first, memory_order_release);
}

static uint64_t extended(enum ring_extended kind, uint32_t further, uint64_t clock)
{
    return RING_EVENT(RING_EVENT_EXTENDED, (uint32_t)kind | further << 8, clock);
}

static void tell_activation(struct ring_word *words, uint32_t method, uint64_t *depth, uint64_t *told)
{
    if (!stream_has(method)) {
        return;
    }
    ++*depth;
    if (*told < STACK_MAX) {
        words[(*told)++].value = method & RING_METHOD_NUMBER;
    }
}

// The running activations, as a STACK event: after losses nobody else could know them.
static void tell_stack(struct ring_thread *thread, uint64_t clock)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    struct ring_word *words = (struct ring_word *)((char *)probe_ring + at);
    struct thread_private *own = thread_self_private;
    uint64_t depth = 0, told = 0;
    for (uint32_t i = own->over_count; i-- > 0;) {
        tell_activation(words + 2, probe_nodes[own->over[i]].method, &depth, &told);
    }
    for (uint32_t node = thread->current; node; node = probe_nodes[node].parent) {
        tell_activation(words + 2, probe_nodes[node].method, &depth, &told);
    }
    for (uint64_t i = 0; i < told / 2; i++) { // outermost first
        struct ring_word swap = words[2 + i];
        words[2 + i] = words[2 + told - 1 - i];
        words[2 + told - 1 - i] = swap;
    }
    words[0].value = extended(RING_EXTENDED_STACK, (uint32_t)(1 + told), clock);
    words[1].value = depth;
    atomic_store_explicit(&thread->at, at + (2 + told) * sizeof(uint64_t), memory_order_release);
}

// What could not be written before is told first; the event at hand is among the lost then, since the stack that is
// told has it done already.
static bool tell_losses(struct ring_thread *thread, uint64_t clock)
{
    struct thread_private *own = thread_self_private;
    if (!own->lost_unsaid) {
        return false;
    }
    uint64_t lost = own->lost_unsaid + 1;
    own->lost_unsaid = 0;
    atomic_fetch_add_explicit(&thread->lost, 1, memory_order_relaxed);
    put_two(thread, extended(RING_EXTENDED_LOST, 1, clock), lost);
    tell_stack(thread, clock);
    return true;
}

// Whether the word may be written; *wait_soon as stream_write_slow() returns it.
static bool prepare(struct ring_thread *thread, uint64_t clock, bool *wait_soon)
{
    *wait_soon = false;
    if (past_limit(thread)) {
        enum room room = make_room(thread, clock);
        *wait_soon = room == ROOM_WAIT_SOON && !stream_lossy;
        if (room == ROOM_NONE) {
            atomic_fetch_add_explicit(&thread->lost, 1, memory_order_relaxed);
            thread_self_private->lost_unsaid++;
            return false;
        }
    }
    return !tell_losses(thread, clock);
}

// A clock that steps back (another processor's counter) is held; one that leaps is told in full.
static uint64_t straighten(struct ring_thread *thread, uint64_t clock)
{
    if ((int64_t)(clock - thread->last_clock) < 0) {
        return thread->last_clock;
    }
    if ((clock - thread->last_clock) >> 32) {
        put_two(thread, extended(RING_EXTENDED_TIME, 1, clock), clock);
    }
    return clock;
}

bool stream_write_slow(struct ring_thread *thread, uint64_t word, uint64_t clock)
{
    bool wait_soon;
    if (prepare(thread, clock, &wait_soon)) {
        clock = straighten(thread, clock);
        put(thread, word | clock << 32);
        thread->last_clock = clock;
    }
    return wait_soon;
}

void stream_extended(struct ring_thread *thread, enum ring_extended kind, bool has_word, uint64_t further,
                     uint64_t clock)
{
    bool wait_soon; // not for callbacks: the next probe asks again
    if (prepare(thread, clock, &wait_soon)) {
        clock = straighten(thread, clock);
        if (has_word) {
            put_two(thread, extended(kind, 1, clock), further);
        } else {
            put(thread, extended(kind, 0, clock));
        }
        thread->last_clock = clock;
    }
}
