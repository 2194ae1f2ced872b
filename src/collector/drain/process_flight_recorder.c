// The flight recorder: keeps the newest chunks of a process in the shared memory, and discards older ones unwritten.
// The chunks that are left when the process ends go into the file.
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/heap.h"
#include "collector/drain/process_parts.h"
#include "collector/drain/stream_chunks.h"
#include "collector/drain/stream_position.h"

// -- The oldest chunk -------------------------------------------------------------------------------------------------

static double keep_ticks(const struct session *session)
{
    return (double)session->keep_ns * clock_rate_hz(session->calibration, clock_pair_now()) / 1e9;
}

// *tsc is when the thread left the chunk. False while the thread still writes there.
static bool left_at(const struct ring_thread *thread, const struct ring_chunk *chunk, uint64_t *tsc)
{
    if (atomic_load_explicit(&chunk->next, memory_order_acquire)) {
        *tsc = chunk->closed_tsc;
        return true;
    }
    *tsc = thread->ended_tsc;
    return atomic_load_explicit(&thread->state, memory_order_acquire) == RING_THREAD_ENDED;
}

// The oldest chunk of a thread, once the thread has left it.
struct left_chunk {
    uint64_t tsc; // when it was left
    uint32_t index;
};

static enum clew_error find_left(struct process *process, uint32_t index, struct left_chunk *out, bool *found)
{
    const struct ring_thread *thread = process__thread(process, index);
    uint64_t number = chunk_to_read(process, index);
    bool empty;
    *found = false;
    if (process->slots[index].thread == 0 || number == 0) {
        return CLEW_OK;
    }
    CLEW_TRY(process__stream_empty(process, index, &empty)); // also checks that the number is a chunk's
    out->index = index;
    *found = !empty && left_at(thread, ring_chunk_at(process->ring, number - 1), &out->tsc);
    return CLEW_OK;
}

static bool is_older(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct left_chunk *)a)->tsc < ((const struct left_chunk *)b)->tsc;
}

static const struct heap_kind oldest_first = {.size = sizeof(struct left_chunk), .before = is_older};

// Makes *out a heap, in drain->left, with the oldest left chunk of each thread, the oldest of all in front. When memory runs out
// it has fewer of them.
static enum clew_error gather_left(struct process *process, struct drain *drain, struct heap *out)
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
    *out = (struct heap){.items = drain->left.data, .count = drain->left.size / sizeof(struct left_chunk)};
    heap_make(&oldest_first, out);
    return CLEW_OK;
}

// -- Objects ----------------------------------------------------------------------------------------------------------

// Adds every word of the thread's kept chunks: any of them may be an object's number.
static enum clew_error name_kept(const struct process *process, uint32_t index, struct named *named)
{
    struct chunk_walk walk;
    struct chunk_span span;
    bool more = true;
    CLEW_TRY(chunk_walk_begin(&walk, process, index));
    while (more) {
        CLEW_TRY(chunk_walk_next(&walk, &span, &more));
        if (more) {
            named_add(named, (const uint32_t *)(const void *)((const char *)process->ring + span.from),
                      (span.to - span.from) / sizeof(uint32_t));
        }
    }
    return CLEW_OK;
}

static enum clew_error sweep_objects(struct process *process, bool at_the_end)
{
    enum { SIZE = NAMED_BITS / 8 };
    // Few of its pages are touched. A mapping goes back to the system; malloc() might keep the memory.
    void *bits = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct named named = {bits};
    enum clew_error error = CLEW_OK;
    if (bits == MAP_FAILED) {
        return CLEW_OK; // then all objects are kept
    }
    for (uint32_t i = 0; i < process->slot_count && error == CLEW_OK; i++) {
        error = process->slots[i].thread ? name_kept(process, i, &named) : CLEW_OK;
    }
    if (error == CLEW_OK) {
        error = kept_objects_sweep(&process->kept_objects, &named, at_the_end);
    }
    (void)munmap(bits, SIZE); // a mapping of ours
    return error;
}

static enum clew_error note_missed_objects(const struct process *process, struct drain *drain)
{
    char text[128];
    uint64_t missed = process->kept_objects.missed;
    (void)snprintf(text, sizeof text, "%" PRIu64 " objects have numbers only: there was no room for more descriptions",
                   missed);
    const struct recording_note note = {.process = process->number, .text = text_of(text)};
    return missed ? recording_write_note(drain->writer, &note) : CLEW_OK;
}

enum clew_error process__describe_kept(struct process *process, struct drain *drain)
{
    struct stream_state state = {0};
    size_t count, used = 1;
    enum clew_error error = process__definitions(process, drain);
    error = error == CLEW_OK ? note_missed_objects(process, drain) : error;
    error = error == CLEW_OK ? sweep_objects(process, true) : error;
    const uint32_t *cells = kept_objects_cells(&process->kept_objects, &count);
    for (; error == CLEW_OK && count > 0 && used > 0; cells += used, count -= used) {
        stream_block_begin(&drain->block, &state);
        used = stream_decode(&state, &drain->block, ring_event_lengths(process->ring), cells, count);
        struct recording_objects objects = stream_block_objects(&drain->block, process->number);
        error = state.failed      ? CLEW_NO_MEMORY
                : state.malformed ? CLEW_MALFORMED
                                  : recording_write_objects(drain->writer, &objects);
    }
    stream_state_free(&state);
    return error;
}

// -- Discarding -------------------------------------------------------------------------------------------------------

// Discards the oldest chunk of a thread. Its events are decoded anyway: the kept part needs the call stack at its
// start, and the descriptions of objects that it names.
static enum clew_error discard_chunk(struct process *process, struct drain *drain, uint32_t index)
{
    struct stream_state *state = &process->slots[index].stream;
    struct ring_drained before = process->slots[index].position, position = before;
    uint64_t chunk = chunk_to_read(process, index);
    const uint32_t *cells;
    size_t count;
    uint64_t cursor;
    CLEW_TRY(chunk_cursor(process, index, &cursor));
    CLEW_TRY(position_cells(process, index, cursor, state, &position, &cells, &count));
    state->next_number = process->next_number; // discarded activations are numbered, too
    while (count > 0 && position.chunk == chunk) {
        stream_block_begin(&drain->block, state);
        uint64_t from = position.at;
        CLEW_TRY(position_decode(process, cells, count, state, &drain->block, &position));
        kept_objects_add(&process->kept_objects, cells, (position.at - from) / sizeof *cells);
        CLEW_TRY(position_cells(process, index, cursor, state, &position, &cells, &count));
    }
    process->next_number = state->next_number;
    if (position.cells == before.cells && position.chunk == chunk) {
        return CLEW_MALFORMED; // find_left() saw cells in it
    }
    position_move(process, index, position);
    chunks_free(process->ring, chunk, position.chunk);
    if (position.chunk == chunk) { // the thread's last chunk, which is freed with its slot
        chunks_count_last(process, index, false);
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
    struct heap left;
    CLEW_TRY(gather_left(process, drain, &left));
    struct left_chunk *oldest = left.items;
    uint32_t least = CHUNKS_TO_WAKE; // discarded even when the time is up: so many are worth waking threads for
    while (left.count > 0 && (least > 0 || !process->cut_short)) {
        bool full = atomic_load_explicit(&process->ring->chunks_full, memory_order_relaxed) > most, found;
        if (!full && oldest->tsc >= too_old) {
            break;
        }
        CLEW_TRY(discard_chunk(process, drain, oldest->index));
        process->busy = true;
        process->cut_short = process->cut_short || process__time_is_up(drain);
        least -= least > 0;
        atomic_fetch_add_explicit(&process->ring->progress, 1, memory_order_relaxed);
        CLEW_TRY(find_left(process, oldest->index, oldest, &found));
        if (!found) {
            *oldest = oldest[--left.count];
        }
        heap_sink(&oldest_first, &left, 0);
    }
    chunks_wake(process->ring);
    return kept_objects_due(&process->kept_objects) ? sweep_objects(process, false) : CLEW_OK;
}
