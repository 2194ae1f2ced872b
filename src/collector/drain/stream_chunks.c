#include "collector/drain/stream_chunks.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/drain/process_parts.h"
#include "ring/publish.h"
#include "ring/walk.h"

static_assert(CHUNKS_TO_WAKE < RING_CHUNKS_MAX / 2, "the quota always leaves room to wake a thread");

// -- Reading ----------------------------------------------------------------------------------------------------------

// The chunk that contains an offset in the segment, or ends at it; RING_CHUNKS_MAX when none does.
static uint64_t chunk_of(const struct ring_header *ring, uint64_t offset)
{
    uint64_t in_chunks = offset - ring->chunks_offset - 1; // the end of a chunk still counts as inside it
    uint64_t number = in_chunks / RING_CHUNK_SIZE;
    return number < RING_CHUNKS_MAX && offset % sizeof(uint32_t) == 0 ? number : RING_CHUNKS_MAX;
}

// Loads `at` before `stalled`: if `at` is behind the position of a stall, the thread either still loses events, or has
// left the chunk.
enum clew_error chunk_cursor(const struct process *process, uint32_t index, uint64_t *cursor)
{
    const struct ring_thread *thread = process__thread(process, index);
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_acquire);
    uint64_t stalled = atomic_load_explicit(&thread->stalled, memory_order_acquire);
    *cursor = ring_offset_of(process->ring, stalled ? stalled : at);
    return *cursor == 0 || chunk_of(process->ring, *cursor) < RING_CHUNKS_MAX ? CLEW_OK : CLEW_MALFORMED;
}

// 0 when there is no successor, or when the chunk there is not this thread's next one. Sequence numbers ascend, so a
// chain that is not changed meanwhile has an end.
static uint64_t successor(struct ring_header *ring, const struct ring_chunk *chunk)
{
    // Pairs with the agent's release store: once there is a successor, `used` is final.
    uint64_t next = atomic_load_explicit(&chunk->next, memory_order_acquire);
    if (next == 0 || next > RING_CHUNKS_MAX) {
        return 0;
    }
    const struct ring_chunk *following = ring_chunk_at(ring, next - 1);
    return following->sequence == chunk->sequence + 1 && following->thread == chunk->thread ? next : 0;
}

enum clew_error chunk_look(const struct process *process, uint32_t index, uint64_t number, uint64_t from,
                           uint64_t cursor, struct chunk_span *out)
{
    if (number == 0 || number > RING_CHUNKS_MAX) {
        return CLEW_MALFORMED;
    }
    struct ring_chunk *chunk = ring_chunk_at(process->ring, number - 1);
    uint64_t start = process->ring->chunks_offset + (number - 1) * RING_CHUNK_SIZE, end = start + RING_CHUNK_SIZE;
    bool ours = chunk->thread == index;
    bool left = atomic_load_explicit(&chunk->next, memory_order_acquire) != 0;
    *out = (struct chunk_span){
        .from = from ? from : start + sizeof *chunk,
        .next = left ? successor(process->ring, chunk) : 0,
        .opened_clock = chunk->opened_clock,
    };
    // A cursor outside this chunk was read before the thread began the chunk: nothing of it is known to be committed.
    bool here = cursor > start && cursor <= end;
    out->to = left ? start + RING_READ_ONCE(chunk->used) : here ? cursor : out->from;
    bool holds = ours && (!left || out->next) && out->from >= start + sizeof *chunk && out->to >= out->from &&
                 out->to <= end && (out->to - out->from) % sizeof(uint32_t) == 0;
    CLEW_ASSERT(!holds || (out->from >= start && out->from <= out->to && out->to <= end));
    return holds ? CLEW_OK : CLEW_MALFORMED;
}

uint64_t chunk_to_read(const struct process *process, uint32_t index)
{
    uint64_t chunk = process->slots[index].position.chunk;
    return chunk ? chunk : process__thread(process, index)->first_chunk;
}

enum clew_error chunk_walk_begin(struct chunk_walk *walk, const struct process *process, uint32_t index)
{
    const struct ring_drained *position = &process->slots[index].position;
    *walk = (struct chunk_walk){.process = process,
                                .index = index,
                                .number = chunk_to_read(process, index),
                                .from = position->chunk ? position->at : 0};
    return chunk_cursor(process, index, &walk->cursor);
}

enum clew_error chunk_walk_next(struct chunk_walk *walk, struct chunk_span *out, bool *more)
{
    *more = walk->cursor && walk->number > 0;
    if (!*more) {
        return CLEW_OK;
    }
    CLEW_TRY(chunk_look(walk->process, walk->index, walk->number, walk->from, walk->cursor, out));
    walk->number = out->next;
    walk->from = 0;
    return walk->steps++ > RING_CHUNKS_MAX ? CLEW_MALFORMED : CLEW_OK;
}

void chunks_count_stalled(struct ring_header *ring, struct ring_thread *thread)
{
    uint64_t at = ring_offset_of(ring, atomic_load_explicit(&thread->at, memory_order_acquire));
    uint64_t stalled_address = atomic_load_explicit(&thread->stalled, memory_order_relaxed);
    uint64_t stalled = ring_offset_of(ring, stalled_address), number = chunk_of(ring, stalled);
    if (stalled && at > stalled && number < RING_CHUNKS_MAX && number == chunk_of(ring, at)) {
        // Counted before the stream ends: a collector that takes over in between counts them twice, never not at all.
        atomic_fetch_add_explicit(&thread->lost, ring_count_events(ring, stalled, at), memory_order_relaxed);
        atomic_store_explicit(&thread->at, stalled_address, memory_order_release);
    }
}

// -- Back to the pool -------------------------------------------------------------------------------------------------

// `full`: the quota counts this chunk.
static void free_chunk(struct ring_header *ring, uint64_t number, bool full)
{
    CLEW_ASSERT(number < RING_CHUNKS_MAX);
    _Atomic uint64_t *word = &ring_free_chunks(ring)[number / 64];
    // Pairs with the agent's acquiring exchange: nothing reads the chunk any more when a thread takes it again.
    atomic_fetch_or_explicit(word, UINT64_C(1) << number % 64, memory_order_acq_rel);
    atomic_fetch_sub_explicit(&ring->chunks_full, full, memory_order_relaxed);
    atomic_fetch_add_explicit(&ring->room, 1, memory_order_seq_cst);
}

// The agent increments `waiters` before it sleeps on `room`; free_chunk() increments `room` before this load of
// `waiters`. Both sides are sequentially consistent, so at least one of them sees the other.
void chunks_wake(struct ring_header *ring)
{
    if (atomic_load_explicit(&ring->waiters, memory_order_seq_cst) > 0) {
        (void)syscall(SYS_futex, &ring->room, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); // they also look by themselves
    }
}

// A thread that gets only a chunk or two waits again at once, and both sides pay for the wakeup each time.
static bool is_worth_waking(const struct ring_header *ring)
{
    uint32_t full = atomic_load_explicit(&ring->chunks_full, memory_order_relaxed);
    return full + CHUNKS_TO_WAKE <= ring->chunk_quota;
}

void chunks_free(struct ring_header *ring, uint64_t from, uint64_t to)
{
    for (uint32_t left = RING_CHUNKS_MAX; left > 0 && from != to && from > 0 && from <= RING_CHUNKS_MAX; left--) {
        uint64_t next = successor(ring, ring_chunk_at(ring, from - 1));
        free_chunk(ring, from - 1, next != 0); // the newest has no successor: the chain ends with it
        from = next;
    }
    if (is_worth_waking(ring)) {
        chunks_wake(ring);
    }
}

bool chunks_are_counted(const struct ring_header *ring)
{
    return atomic_load_explicit(&ring->chunks_full, memory_order_relaxed) <= RING_CHUNKS_MAX;
}

bool chunks_are_short(const struct ring_header *ring)
{
    return atomic_load_explicit(&ring->chunks_full, memory_order_relaxed) > ring->chunk_quota / 2 ||
           atomic_load_explicit(&ring->waiters, memory_order_relaxed) > 0;
}

void chunks_count_last(struct process *process, uint32_t index, bool counts)
{
    struct ring_thread *thread = process__thread(process, index);
    if (thread->keeps_last != counts) {
        thread->keeps_last = counts;
        atomic_fetch_add_explicit(&process->ring->chunks_full, counts ? 1 : -1u, memory_order_relaxed);
    }
}
