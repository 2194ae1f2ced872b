// What a process has thrown and caught: the exceptions by number, as agents store them in the segment, and the counts of a
// thread's tree.
#include "collector/drain/process_parts.h"
#include "ring/publish.h"
#include "trace/instrument.h"

// -- Exceptions by number ---------------------------------------------------------------------------------------------

static enum clew_error write_exception(const struct process *process, struct drain *drain, uint32_t number)
{
    const struct ring_exception *from = &ring_exceptions(process->ring)[number];
    uint32_t recorded = RING_READ_ONCE(from->recorded);
    recorded = recorded < RING_MESSAGE_UNITS ? recorded : RING_MESSAGE_UNITS;
    buffer_clear(&drain->definition);
    buffer_utf16(&drain->definition, from->units, recorded);
    const struct recording_exception exception = {
        .process = process->number,
        .exception = number,
        .type = RING_READ_ONCE(from->type),
        .flags = atomic_load_explicit(&from->flags, memory_order_relaxed),
        .length = RING_READ_ONCE(from->length),
        .message = {(const char *)drain->definition.data, drain->definition.size},
    };
    return drain->definition.failed ? CLEW_NO_MEMORY : recording_write_exception(drain->writer, &exception);
}

// Numbers are taken before they are stored, so those above one that is not complete wait. No thread completes one after the end of the
// process.
enum clew_error process__exceptions(struct process *process, struct drain *drain)
{
    uint32_t end = atomic_load_explicit(&process->ring->exceptions_used, memory_order_acquire);
    end = end < RING_EXCEPTIONS_MAX ? end : RING_EXCEPTIONS_MAX;
    CLEW_ASSERT(process->exceptions_written > 0);
    for (; process->exceptions_written < end; process->exceptions_written++) {
        const struct ring_exception *next = &ring_exceptions(process->ring)[process->exceptions_written];
        // Pairs with the release store in probe_throws.c.
        if (atomic_load_explicit(&next->flags, memory_order_acquire)) {
            CLEW_TRY(write_exception(process, drain, process->exceptions_written));
        } else if (!process->end.begun) {
            break;
        }
    }
    return CLEW_OK;
}

// -- Throws -----------------------------------------------------------------------------------------------------------

static uint64_t sum_of(const struct tree_copy *tree)
{
    const struct recording_throw *throws = (const struct recording_throw *)(const void *)tree->throws.data;
    uint64_t sum = 0;
    for (size_t i = 0; i < tree->throws.size / sizeof *throws; i++) {
        sum += throws[i].count;
    }
    return sum;
}

enum clew_error process__throws(struct process *process, struct drain *drain, uint32_t index, uint64_t clock,
                                enum throws_numbering numbering)
{
    struct slot *slot = &process->slots[index];
    struct recording_throw *throws = (struct recording_throw *)(void *)drain->tree.throws.data;
    uint32_t count = (uint32_t)(drain->tree.throws.size / sizeof *throws);
    uint64_t sum = sum_of(&drain->tree);
    // A whole tree numbers its nodes anew.
    if (sum == 0 || (sum == slot->throws_written && numbering == THROWS_BY_CHAIN)) {
        return CLEW_OK;
    }
    if (numbering == THROWS_BY_CHAIN) {
        tree_chain_number_throws(&process->chains, &drain->tree);
    }
    for (uint32_t i = 0; i < count && numbering == THROWS_UNNUMBERED; i++) {
        throws[i].node = throws[i].caught_node = 0;
    }
    slot->throws_written = sum;
    const struct recording_throws record = {process->number, slot->thread, clock, count, throws};
    return recording_write_throws(drain->writer, &record);
}

enum clew_error process__stream_throws(struct process *process, struct drain *drain, uint32_t index, uint64_t clock)
{
    struct ring_header *ring = process->ring;
    if (ring_instruments(ring) & INSTRUMENT_TREE ||
        atomic_load_explicit(&ring->throws_used, memory_order_relaxed) <= 1) {
        return CLEW_OK;
    }
    enum clew_error error = tree_copy(&drain->tree, ring, process__thread(process, index)->root, 0, clock);
    if (error == CLEW_MALFORMED) {
        return CLEW_OK; // as of process__stream_tree()
    }
    CLEW_TRY(error);
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(process__exceptions(process, drain));
    return process__throws(process, drain, index, clock, THROWS_UNNUMBERED);
}

enum clew_error process__throws_outside(struct process *process, struct drain *drain)
{
    CLEW_TRY(process__exceptions(process, drain)); // the process may have ended by one that no figure names
    uint64_t outside = atomic_load_explicit(&process->ring->throws_outside, memory_order_relaxed);
    uint64_t over = atomic_load_explicit(&process->ring->throws_over, memory_order_relaxed);
    struct recording_throw throws[2];
    uint32_t count = 0;
    if (outside) {
        throws[count++] = (struct recording_throw){.flags = THROW_OUTSIDE, .count = outside};
    }
    if (over) {
        throws[count++] = (struct recording_throw){.flags = THROW_OVER, .count = over};
    }
    const struct recording_throws record = {process->number, 0, session_clock(drain->session), count, throws};
    return recording_write_throws(drain->writer, &record);
}
