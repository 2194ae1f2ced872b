// Streams: from chunks in the shared memory to blocks in the file.
//
// A thread's place is kept in the shared memory (struct ring_drained) and moves only after the block is in the file. So
// a collector that takes over finds every committed event either in the file or behind that place, never in neither.
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/drain/process_parts.h"
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

// The other of the two is filled in first: killed in between, the old place still holds. Read by an heir alone: the
// program can write over it, so this collector goes by the slot's.
static void move_place(struct process *process, uint32_t index, struct ring_drained place)
{
    struct ring_thread *thread = process__thread(process, index);
    CLEW_ASSERT(place.cells >= process->slots[index].place.cells && place.events >= process->slots[index].place.events);
    uint64_t turn = thread->drained_turn + 1;
    *(volatile struct ring_drained *)&thread->drained[turn & 1] = place;
    atomic_signal_fence(memory_order_release);
    *(volatile uint64_t *)&thread->drained_turn = turn;
    process->slots[index].place = place;
}

// Of an offset in the segment, the chunk that it lies in, or right behind; RING_CHUNKS_MAX: in none.
static uint64_t chunk_of(const struct ring_header *ring, uint64_t offset)
{
    uint64_t in_chunks = offset - ring->chunks_offset - 1; // the end of a chunk still is its own
    uint64_t number = in_chunks / RING_CHUNK_SIZE;
    return number < RING_CHUNKS_MAX && offset % sizeof(uint32_t) == 0 ? number : RING_CHUNKS_MAX;
}

// The offset up to where the thread's newest chunk is to be read; 0: nothing was written yet. `at` first: where it stands
// behind a held place, the loss is either still on, or the chunk has been left. MALFORMED: it is in no chunk.
static enum clew_error cursor_of(const struct process *process, uint32_t index, uint64_t *cursor)
{
    const struct ring_thread *thread = process__thread(process, index);
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_acquire);
    uint64_t held = atomic_load_explicit(&thread->held, memory_order_acquire);
    *cursor = ring_offset_of(process->ring, held ? held : at);
    return *cursor == 0 || chunk_of(process->ring, *cursor) < RING_CHUNKS_MAX ? CLEW_OK : CLEW_MALFORMED;
}

// `full`: it is one of those that the quota counts.
static void free_chunk(struct ring_header *ring, uint64_t number, bool full)
{
    CLEW_ASSERT(number < RING_CHUNKS_MAX);
    _Atomic uint64_t *word = &ring_free_chunks(ring)[number / 64];
    // Pairs with the agent's acquiring exchange: all reading of the chunk is done before it can be taken again.
    atomic_fetch_or_explicit(word, UINT64_C(1) << number % 64, memory_order_acq_rel);
    atomic_fetch_sub_explicit(&ring->chunks_full, full, memory_order_relaxed);
    atomic_fetch_add_explicit(&ring->room, 1, memory_order_seq_cst);
}

// The first of those that wait; that one wakes the next.
static void wake(struct ring_header *ring)
{
    if (atomic_load_explicit(&ring->waiters, memory_order_seq_cst) > 0) {
        (void)syscall(SYS_futex, &ring->room, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); // it looks again anyway
    }
}

// A thread that gets a chunk or two waits again at once, and both sides pay for it each time.
static bool room_is_worth_waking(const struct ring_header *ring)
{
    uint32_t full = atomic_load_explicit(&ring->chunks_full, memory_order_relaxed);
    return full + CHUNKS_TO_WAKE <= ring->chunk_quota;
}

// The chunk that follows: 0 where there is none, or where what stands there is not the thread's next one. Sequences ascend,
// so a chain that stays as it is has an end.
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

// What is committed in a chunk, as offsets, with the chunk that follows. What the program can write over is read once.
struct stretch {
    uint64_t from, to; // `to` is `from` where nothing is
    uint64_t next;     // as of successor()
    uint64_t opened_clock;
};

// `from` 0: from the chunk's beginning. `cursor` was read before. MALFORMED: no agent leaves such a chunk.
static enum clew_error look_at(const struct process *process, uint32_t index, uint64_t number, uint64_t from,
                               uint64_t cursor, struct stretch *out)
{
    if (number == 0 || number > RING_CHUNKS_MAX) {
        return CLEW_MALFORMED;
    }
    struct ring_chunk *chunk = ring_chunk_at(process->ring, number - 1);
    uint64_t start = chunk_offset(process->ring, number - 1), end = start + RING_CHUNK_SIZE;
    bool ours = chunk->thread == index;
    bool left = atomic_load_explicit(&chunk->next, memory_order_acquire) != 0;
    *out = (struct stretch){
        .from = from ? from : start + sizeof *chunk,
        .next = left ? successor(process->ring, chunk) : 0,
        .opened_clock = chunk->opened_clock,
    };
    // A cursor that is in no successor yet, but read before this chunk was begun, says nothing of it.
    bool here = cursor > start && cursor <= end;
    out->to = left ? start + *(volatile uint64_t *)&chunk->used : here ? cursor : out->from;
    bool holds = ours && (!left || out->next) && out->from >= start + sizeof *chunk && out->to >= out->from &&
                 out->to <= end && (out->to - out->from) % sizeof(uint32_t) == 0;
    CLEW_ASSERT(!holds || (out->from >= start && out->from <= out->to && out->to <= end));
    return holds ? CLEW_OK : CLEW_MALFORMED;
}

// The committed cells at the place, within its chunk; moves on to the next chunk where this one is used up. *count is 0
// when there are none.
static enum clew_error cells_at(const struct process *process, uint32_t index, uint64_t cursor,
                                struct stream_state *state, struct ring_drained *place, const uint32_t **cells,
                                size_t *count)
{
    *count = 0;
    if (place->chunk == 0) {
        place->chunk = process__thread(process, index)->first_chunk;
        place->at = 0;
    }
    for (uint32_t hops = 0; place->chunk > 0 && hops <= RING_CHUNKS_MAX; hops++) {
        struct stretch stretch;
        CLEW_TRY(look_at(process, index, place->chunk, place->at, cursor, &stretch));
        if (place->at == 0) {
            state->clock = stretch.opened_clock > state->clock ? stretch.opened_clock : state->clock;
        }
        place->at = stretch.from;
        *cells = (const uint32_t *)(const void *)((const char *)process->ring + place->at);
        *count = (stretch.to - stretch.from) / sizeof(uint32_t);
        if (*count > 0 || !stretch.next) {
            return CLEW_OK;
        }
        place->chunk = stretch.next;
        place->at = 0;
    }
    return place->chunk == 0 ? CLEW_OK : CLEW_MALFORMED;
}

// Decodes cells that cells_at() has found into the block; the place moves along.
static enum clew_error decode(const struct process *process, const uint32_t *cells, size_t count,
                              struct stream_state *state, struct stream_block *block, struct ring_drained *place)
{
    size_t used = stream_decode(state, block, ring_site_shapes(process->ring), cells, count);
    CLEW_ASSERT(used <= count);
    place->at += used * sizeof *cells;
    place->cells += used;
    return state->failed ? CLEW_NO_MEMORY : state->malformed ? CLEW_MALFORMED : CLEW_OK;
}

// Fills the block from the place on; the place moves along. MALFORMED: what the block holds by then is right.
static enum clew_error gather(struct process *process, uint32_t index, struct stream_block *block,
                              struct ring_drained *place)
{
    struct stream_state *state = &process->slots[index].stream;
    const uint32_t *cells;
    size_t count = 1;
    uint64_t cursor;
    // Read before any `next`: a chunk without successor then holds this cursor.
    enum clew_error error = cursor_of(process, index, &cursor);
    while (error == CLEW_OK && count > 0 && !stream_block_full(block)) {
        error = cells_at(process, index, cursor, state, place, &cells, &count);
        error = error == CLEW_OK && count > 0 ? decode(process, cells, count, state, block, place) : error;
    }
    place->events += block->represented;
    return error;
}

static void free_passed(struct ring_header *ring, uint64_t from, uint64_t to)
{
    for (uint32_t left = RING_CHUNKS_MAX; left > 0 && from != to && from > 0 && from <= RING_CHUNKS_MAX; left--) {
        uint64_t next = successor(ring, ring_chunk_at(ring, from - 1));
        free_chunk(ring, from - 1, next != 0);
        from = next;
    }
    if (room_is_worth_waking(ring)) {
        wake(ring);
    }
}

static struct recording_events block_events(const struct process *process, const struct drain *drain,
                                            const struct slot *slot, uint64_t position)
{
    struct recording_events events = stream_block_events(&drain->block, &slot->stream);
    events.process = process->number;
    events.thread = slot->thread;
    events.position = position;
    return events;
}

static enum clew_error write_block(struct process *process, struct drain *drain, const struct slot *slot,
                                   uint64_t position)
{
    struct recording_events events = block_events(process, drain, slot, position);
    struct recording_objects objects = stream_block_objects(&drain->block, process->number);
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(recording_write_objects(drain->writer, &objects)); // first: who takes over may write them again
    return recording_write_events(drain->writer, &events);
}

static bool pool_is_tight(struct ring_header *ring)
{
    return atomic_load_explicit(&ring->chunks_full, memory_order_relaxed) > ring->chunk_quota / 2 ||
           atomic_load_explicit(&ring->waiters, memory_order_relaxed) > 0;
}

// How many cells wait, counted up to about `enough`.
static enum clew_error cells_waiting(const struct process *process, uint32_t index, uint64_t enough, uint64_t *waiting)
{
    struct ring_drained place = process->slots[index].place;
    uint64_t number = place.chunk ? place.chunk : process__thread(process, index)->first_chunk;
    uint64_t from = place.chunk ? place.at : 0, cursor;
    *waiting = 0;
    CLEW_TRY(cursor_of(process, index, &cursor));
    for (uint32_t hops = 0; cursor && number > 0 && *waiting < enough; hops++) {
        struct stretch stretch;
        CLEW_TRY(look_at(process, index, number, from, cursor, &stretch));
        *waiting += (stretch.to - stretch.from) / sizeof(uint32_t);
        number = stretch.next;
        from = 0;
        if (hops > RING_CHUNKS_MAX) {
            return CLEW_MALFORMED;
        }
    }
    return CLEW_OK;
}

// Whether to write now: a block's worth, or the first event has waited long enough, or others need the room.
static enum clew_error is_due(struct process *process, uint32_t index, bool *due)
{
    struct slot *slot = &process->slots[index];
    uint64_t waiting;
    *due = false;
    CLEW_TRY(cells_waiting(process, index, CELLS_WANTED, &waiting));
    if (waiting == 0) {
        slot->pending_since_ns = 0;
        return CLEW_OK;
    }
    process->busy = process->busy || waiting >= CELLS_PER_CHUNK;
    uint64_t now = clock_monotonic_ns();
    slot->pending_since_ns = slot->pending_since_ns ? slot->pending_since_ns : now;
    *due = waiting >= CELLS_WANTED || now - slot->pending_since_ns >= WAIT_FOR_MORE_NS ||
           (waiting >= CELLS_PER_CHUNK && pool_is_tight(process->ring));
    return CLEW_OK;
}

// What a thread that has ended wrote behind its held place was not counted yet. Counted first: a collector that takes over
// in between rather counts it twice than not at all.
static void count_held(struct ring_header *ring, struct ring_thread *thread)
{
    uint64_t at = ring_offset_of(ring, atomic_load_explicit(&thread->at, memory_order_acquire));
    uint64_t held_address = atomic_load_explicit(&thread->held, memory_order_relaxed);
    uint64_t held = ring_offset_of(ring, held_address), number = chunk_of(ring, held);
    if (held && at > held && number < RING_CHUNKS_MAX && number == chunk_of(ring, at)) {
        atomic_fetch_add_explicit(&thread->lost, ring_count_events(ring, held, at), memory_order_relaxed);
        atomic_store_explicit(&thread->at, held_address, memory_order_relaxed);
    }
}

// Writes one block of what waits. *cells is 0 when nothing does. MALFORMED after what was right is in the file.
static enum clew_error stream_block(struct process *process, struct drain *drain, uint32_t index, uint64_t *cells)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    struct ring_drained before = slot->place, place = before;
    CLEW_ASSERT(slot->thread > 0 && !slot->settled && "only a thread that was seen has a stream");
    stream_block_begin(&drain->block, &slot->stream);
    enum clew_error error = gather(process, index, &drain->block, &place);
    *cells = place.cells - before.cells;
    if (*cells == 0 || (error != CLEW_OK && error != CLEW_MALFORMED)) {
        return error;
    }
    CLEW_TRY(write_block(process, drain, slot, before.cells));
    move_place(process, index, place);
    free_passed(process->ring, before.chunk ? before.chunk : thread->first_chunk, place.chunk);
    atomic_fetch_add_explicit(&process->ring->progress, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&drain->session->shared->beat, 1, memory_order_relaxed);
    slot->pending_since_ns = 0;
    return error;
}

enum clew_error process__stream(struct process *process, struct drain *drain, uint32_t index)
{
    uint64_t cells = 1;
    bool due, in_time = true;
    CLEW_TRY(is_due(process, index, &due));
    while (due && cells > 0 && in_time && !drain_full(drain)) {
        CLEW_TRY(stream_block(process, drain, index, &cells));
        CLEW_TRY(is_due(process, index, &due));
        in_time = !process__time_is_up(drain);
    }
    process->cut_short = process->cut_short || !in_time;
    return CLEW_OK;
}

enum clew_error process__stream_rest(struct process *process, struct drain *drain, uint32_t index, bool *done)
{
    uint64_t waiting, cells = 1;
    bool in_time = true;
    count_held(process->ring, process__thread(process, index));
    CLEW_TRY(
        cells_waiting(process, index, UINT64_MAX, &waiting)); // now: a thread that goes on writing does not keep us
    while (waiting > 0 && cells > 0 && in_time && !drain_full(drain)) {
        CLEW_TRY(stream_block(process, drain, index, &cells));
        waiting -= cells < waiting ? cells : waiting;
        in_time = !process__time_is_up(drain);
    }
    bool rest = waiting > 0 && cells > 0;
    bool held_back = rest && drain_full(drain) && !drain->session->parts_max; // else it comes into the next part
    drain->held_back = drain->held_back || held_back;
    *done = !rest || held_back;
    process->cut_short = process->cut_short || !*done;
    return CLEW_OK;
}

enum clew_error process__stream_empty(const struct process *process, uint32_t index, bool *empty)
{
    uint64_t waiting;
    CLEW_TRY(cells_waiting(process, index, 1, &waiting));
    *empty = waiting == 0;
    return CLEW_OK;
}

void process__wake(struct process *process)
{
    wake(process->ring); // however little there is: nothing is left that would make more
}

// What is on the stack was defined with the block before.
enum clew_error process__stream_begin_part(struct process *process, struct drain *drain, uint32_t index)
{
    const struct slot *slot = &process->slots[index];
    if (slot->place.cells == 0) {
        return CLEW_OK;
    }
    stream_block_begin(&drain->block, &slot->stream);
    struct recording_events events = block_events(process, drain, slot, slot->place.cells);
    return recording_write_events(drain->writer, &events);
}

void process__stream_begin(struct process *process, uint32_t index)
{
    const struct ring_thread *thread = process__thread(process, index);
    process->slots[index].place = thread->drained[thread->drained_turn & 1];
}

void process__stream_end(struct process *process, uint32_t index)
{
    struct ring_drained place = process->slots[index].place;
    uint64_t first = place.chunk ? place.chunk : process__thread(process, index)->first_chunk;
    process__stream_keeps_last(process, index, false);
    if (first > 0) {
        free_passed(process->ring, first, 0); // the newest has no successor: the chain ends with it
    }
}

// The quota leaves out the current chunks of live threads alone.
void process__stream_keeps_last(struct process *process, uint32_t index, bool keeps)
{
    struct ring_thread *thread = process__thread(process, index);
    if (thread->keeps_last != keeps) {
        thread->keeps_last = keeps;
        atomic_fetch_add_explicit(&process->ring->chunks_full, keeps ? 1 : -1u, memory_order_relaxed);
    }
}

// -- Taking over ------------------------------------------------------------------------------------------------------

// Moves the place over cells that are in the file already, counting what they stand for. They are still in their
// chunks: chunks are freed only after the place has moved. MALFORMED: they are not there.
static enum clew_error skip_written(const struct process *process, struct drain *drain, uint32_t index, uint64_t until,
                                    struct ring_drained *place)
{
    struct stream_state state = {0};
    const uint32_t *cells;
    size_t count = 1;
    uint64_t cursor;
    enum clew_error error = cursor_of(process, index, &cursor);
    while (error == CLEW_OK && count > 0 && place->cells < until) {
        uint64_t left = until - place->cells;
        stream_block_begin(&drain->block, &state);
        error = cells_at(process, index, cursor, &state, place, &cells, &count);
        count = count < left ? count : (size_t)left;
        error = error == CLEW_OK && count > 0 ? decode(process, cells, count, &state, &drain->block, place) : error;
        place->events += drain->block.represented;
    }
    stream_state_free(&state);
    return error == CLEW_OK && place->cells != until ? CLEW_MALFORMED : error;
}

enum clew_error process__stream_resume(struct process *process, struct drain *drain, uint32_t index,
                                       const struct recording_events *last)
{
    const struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    struct ring_drained before = slot->place, place = before;
    uint64_t until = last ? last->position + last->words : 0;
    if (!last) {
        return CLEW_OK;
    }
    stream_state_after(&slot->stream, last);
    if (slot->stream.failed) {
        return CLEW_NO_MEMORY;
    }
    if (process->ring->flags & RING_KEEP_LAST && place.cells > until) {
        return CLEW_OK; // what came after was discarded
    }
    CLEW_TRY(skip_written(process, drain, index, until, &place));
    move_place(process, index, place);
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

// A chunk that nobody writes to any more: the oldest of its thread.
struct left_chunk {
    uint64_t tsc; // when it was left
    uint32_t index;
};

static enum clew_error find_left(struct process *process, uint32_t index, struct left_chunk *out, bool *found)
{
    const struct ring_thread *thread = process__thread(process, index);
    struct ring_drained place = process->slots[index].place;
    uint64_t number = place.chunk ? place.chunk : thread->first_chunk;
    bool empty;
    *found = false;
    if (process->slots[index].thread == 0 || number == 0) {
        return CLEW_OK;
    }
    CLEW_TRY(process__stream_empty(process, index, &empty)); // the number is a chunk's then
    out->index = index;
    *found = !empty && left_at(thread, ring_chunk_at(process->ring, number - 1), &out->tsc);
    return CLEW_OK;
}

// A heap: none was left before the one at (i - 1) / 2.
static void sift_down(struct left_chunk *heap, size_t count, size_t i)
{
    CLEW_ASSERT(i < count);
    struct left_chunk moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && heap[child + 1].tsc < heap[child].tsc;
        if (moved.tsc <= heap[child].tsc) {
            break;
        }
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

// One chunk a thread, the one that was left first at the front. As many as there is memory for.
static enum clew_error gather_left(struct process *process, struct drain *drain, size_t *count)
{
    buffer_clear(&drain->left);
    for (uint32_t i = 0; i < process->slot_count; i++) {
        struct left_chunk left;
        bool found;
        CLEW_TRY(find_left(process, i, &left, &found));
        if (found) {
            buffer_append(&drain->left, &left, sizeof left);
        }
    }
    struct left_chunk *heap = (struct left_chunk *)(void *)drain->left.data;
    *count = drain->left.size / sizeof *heap;
    for (size_t i = *count / 2; i-- > 0;) {
        sift_down(heap, *count, i);
    }
    return CLEW_OK;
}

// All words of the thread's chunks that are kept.
static enum clew_error name_kept(const struct process *process, uint32_t index, struct named *named)
{
    struct ring_drained place = process->slots[index].place;
    uint64_t number = place.chunk ? place.chunk : process__thread(process, index)->first_chunk;
    uint64_t from = place.chunk ? place.at : 0, cursor;
    CLEW_TRY(cursor_of(process, index, &cursor));
    for (uint32_t hops = 0; cursor && number > 0; hops++) {
        struct stretch stretch;
        CLEW_TRY(look_at(process, index, number, from, cursor, &stretch));
        named_add(named, (const uint32_t *)(const void *)((const char *)process->ring + stretch.from),
                  (stretch.to - stretch.from) / sizeof(uint32_t));
        number = stretch.next;
        from = 0;
        if (hops > RING_CHUNKS_MAX) {
            return CLEW_MALFORMED;
        }
    }
    return CLEW_OK;
}

static enum clew_error sweep_objects(struct process *process, bool at_the_end)
{
    enum { SIZE = NAMED_BITS / 8 }; // of which few pages are touched; the heap would keep it
    void *bits = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct named named = {bits};
    enum clew_error error = CLEW_OK;
    if (bits == MAP_FAILED) {
        return CLEW_OK; // all of them stay
    }
    for (uint32_t i = 0; i < process->slot_count && error == CLEW_OK; i++) {
        error = process->slots[i].thread ? name_kept(process, i, &named) : CLEW_OK;
    }
    if (error == CLEW_OK) {
        error = kept_objects_sweep(&process->kept_objects, &named, at_the_end);
    }
    (void)munmap(bits, SIZE); // cannot fail: it is ours
    return error;
}

static enum clew_error tell_missed_objects(const struct process *process, struct drain *drain)
{
    char text[128];
    uint64_t missed = process->kept_objects.missed;
    (void)snprintf(text, sizeof text,
                   "%" PRIu64 " objects are known by their numbers alone: there was no room for more", missed);
    const struct recording_note note = {.process = process->number, .text = text_of(text)};
    return missed ? recording_write_note(drain->writer, &note) : CLEW_OK;
}

enum clew_error process__describe_kept(struct process *process, struct drain *drain)
{
    struct stream_state state = {0};
    size_t count, used = 1;
    enum clew_error error = process__definitions(process, drain);
    error = error == CLEW_OK ? tell_missed_objects(process, drain) : error;
    error = error == CLEW_OK ? sweep_objects(process, true) : error;
    const uint32_t *cells = kept_objects_cells(&process->kept_objects, &count);
    for (; error == CLEW_OK && count > 0 && used > 0; cells += used, count -= used) {
        stream_block_begin(&drain->block, &state);
        used = stream_decode(&state, &drain->block, ring_site_shapes(process->ring), cells, count);
        struct recording_objects objects = stream_block_objects(&drain->block, process->number);
        error = state.failed      ? CLEW_NO_MEMORY
                : state.malformed ? CLEW_MALFORMED
                                  : recording_write_objects(drain->writer, &objects);
    }
    stream_state_free(&state);
    return error;
}

// Decoded all the same: what runs at the start of what is kept has to be known.
static enum clew_error discard_chunk(struct process *process, struct drain *drain, uint32_t index)
{
    struct stream_state *state = &process->slots[index].stream;
    struct ring_drained before = process->slots[index].place, place = before;
    uint64_t chunk = before.chunk ? before.chunk : process__thread(process, index)->first_chunk;
    const uint32_t *cells;
    size_t count;
    uint64_t cursor;
    CLEW_TRY(cursor_of(process, index, &cursor));
    CLEW_TRY(cells_at(process, index, cursor, state, &place, &cells, &count));
    while (count > 0 && place.chunk == chunk) {
        stream_block_begin(&drain->block, state);
        uint64_t from = place.at;
        CLEW_TRY(decode(process, cells, count, state, &drain->block, &place));
        kept_objects_add(&process->kept_objects, cells, (place.at - from) / sizeof *cells);
        CLEW_TRY(cells_at(process, index, cursor, state, &place, &cells, &count));
    }
    if (place.cells == before.cells && place.chunk == chunk) {
        return CLEW_MALFORMED; // it was not empty
    }
    move_place(process, index, place);
    free_passed(process->ring, chunk, place.chunk);
    if (place.chunk == chunk) { // the thread's last: freed with its slot
        process__stream_keeps_last(process, index, false);
    }
    return CLEW_OK;
}

enum clew_error process__discard(struct process *process, struct drain *drain)
{
    const struct session *session = drain->session;
    uint64_t most = session_keep_chunks(session);
    if (!process->kept_objects.ring) {
        kept_objects_open(&process->kept_objects, process->ring, most * RING_CHUNK_SIZE);
    }
    uint64_t too_old = session->keep_ns ? clock_tsc() - (uint64_t)keep_ticks(session) : 0;
    size_t count;
    CLEW_TRY(gather_left(process, drain, &count));
    struct left_chunk *heap = (struct left_chunk *)(void *)drain->left.data;
    uint32_t least = CHUNKS_TO_WAKE;
    while (count > 0 && (least > 0 || !process->cut_short)) {
        bool full = atomic_load_explicit(&process->ring->chunks_full, memory_order_relaxed) > most, found;
        if (!full && heap->tsc >= too_old) {
            break;
        }
        CLEW_TRY(discard_chunk(process, drain, heap->index));
        process->busy = true;
        process->cut_short = process->cut_short || process__time_is_up(drain);
        least -= least > 0;
        atomic_fetch_add_explicit(&process->ring->progress, 1, memory_order_relaxed);
        CLEW_TRY(find_left(process, heap->index, heap, &found));
        if (!found) {
            *heap = heap[--count];
        }
        if (count > 0) {
            sift_down(heap, count, 0);
        }
    }
    wake(process->ring);
    return kept_objects_due(&process->kept_objects) ? sweep_objects(process, false) : CLEW_OK;
}
