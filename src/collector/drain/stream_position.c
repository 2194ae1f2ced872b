#include "collector/drain/stream_position.h"

#include "collector/drain/process_parts.h"
#include "collector/drain/stream_chunks.h"

void position_load(struct process *process, uint32_t index)
{
    const struct ring_thread *thread = process__thread(process, index);
    // Pairs with the release store of position_move() in the collector before this one.
    uint64_t epoch = atomic_load_explicit(&thread->drained_epoch, memory_order_acquire);
    process->slots[index].position = thread->drained[epoch & 1];
}

// The shared memory has two copies, and drained_epoch says which one counts. A collector that is killed in here leaves
// the old copy or the new one. This collector never reads them back: the program can write over both.
void position_move(struct process *process, uint32_t index, struct ring_drained position)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    CLEW_ASSERT(position.cells >= slot->position.cells && position.events >= slot->position.events);
    uint64_t epoch = atomic_load_explicit(&thread->drained_epoch, memory_order_relaxed) + 1;
    atomic_thread_fence(memory_order_release); // the last epoch is stored before the copy that it has replaced changes
    thread->drained[epoch & 1] = position;
    atomic_store_explicit(&thread->drained_epoch, epoch, memory_order_release);
    slot->position = position;
}

enum clew_error position_cells(const struct process *process, uint32_t index, uint64_t cursor,
                               struct stream_state *state, struct ring_drained *position, const uint32_t **cells,
                               size_t *count)
{
    *count = 0;
    if (position->chunk == 0) {
        position->chunk = process__thread(process, index)->first_chunk;
        position->at = 0;
    }
    for (uint32_t steps = 0; position->chunk > 0 && steps <= RING_CHUNKS_MAX; steps++) {
        struct chunk_span span;
        CLEW_TRY(chunk_look(process, index, position->chunk, position->at, cursor, &span));
        if (position->at == 0) {
            state->clock = span.opened_clock > state->clock ? span.opened_clock : state->clock;
        }
        position->at = span.from;
        *cells = (const uint32_t *)(const void *)((const char *)process->ring + position->at);
        *count = (span.to - span.from) / sizeof(uint32_t);
        if (*count > 0 || !span.next) {
            return CLEW_OK;
        }
        position->chunk = span.next;
        position->at = 0;
    }
    return position->chunk == 0 ? CLEW_OK : CLEW_MALFORMED;
}

enum clew_error position_decode(const struct process *process, const uint32_t *cells, size_t count,
                                struct stream_state *state, struct stream_block *block, struct ring_drained *position)
{
    size_t used = stream_decode(state, block, ring_event_lengths(process->ring), cells, count);
    CLEW_ASSERT(used <= count);
    position->at += used * sizeof *cells;
    position->cells += used;
    return state->failed ? CLEW_NO_MEMORY : state->malformed ? CLEW_MALFORMED : CLEW_OK;
}
