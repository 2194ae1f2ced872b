// PROCESS and THREAD records: written at the start, refreshed while the process runs, and final at its end.
#include <signal.h>
#include <sys/wait.h>

#include "base/assert.h"
#include "collector/drain/process_parts.h"
#include "collector/session/command_line.h"
#include "collector/session/exit_status.h"
#include "ring/publish.h"
#include "trace/instrument.h"

// Sums over freed slots are in the header; threads that still have a slot are added to them.
static void count(struct process *process)
{
    const struct ring_header *ring = process->ring;
    uint64_t streamed = ring->past_events, entries = ring->past_entries;
    process->lost = ring->past_lost;
    for (uint32_t i = 0; i < process->slot_count; i++) {
        const struct ring_thread *thread = process__thread(process, i);
        if (process->slots[i].thread && !atomic_load_explicit(&thread->recycling, memory_order_relaxed)) {
            streamed += process->slots[i].position.events;
            entries += process->slots[i].entries;
            process->lost += process__lost(thread);
        }
    }
    bool once = ring_instruments(process->ring) & INSTRUMENT_STATEMENTS; // then the streams have the statements already
    process->events = streamed + entries + (once ? 0 : process->lines_counted);
}

void process_totals(struct process *process, uint64_t *events, uint64_t *lost)
{
    if (!process->damaged) {
        count(process);
    }
    *events = process->events;
    *lost = process->lost;
}

static uint64_t paused_ns(const struct process *process)
{
    uint64_t sum = process->damaged ? 0 : process->ring->past_paused_ns;
    for (uint32_t i = 0; i < process->slot_count && !process->damaged; i++) {
        const struct ring_thread *thread = process__thread(process, i);
        sum += process->slots[i].thread && !atomic_load_explicit(&thread->recycling, memory_order_relaxed)
                   ? thread->paused_ns
                   : 0;
    }
    return sum;
}

// Whether a thread has run nothing but its way out since it threw in a node: it is there, or in one above. The runtime may unwind
// the thread before it ends the process.
static bool is_above(struct ring_header *ring, uint32_t current, uint32_t node)
{
    for (uint32_t left = ring->nodes_max; left > 0 && node && node != current && node < ring->nodes_max; left--) {
        node = RING_READ_ONCE(ring_nodes(ring)[node].parent);
    }
    return node && node == current;
}

// Whether the runtime may have ended the process by itself.
static bool is_aborted(const struct process *process, int exit_status)
{
    return exit_status != EXIT_STATUS_UNKNOWN && WIFSIGNALED(exit_status) && WTERMSIG(exit_status) == SIGABRT &&
           !process->damaged;
}

// 1 + the method in which a thread called Environment.FailFast, or below which; 1: it ran none. 0: none did that, or it is not known
// since several have. A thread that has run anything else since then did not end the process by it.
static uint32_t failed_fast(const struct process *process, int exit_status)
{
    uint32_t found = 0, count = 0;
    for (uint32_t i = 0; i < process->slot_count && is_aborted(process, exit_status); i++) {
        const struct ring_thread *thread = process__thread(process, i);
        uint32_t node = process->slots[i].thread ? RING_READ_ONCE(thread->failing_node) : 0;
        if (node && node == RING_READ_ONCE(thread->current)) {
            found = 1 + tree_method(process->ring, node);
            count++;
        }
    }
    return count == 1 ? found : 0;
}

// The exception for which the runtime has found no handler, so that it ended the process by SIGABRT. 0: none, or there are
// several.
static uint32_t unhandled(const struct process *process, int exit_status)
{
    uint32_t found = 0, count = 0;
    for (uint32_t i = 0; i < process->slot_count && is_aborted(process, exit_status); i++) {
        const struct ring_thread *thread = process__thread(process, i);
        uint32_t exception = process->slots[i].thread ? RING_READ_ONCE(thread->unhandled) : 0;
        if (exception &&
            is_above(process->ring, RING_READ_ONCE(thread->current), RING_READ_ONCE(thread->unhandled_node))) {
            found = exception;
            count++;
        }
    }
    return count == 1 ? found : 0;
}

enum clew_error process__record(struct process *process, struct drain *drain, enum process_state state, int exit_status)
{
    static const struct ring_header nothing;
    const struct ring_header *ring = process->damaged ? &nothing : process->ring;
    bool is_tree = ring_instruments(process->ring) & INSTRUMENT_TREE; // without trees, calls over the cap are no loss
    uint64_t events;
    struct recording_process record = {
        .process = process->number,
        .os_id = (uint32_t)process->watch.pid,
        .state = state,
        .exit_status = exit_status == EXIT_STATUS_UNKNOWN ? 0 : exit_status,
        .exit_known = exit_status == EXIT_STATUS_UNKNOWN ? RECORDING_EXIT_UNKNOWN : RECORDING_EXIT_KNOWN,
        .command = text_of(process->command),
        .runtime = text_of(process->runtime),
        .started_clock = process->ring->started_clock,
        .ended_clock = state == PROCESS_RUNNING ? 0 : session_clock(drain->session),
        .dynamic_methods = atomic_load_explicit(&ring->dynamic_methods, memory_order_relaxed),
        .allocated = atomic_load_explicit(&ring->allocated, memory_order_relaxed),
        .pauses = atomic_load_explicit(&ring->pauses, memory_order_relaxed),
        .paused_ns = paused_ns(process),
        .threads_refused = atomic_load_explicit(&ring->threads_refused, memory_order_relaxed),
        .probe_ps = ring->probe_ns_x1000,
        .probe_own_ps = ring->probe_own_ns_x1000,
        .over_cap = is_tree && atomic_load_explicit(&ring->over_cap, memory_order_relaxed) != 0,
        .clock_hz = session_clock_hz(drain->session),
        .failed_fast = failed_fast(process, exit_status),
        .unlinked = atomic_load_explicit(&ring->unlinked, memory_order_relaxed),
        .compiled = atomic_load_explicit(&ring->compiled, memory_order_relaxed),
        .compiled_ns = atomic_load_explicit(&ring->compiled_ns, memory_order_relaxed),
        .refused = atomic_load_explicit(&ring->refused, memory_order_relaxed),
        .refused_ns = atomic_load_explicit(&ring->refused_ns, memory_order_relaxed),
        .woven_ns = atomic_load_explicit(&ring->woven_ns, memory_order_relaxed),
        .left_out = atomic_load_explicit(&ring->left_out, memory_order_relaxed),
    };
    record.unhandled = record.failed_fast ? 0 : unhandled(process, exit_status);
    memcpy(record.site_ps, ring->site_ps, sizeof record.site_ps);
    process_totals(process, &events, &record.lost);
    return recording_write_process(drain->writer, &record);
}

static struct text name_of_thread(const struct process *process, uint32_t os_id)
{
    uint64_t name;
    return map_get(&process->thread_names, os_id, &name) ? text_of((const char *)(uintptr_t)name) : (struct text){0};
}

enum clew_error process__thread_record(struct process *process, struct drain *drain, uint32_t index,
                                       uint64_t ended_clock)
{
    const struct ring_thread *thread = process__thread(process, index);
    const struct slot *slot = &process->slots[index];
    CLEW_ASSERT(index < process->slot_count && slot->thread > 0 && "a thread is seen before its record is written");
    struct recording_thread record = {
        .process = process->number,
        .thread = slot->thread,
        .os_id = slot->os_id,
        .name = name_of_thread(process, slot->os_id),
        .started_clock = thread->started,
        .ended_clock = ended_clock,
        .cpu_user_ns = thread->cpu_user_ns,
        .cpu_kernel_ns = thread->cpu_kernel_ns,
        .lost = process__lost(thread),
    };
    return recording_write_thread(drain->writer, &record);
}
