// Streams: from chunks in the shared memory to blocks in the file.
//
// A thread's place is kept in the shared memory (struct ring_drained) and moves only after the block is in the file. So
// a collector that takes over finds every committed event either in the file or behind that place, never in neither.
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/internal.h"
#include "ring/walk.h"

enum {
    CELLS_PER_CHUNK = (RING_CHUNK_SIZE - sizeof(struct ring_chunk)) / sizeof(uint32_t),
    CELLS_WANTED = 2 * RECORDING_EVENTS_WANTED, // entries and exits have two
    CHUNKS_TO_WAKE = 128,                       // free ones that threads that wait are woken for
    WAIT_FOR_MORE_NS = 100 * 1000 * 1000,       // a block is written this long after its first event at the latest
};

static uint64_t chunk_offset(const struct ring_header *ring, uint64_t number)
{
    return ring->chunks_offset + number * RING_CHUNK_SIZE;
}

static struct ring_drained place_of(const struct ring_thread *thread)
{
    return thread->drained[thread->drained_turn & 1];
}

// The other of the two is filled in first: killed in between, the old place still holds.
static void move_place(struct ring_thread *thread, struct ring_drained place)
{
    uint64_t turn = thread->drained_turn + 1;
    *(volatile struct ring_drained *)&thread->drained[turn & 1] = place;
    atomic_signal_fence(memory_order_release);
    *(volatile uint64_t *)&thread->drained_turn = turn;
}

// The offset up to where the thread's newest chunk is to be read. `at` first: where it stands behind a held place, the loss is either
// still on, or the chunk has been left.
static uint64_t cursor_of(const struct ring_header *ring, const struct ring_thread *thread)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_acquire);
    uint64_t held = atomic_load_explicit(&thread->held, memory_order_acquire);
    return ring_offset_of(ring, held ? held : at);
}

static void free_chunk(struct ring_header *ring, uint64_t number)
{
    _Atomic uint64_t *word = &ring_free_chunks(ring)[number / 64];
    // Pairs with the agent's acquiring exchange: all reading of the chunk is done before it can be taken again.
    atomic_fetch_or_explicit(word, UINT64_C(1) << number % 64, memory_order_acq_rel);
    atomic_fetch_sub_explicit(&ring->chunks_in_use, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&ring->room, 1, memory_order_seq_cst);
}

static void wake(struct ring_header *ring)
{
    if (atomic_load_explicit(&ring->waiters, memory_order_seq_cst) > 0) {
        (void)syscall(SYS_futex, &ring->room, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); // a waiter looks again anyway
    }
}

// A thread that gets a chunk or two waits again at once, and both sides pay for it each time.
static bool room_is_worth_waking(const struct ring_header *ring)
{
    uint32_t in_use = atomic_load_explicit(&ring->chunks_in_use, memory_order_relaxed);
    return in_use + CHUNKS_TO_WAKE <= ring->chunk_quota;
}

// The chunk that follows: 0 where there is none, or where what stands there is not the thread's next one. So a chain has
// an end, whatever a wild pointer made of it.
static uint64_t successor(struct ring_header *ring, const struct ring_chunk *chunk)
{
    // Pairs with the agent's release store: once there is a successor, used is final.
    uint64_t next = atomic_load_explicit(&chunk->next, memory_order_acquire);
    if (next == 0 || next > RING_CHUNKS_MAX) {
        return 0;
    }
    const struct ring_chunk *following = ring_chunk_at(ring, next - 1);
    return following->sequence == chunk->sequence + 1 && following->thread == chunk->thread ? next : 0;
}

// The committed cells at the place, within its chunk; moves on to the next chunk where this one is used up. `at` was
// read from the thread before. 0 when there are none.
static size_t cells_at(struct ring_header *ring, const struct ring_thread *thread, uint64_t at,
                       struct stream_state *state, struct ring_drained *place, const uint32_t **cells)
{
    if (place->chunk == 0) {
        place->chunk = thread->first_chunk;
        place->at = 0;
    }
    while (place->chunk > 0 && place->chunk <= RING_CHUNKS_MAX) {
        const struct ring_chunk *chunk = ring_chunk_at(ring, place->chunk - 1);
        uint64_t start = chunk_offset(ring, place->chunk - 1);
        uint64_t next = successor(ring, chunk);
        uint64_t end = next ? start + chunk->used : at;
        if (place->at == 0) {
            place->at = start + sizeof *chunk;
            state->clock = chunk->opened_clock > state->clock ? chunk->opened_clock : state->clock;
        }
        if (end > place->at && end <= start + RING_CHUNK_SIZE) {
            *cells = (const uint32_t *)(const void *)((const char *)ring + place->at);
            return (end - place->at) / sizeof(uint32_t);
        }
        if (!next) {
            return 0;
        }
        place->chunk = next;
        place->at = 0;
    }
    return 0;
}

// Fills the block from the place on; the place moves along.
static void gather(struct ring_header *ring, const struct ring_thread *thread, struct stream_state *state,
                   struct stream_block *block, struct ring_drained *place)
{
    // Read before any `next`: a chunk without successor then holds this cursor.
    uint64_t at = cursor_of(ring, thread);
    const uint32_t *cells;
    size_t count;
    while (!stream_block_full(block) && (count = cells_at(ring, thread, at, state, place, &cells)) > 0) {
        size_t used = stream_decode(state, block, ring_site_shapes(ring), cells, count);
        place->at += used * sizeof(uint32_t);
        place->cells += used;
    }
    place->events += block->represented;
}

static void free_passed(struct ring_header *ring, uint64_t from, uint64_t to)
{
    for (uint32_t left = RING_CHUNKS_MAX; left > 0 && from != to && from > 0 && from <= RING_CHUNKS_MAX; left--) {
        uint64_t next = successor(ring, ring_chunk_at(ring, from - 1));
        free_chunk(ring, from - 1);
        from = next;
    }
    if (room_is_worth_waking(ring)) {
        wake(ring);
    }
}

static enum clew_error write_block(struct process *process, struct drain *drain, const struct ring_thread *thread,
                                   const struct slot *slot, uint64_t position)
{
    struct recording_events events = stream_block_events(&drain->block, &slot->stream);
    events.process = process->number;
    events.thread = thread->thread;
    events.position = position;
    struct recording_objects objects = stream_block_objects(&drain->block, process->number);
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(recording_write_objects(drain->writer, &objects)); // first: who takes over may write them again
    return recording_write_events(drain->writer, &events);
}

static bool pool_is_tight(struct ring_header *ring)
{
    return atomic_load_explicit(&ring->chunks_in_use, memory_order_relaxed) > ring->chunk_quota / 2 ||
           atomic_load_explicit(&ring->waiters, memory_order_relaxed) > 0;
}

// About how many cells wait: whole chunks count as such.
static uint64_t cells_waiting(struct ring_header *ring, const struct ring_thread *thread, struct ring_drained place)
{
    uint64_t at = cursor_of(ring, thread);
    uint64_t number = place.chunk ? place.chunk : thread->first_chunk;
    uint64_t from = place.at, cells = 0;
    while (at && number > 0 && number <= RING_CHUNKS_MAX && cells < CELLS_WANTED) {
        uint64_t start = chunk_offset(ring, number - 1);
        from = from ? from : start + sizeof(struct ring_chunk);
        uint64_t next = successor(ring, ring_chunk_at(ring, number - 1));
        uint64_t end = next ? start + ring_chunk_at(ring, number - 1)->used : at;
        cells += end > from && end <= start + RING_CHUNK_SIZE ? (end - from) / sizeof(uint32_t) : 0;
        if (!next) {
            break;
        }
        number = next;
        from = 0;
    }
    return cells;
}

// Whether to write now: a block's worth, or the first event has waited long enough, or others need the room.
static bool due(struct process *process, struct slot *slot, const struct ring_thread *thread)
{
    uint64_t waiting = cells_waiting(process->ring, thread, place_of(thread));
    if (waiting == 0) {
        slot->pending_since_ns = 0;
        return false;
    }
    process->busy = process->busy || waiting >= CELLS_PER_CHUNK;
    uint64_t now = clock_monotonic_ns();
    slot->pending_since_ns = slot->pending_since_ns ? slot->pending_since_ns : now;
    return waiting >= CELLS_WANTED || now - slot->pending_since_ns >= WAIT_FOR_MORE_NS ||
           (waiting >= CELLS_PER_CHUNK && pool_is_tight(process->ring));
}

// What a thread that has ended wrote behind its held place was not counted yet. Counted first: a collector that takes over
// in between rather counts it twice than not at all.
static void count_held(struct ring_header *ring, struct ring_thread *thread)
{
    uint64_t at = ring_offset_of(ring, atomic_load_explicit(&thread->at, memory_order_acquire));
    uint64_t held_address = atomic_load_explicit(&thread->held, memory_order_relaxed);
    uint64_t held = ring_offset_of(ring, held_address);
    uint64_t first = held - ring->chunks_offset, last = at - ring->chunks_offset;
    if (held && at > held && first / RING_CHUNK_SIZE == last / RING_CHUNK_SIZE && at < ring->segment_size) {
        atomic_fetch_add_explicit(&thread->lost, ring_count_events(ring, held, at), memory_order_relaxed);
        atomic_store_explicit(&thread->at, held_address, memory_order_relaxed);
    }
}

// Writes one block. *moved: there was something to write.
static enum clew_error stream_block(struct process *process, struct drain *drain, uint32_t index, bool *moved)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    struct ring_drained before = place_of(thread), place = before;
    stream_block_begin(&drain->block, &slot->stream);
    gather(process->ring, thread, &slot->stream, &drain->block, &place);
    if (slot->stream.failed) {
        return CLEW_NO_MEMORY;
    }
    *moved = place.cells != before.cells;
    if (!*moved) {
        return CLEW_OK;
    }
    CLEW_TRY(write_block(process, drain, thread, slot, before.cells));
    move_place(thread, place);
    free_passed(process->ring, before.chunk ? before.chunk : thread->first_chunk, place.chunk);
    atomic_fetch_add_explicit(&process->ring->progress, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&drain->session->shared->beat, 1, memory_order_relaxed);
    slot->pending_since_ns = 0;
    return CLEW_OK;
}

enum clew_error process__stream(struct process *process, struct drain *drain, uint32_t index)
{
    bool moved = true, in_time = true;
    while (moved && in_time && due(process, &process->slots[index], process__thread(process, index))) {
        CLEW_TRY(stream_block(process, drain, index, &moved));
        in_time = !process__time_is_up(drain);
    }
    process->cut_short = process->cut_short || !in_time;
    wake(process->ring); // however little there is: nothing is left that would make more
    return CLEW_OK;
}

enum clew_error process__stream_rest(struct process *process, struct drain *drain, uint32_t index, bool *done)
{
    bool moved = true, in_time = true;
    count_held(process->ring, process__thread(process, index));
    while (moved && in_time) {
        CLEW_TRY(stream_block(process, drain, index, &moved));
        in_time = !moved || !process__time_is_up(drain);
    }
    *done = !moved;
    process->cut_short = process->cut_short || !in_time;
    wake(process->ring); // however little there is: nothing is left that would make more
    return CLEW_OK;
}

bool process__stream_empty(const struct process *process, uint32_t index)
{
    const struct ring_thread *thread = process__thread(process, index);
    return cells_waiting(process->ring, thread, place_of(thread)) == 0;
}

uint64_t process__stream_events(const struct ring_thread *thread)
{
    return place_of(thread).events;
}

void process__stream_end(struct process *process, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    struct ring_drained place = place_of(thread);
    uint64_t first = place.chunk ? place.chunk : thread->first_chunk;
    if (first > 0) {
        free_passed(process->ring, first, 0); // the newest has no successor: the chain ends with it
    }
}

// -- Taking over ------------------------------------------------------------------------------------------------------

// Moves the place over cells that are in the file already, counting what they stand for. They are still in their
// chunks: chunks are freed only after the place has moved.
static bool skip_written(struct ring_header *ring, const struct ring_thread *thread, struct drain *drain,
                         uint64_t until, struct ring_drained *place)
{
    struct stream_state state = {0};
    uint64_t at = cursor_of(ring, thread);
    const uint32_t *cells;
    size_t count;
    while (place->cells < until && (count = cells_at(ring, thread, at, &state, place, &cells)) > 0) {
        uint64_t left = until - place->cells;
        stream_block_begin(&drain->block, &state);
        size_t used =
            stream_decode(&state, &drain->block, ring_site_shapes(ring), cells, count < left ? count : (size_t)left);
        place->at += used * sizeof(uint32_t);
        place->cells += used;
        place->events += drain->block.represented;
    }
    stream_state_free(&state);
    return place->cells == until;
}

enum clew_error process__stream_resume(struct process *process, struct drain *drain, uint32_t index,
                                       const struct recording_events *last)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    struct ring_drained before = place_of(thread), place = before;
    if (!last) {
        return CLEW_OK;
    }
    stream_state_after(&slot->stream, last);
    if (slot->stream.failed) {
        return CLEW_NO_MEMORY;
    }
    if (!skip_written(process->ring, thread, drain, last->position + last->words, &place)) {
        return CLEW_OK; // the place is beyond: a flight recorder's
    }
    move_place(thread, place);
    free_passed(process->ring, before.chunk ? before.chunk : thread->first_chunk, place.chunk);
    return CLEW_OK;
}

// -- Flight recorder --------------------------------------------------------------------------------------------------
// What is kept stays in its chunks; the oldest chunk of all threads goes when there are too many, or when it is too old.

static double keep_ticks(const struct session *session)
{
    return (double)session->keep_ns * clock_rate_hz(session->calibration, clock_pair_now()) / 1e9;
}

// When the thread left the chunk; false while it still writes there.
static bool left_at(const struct ring_thread *thread, const struct ring_chunk *chunk, uint64_t *tsc)
{
    if (atomic_load_explicit(&chunk->next, memory_order_acquire)) {
        *tsc = chunk->closed_tsc;
        return true;
    }
    *tsc = thread->ended_tsc;
    return atomic_load_explicit(&thread->state, memory_order_acquire) == RING_THREAD_ENDED;
}

// The slot whose next chunk was left first; none while nobody has left one.
static uint32_t oldest(struct process *process, uint64_t *closed_tsc)
{
    uint32_t found = UINT32_MAX;
    *closed_tsc = UINT64_MAX;
    for (uint32_t i = 0; i < process->slot_count; i++) {
        const struct ring_thread *thread = process__thread(process, i);
        struct ring_drained place = place_of(thread);
        uint64_t number = place.chunk ? place.chunk : thread->first_chunk;
        if (process->slots[i].thread == 0 || number == 0 || number > RING_CHUNKS_MAX) {
            continue;
        }
        uint64_t tsc;
        if (left_at(thread, ring_chunk_at(process->ring, number - 1), &tsc) && tsc < *closed_tsc &&
            cells_waiting(process->ring, thread, place) > 0) {
            *closed_tsc = tsc;
            found = i;
        }
    }
    return found;
}

// What is kept may tell of objects that were met before.
static void keep_objects(struct process *process, struct drain *drain)
{
    struct recording_objects objects = stream_block_objects(&drain->block, process->number);
    if (objects.count > 0 && process__definitions(process, drain) == CLEW_OK) {
        (void)recording_write_objects(drain->writer, &objects); // after a failure every other write says so
    }
}

// Decoded all the same: what runs at the start of what is kept has to be known.
static void discard_chunk(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    struct stream_state *state = &process->slots[index].stream;
    struct ring_drained before = place_of(thread), place = before;
    uint64_t chunk = before.chunk ? before.chunk : thread->first_chunk;
    uint64_t at = cursor_of(process->ring, thread);
    const uint32_t *cells;
    size_t count;
    while ((count = cells_at(process->ring, thread, at, state, &place, &cells)) > 0 && place.chunk == chunk) {
        stream_block_begin(&drain->block, state);
        size_t used = stream_decode(state, &drain->block, ring_site_shapes(process->ring), cells, count);
        keep_objects(process, drain);
        place.at += used * sizeof(uint32_t);
        place.cells += used;
    }
    move_place(thread, place);
    free_passed(process->ring, chunk, place.chunk);
}

void process__discard(struct process *process, struct drain *drain)
{
    const struct session *session = drain->session;
    uint64_t most = session_keep_chunks(session);
    uint64_t too_old = session->keep_ns ? clock_tsc() - (uint64_t)keep_ticks(session) : 0;
    for (;;) {
        uint64_t closed;
        uint32_t index = oldest(process, &closed);
        bool full = atomic_load_explicit(&process->ring->chunks_in_use, memory_order_relaxed) > most;
        if (index == UINT32_MAX || (!full && closed >= too_old)) {
            return;
        }
        discard_chunk(process, drain, index);
        process->busy = true;
        atomic_fetch_add_explicit(&process->ring->progress, 1, memory_order_relaxed);
    }
}
