// Writes the streams of a process: committed cells in the shared memory become blocks in the file, and the chunks that
// are read to their end go back to the program.
#include <stdio.h>

#include "collector/drain/process_parts.h"
#include "collector/drain/stream_chunks.h"
#include "collector/drain/stream_position.h"

enum {
    CELLS_PER_CHUNK = (RING_CHUNK_SIZE - sizeof(struct ring_chunk)) / sizeof(uint32_t),
    CELLS_WANTED = 2 * RECORDING_EVENTS_WANTED, // an entry and an exit have two cells each
    WAIT_FOR_MORE_NS = 100 * 1000 * 1000,       // the longest that an event waits for its block to fill
};

// -- Blocks -----------------------------------------------------------------------------------------------------------

// Fills the block from the position on, and moves it. After MALFORMED the events that are in the block are still right.
// The activations that begin in the block get the process's next numbers.
static enum clew_error gather(struct process *process, uint32_t index, struct stream_block *block,
                              struct ring_drained *position)
{
    struct stream_state *state = &process->slots[index].stream;
    state->next_number = process->next_number;
    stream_block_begin(block, state);
    const uint32_t *cells;
    size_t count = 1;
    uint64_t cursor;
    enum clew_error error = chunk_cursor(process, index, &cursor);
    while (error == CLEW_OK && count > 0 && !stream_block_full(block)) {
        error = position_cells(process, index, cursor, state, position, &cells, &count);
        error = error == CLEW_OK && count > 0 ? position_decode(process, cells, count, state, block, position) : error;
    }
    position->events += block->represented;
    CLEW_ASSERT(state->next_number >= process->next_number && "numbers only grow");
    process->next_number = state->next_number;
    return error;
}

static struct recording_events block_events(const struct process *process, const struct drain *drain,
                                            const struct slot *slot, uint64_t cells_before)
{
    struct recording_events events = stream_block_events(&drain->block, &slot->stream);
    events.process = process->number;
    events.thread = slot->thread;
    events.position = cells_before;
    return events;
}

// Objects go first: a collector that dies before the events leaves descriptions without a use, and its successor writes
// them again. The other order would leave events without a description.
static enum clew_error write_block(struct process *process, struct drain *drain, const struct slot *slot,
                                   uint64_t cells_before)
{
    struct recording_events events = block_events(process, drain, slot, cells_before);
    struct recording_objects objects = stream_block_objects(&drain->block, process->number);
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(process__exceptions(process, drain));
    CLEW_TRY(recording_write_objects(drain->writer, &objects));
    return recording_write_events(drain->writer, &events);
}

// How many cells wait to be written, counted up to about `enough`.
static enum clew_error cells_waiting(const struct process *process, uint32_t index, uint64_t enough, uint64_t *waiting)
{
    struct chunk_walk walk;
    struct chunk_span span;
    bool more = true;
    *waiting = 0;
    CLEW_TRY(chunk_walk_begin(&walk, process, index));
    while (more && *waiting < enough) {
        CLEW_TRY(chunk_walk_next(&walk, &span, &more));
        *waiting += more ? (span.to - span.from) / sizeof(uint32_t) : 0;
    }
    return CLEW_OK;
}

// A block is due when it is full, when its first event has waited long enough, or when the program runs short of
// chunks.
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
    *due = process->hurries || waiting >= CELLS_WANTED || now - slot->pending_since_ns >= WAIT_FOR_MORE_NS ||
           (waiting >= CELLS_PER_CHUNK && chunks_are_short(process->ring));
    return CLEW_OK;
}

// Writes one block. *cells is how many cells it covers, 0 when none waited. MALFORMED comes only after the events
// before the damage are in the file.
static enum clew_error stream_block(struct process *process, struct drain *drain, uint32_t index, uint64_t *cells)
{
    struct slot *slot = &process->slots[index];
    struct ring_drained before = slot->position, position = before;
    CLEW_ASSERT(slot->thread > 0 && !slot->settled && "only a thread that was seen has a stream");
    enum clew_error error = gather(process, index, &drain->block, &position);
    *cells = position.cells - before.cells;
    if (*cells == 0 || (error != CLEW_OK && error != CLEW_MALFORMED)) {
        return error;
    }
    CLEW_TRY(write_block(process, drain, slot, before.cells));
    uint64_t first = chunk_to_read(process, index);
    position_move(process, index, position);
    chunks_free(process->ring, first, position.chunk);
    atomic_fetch_add_explicit(&process->ring->progress, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&drain->session->shared->heartbeat, 1, memory_order_relaxed);
    slot->pending_since_ns = 0;
    return error;
}

// -- A thread's stream ------------------------------------------------------------------------------------------------

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
    bool full = due && cells > 0 && drain_full(drain); // the rest goes into the next part, if there is one
    process->cut_short = process->cut_short || !in_time || full;
    return CLEW_OK;
}

enum clew_error process__stream_rest(struct process *process, struct drain *drain, uint32_t index, bool *done)
{
    uint64_t waiting, cells = 1;
    bool in_time = true;
    chunks_count_stalled(process->ring, process__thread(process, index));
    // Counted once, here: a thread that still writes would keep this function busy for ever.
    CLEW_TRY(cells_waiting(process, index, UINT64_MAX, &waiting));
    while (waiting > 0 && cells > 0 && in_time && !drain_full(drain)) {
        CLEW_TRY(stream_block(process, drain, index, &cells));
        waiting -= cells < waiting ? cells : waiting;
        in_time = !process__time_is_up(drain);
    }
    bool rest = waiting > 0 && cells > 0;
    bool left_out = rest && drain_full(drain) && !drain->session->parts_max; // else the next part gets the rest
    drain->held_back = drain->held_back || left_out;
    *done = !rest || left_out;
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

// The methods on the stack are defined already: their definitions went before the block that has their entries.
enum clew_error process__stream_begin_part(struct process *process, struct drain *drain, uint32_t index)
{
    struct slot *slot = &process->slots[index];
    if (slot->position.cells == 0) {
        return CLEW_OK;
    }
    slot->stream.next_number = process->next_number;
    stream_block_begin(&drain->block, &slot->stream);
    struct recording_events events = block_events(process, drain, slot, slot->position.cells);
    return recording_write_events(drain->writer, &events);
}

void process__stream_end(struct process *process, uint32_t index)
{
    chunks_count_last(process, index, false);
    chunks_free(process->ring, chunk_to_read(process, index), 0);
}

// -- Taking over ------------------------------------------------------------------------------------------------------

// Moves the position over cells whose blocks are in the file already, and counts their events. The cells are still in
// their chunks, since chunks are freed only after the position has moved. MALFORMED when they are not.
static enum clew_error skip_written(const struct process *process, struct drain *drain, uint32_t index, uint64_t until,
                                    struct ring_drained *position)
{
    struct stream_state state = {0};
    const uint32_t *cells;
    size_t count = 1;
    uint64_t cursor;
    enum clew_error error = chunk_cursor(process, index, &cursor);
    while (error == CLEW_OK && count > 0 && position->cells < until) {
        uint64_t left = until - position->cells;
        stream_block_begin(&drain->block, &state);
        error = position_cells(process, index, cursor, &state, position, &cells, &count);
        count = count < left ? count : (size_t)left;
        if (error == CLEW_OK && count > 0) {
            error = position_decode(process, cells, count, &state, &drain->block, position);
        }
        position->events += drain->block.represented;
    }
    stream_state_free(&state);
    return error == CLEW_OK && position->cells != until ? CLEW_MALFORMED : error;
}

enum clew_error process__stream_resume(struct process *process, struct drain *drain, uint32_t index,
                                       const struct recording_events *last)
{
    struct slot *slot = &process->slots[index];
    struct ring_drained position = slot->position;
    uint64_t until = last ? last->position + last->words : 0;
    if (!last) {
        return CLEW_OK;
    }
    slot->followed = false;
    stream_state_after(&slot->stream, last);
    if (slot->stream.failed) {
        return CLEW_NO_MEMORY;
    }
    if (process->ring->flags & SESSION_KEEP_LAST && position.cells > until) {
        return CLEW_OK; // the flight recorder has discarded the events after that block
    }
    CLEW_TRY(skip_written(process, drain, index, until, &position));
    uint64_t first = chunk_to_read(process, index);
    position_move(process, index, position);
    chunks_free(process->ring, first, position.chunk);
    return CLEW_OK;
}
