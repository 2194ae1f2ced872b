#include "collector/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/command.h"
#include "collector/internal.h"
#include "recording/reader.h"
#include "ring/segment.h"

enum {
    CPU_EVERY_NS = 10 * 1000 * 1000,
    PART_OF_TIME = 50, // sampling and copying may take one part in so many of the time
};
#define SOURCES_FOR_NS UINT64_C(2000000) // of a pass without much else to do
#define TREES_EVERY_NS UINT64_C(1000000000)
#define RECORD_EVERY_NS UINT64_C(2000000000)

enum clew_error process_new(struct ring_header *ring, struct process **out)
{
    struct process *process = calloc(1, sizeof *process);
    if (!process) {
        return CLEW_NO_MEMORY;
    }
    uint64_t now = clock_monotonic_ns();
    process->number = ring->process;
    process->os_pid = (pid_t)ring->os_pid;
    process->ring = ring;
    process->layout = *ring;
    process->pidfd = (int)syscall(SYS_pidfd_open, process->os_pid, 0);
    process->command = command_of_process(process->os_pid);
    process->sources = (struct sources){.process = process->number, .pid = process->os_pid};
    process->next_trees_ns = now + TREES_EVERY_NS;
    process->next_cpu_ns = now;
    process->next_record_ns = now;
    *out = process;
    return CLEW_OK;
}

static void forget_slot(struct slot *slot)
{
    stream_state_free(&slot->stream);
    cpu_watch_end(&slot->cpu);
    *slot = (struct slot){0};
}

void process_free(struct process *process)
{
    for (uint32_t i = 0; i < process->slot_count; i++) {
        forget_slot(&process->slots[i]);
    }
    if (process->pidfd >= 0) {
        (void)close(process->pidfd); // only waited on
    }
    process->ring->segment_size = process->layout.segment_size; // what was mapped, whatever stands there now
    segment_unmap(process->ring);
    free(process->slots);
    free(process->command);
    free(process->runtime);
    sources_free(&process->sources);
    map_free(&process->thread_names);
    arena_free(&process->texts);
    free(process);
}

// -- Records ----------------------------------------------------------------------------------------------------------

static uint64_t lost_of(const struct ring_thread *thread)
{
    return atomic_load_explicit(&thread->lost, memory_order_relaxed);
}

// What went into the file of a thread becomes part of the process's sums. Marked first: a collector that takes over in
// between rather misses a thread's sums than counts them twice.
static void settle_thread(const struct process *process, uint32_t index)
{
    struct ring_header *ring = process->ring;
    struct ring_thread *thread = process__thread(process, index);
    *(volatile uint64_t *)&thread->recycling = 1;
    ring->past_events += process__stream_events(thread);
    ring->past_entries += process->slots[index].entries;
    ring->past_lost += lost_of(thread);
    ring->past_paused_ns += thread->paused_ns;
}

static void count(struct process *process)
{
    const struct ring_header *ring = process->ring;
    uint64_t streamed = ring->past_events, entries = ring->past_entries;
    process->lost = ring->past_lost;
    for (uint32_t i = 0; i < process->slot_count; i++) {
        const struct ring_thread *thread = process__thread(process, i);
        if (process->slots[i].thread && !thread->recycling) {
            streamed += process__stream_events(thread);
            entries += process->slots[i].entries;
            process->lost += lost_of(thread);
        }
    }
    process->events = streamed + entries;
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
        sum += process->slots[i].thread && !thread->recycling ? thread->paused_ns : 0;
    }
    return sum;
}

enum clew_error process__record(struct process *process, struct drain *drain, enum recording_process_state state,
                                int exit_status)
{
    struct ring_header *ring = process->damaged ? &process->layout : process->ring;
    uint64_t events;
    struct recording_process record = {
        .process = process->number,
        .os_id = (uint32_t)process->os_pid,
        .state = state,
        .exit_status = exit_status,
        .command = text_of(process->command),
        .runtime = text_of(process->runtime),
        .started_clock = ring->started_clock,
        .ended_clock = state == RECORDING_PROCESS_RUNNING ? 0 : session_clock(drain->session),
        .dynamic_methods = atomic_load_explicit(&ring->dynamic_methods, memory_order_relaxed),
        .pauses = atomic_load_explicit(&ring->pauses, memory_order_relaxed),
        .paused_ns = paused_ns(process),
        .threads_refused = atomic_load_explicit(&ring->threads_refused, memory_order_relaxed),
        .probe_ps = ring->probe_ns_x1000,
        .probe_own_ps = ring->probe_own_ns_x1000,
        .over_cap = atomic_load_explicit(&ring->over_cap, memory_order_relaxed) != 0,
        .clock_hz = session_clock_hz(drain->session),
    };
    process_totals(process, &events, &record.lost);
    return recording_write_process(drain->writer, &record);
}

static struct text name_of_thread(const struct process *process, uint32_t os_id)
{
    uint64_t name;
    return map_get(&process->thread_names, os_id, &name) ? text_of((const char *)(uintptr_t)name) : (struct text){0};
}

enum clew_error process__thread_record(struct process *process, struct drain *drain, const struct ring_thread *thread,
                                       uint64_t ended_clock)
{
    struct recording_thread record = {
        .process = process->number,
        .thread = thread->thread,
        .os_id = thread->os_id,
        .name = name_of_thread(process, thread->os_id),
        .started_clock = thread->started,
        .ended_clock = ended_clock,
        .cpu_user_ns = thread->cpu_user_ns,
        .cpu_kernel_ns = thread->cpu_kernel_ns,
        .lost = lost_of(thread),
    };
    return recording_write_thread(drain->writer, &record);
}

// -- Threads ----------------------------------------------------------------------------------------------------------

static bool grow_slots(struct process *process)
{
    uint32_t used = atomic_load_explicit(&process->ring->threads_used, memory_order_acquire);
    used = used < RING_THREADS_MAX ? used : RING_THREADS_MAX;
    if (used <= process->slot_count) {
        return true;
    }
    struct slot *slots = realloc(process->slots, used * sizeof *slots);
    if (!slots) {
        return false;
    }
    memset(slots + process->slot_count, 0, (used - process->slot_count) * sizeof *slots);
    process->slots = slots;
    process->slot_count = used;
    return true;
}

// CPU time used before a thread's first event is not the recording's; what it used since then is guessed: all it could.
static void first_cpu(const struct drain *drain, struct ring_thread *thread, uint64_t total_ns)
{
    double hz = clock_rate_hz(drain->session->calibration, clock_pair_now());
    uint64_t tsc = clock_tsc();
    double since_ns = hz > 0 && tsc > thread->started_tsc ? (double)(tsc - thread->started_tsc) * 1e9 / hz : 0;
    thread->cpu_ns = (double)total_ns > since_ns ? total_ns - (uint64_t)since_ns : 0;
}

static enum clew_error see_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    slot->thread = thread->thread;
    cpu_watch_begin(&slot->cpu, process->os_pid, (pid_t)thread->os_id);
    uint64_t total_ns;
    if (thread->cpu_ns == 0 && cpu_read(&slot->cpu, &total_ns)) {
        first_cpu(drain, thread, total_ns);
    }
    slot->written = true;
    return process__thread_record(process, drain, thread, 0);
}

// Credits what the thread used since the last sample to the node it is in. False when the thread is gone.
static bool sample_cpu(struct process *process, struct slot *slot, struct ring_thread *thread)
{
    uint64_t total_ns;
    if (!cpu_read(&slot->cpu, &total_ns)) {
        return false;
    }
    if (total_ns <= thread->cpu_ns) {
        return true;
    }
    uint64_t user_ns, kernel_ns;
    cpu_split(&slot->cpu, total_ns - thread->cpu_ns, &user_ns, &kernel_ns);
    thread->cpu_ns = total_ns;
    thread->cpu_user_ns += user_ns;
    thread->cpu_kernel_ns += kernel_ns;
    uint32_t node = *(volatile uint32_t *)&thread->current;
    if (node < process->ring->nodes_max) {
        ring_node_cpus(process->ring)[node].user_ns += user_ns;
        ring_node_cpus(process->ring)[node].kernel_ns += kernel_ns;
    }
    return true;
}

static void sample_all(struct process *process, uint64_t now_ns)
{
    for (uint32_t i = 0; i < process->slot_count; i++) {
        struct ring_thread *thread = process__thread(process, i);
        uint32_t live = RING_THREAD_LIVE;
        if (process->slots[i].thread && atomic_load_explicit(&thread->state, memory_order_acquire) == live &&
            !sample_cpu(process, &process->slots[i], thread)) {
            // Gone without a word: nobody writes to this slot any more.
            (void)atomic_compare_exchange_strong(&thread->state, &live, RING_THREAD_ENDED);
        }
    }
    uint64_t cost = clock_monotonic_ns() - now_ns;
    process->next_cpu_ns = now_ns + (cost * PART_OF_TIME > CPU_EVERY_NS ? cost * PART_OF_TIME : CPU_EVERY_NS);
}

static enum clew_error write_tree(struct process *process, struct drain *drain, uint32_t index, bool final)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    if (!(process->ring->instruments & RING_TREE)) {
        return CLEW_OK;
    }
    uint64_t now = session_clock(drain->session);
    if (!tree_copy(&drain->tree, process->ring, thread->root, now)) {
        return CLEW_NO_MEMORY;
    }
    if (drain->tree.count == 0) {
        return CLEW_OK;
    }
    slot->entries = drain->tree.entries;
    slot->copied = true;
    slot->copied_cpu_ns = thread->cpu_ns;
    struct recording_tree tree = {
        .process = process->number,
        .thread = thread->thread,
        .clock = now,
        .final = final,
        .count = drain->tree.count,
        .nodes = (const struct recording_node *)(const void *)drain->tree.nodes.data,
    };
    CLEW_TRY(process__definitions(process, drain));
    return recording_write_tree(drain->writer, &tree);
}

// A thread that has not run since its last copy has the same tree still.
static bool changed(const struct process *process, uint32_t index)
{
    const struct slot *slot = &process->slots[index];
    uint64_t cpu_ns = process__thread(process, index)->cpu_ns;
    return !slot->copied || cpu_ns == 0 || cpu_ns != slot->copied_cpu_ns;
}

static enum clew_error copy_trees(struct process *process, struct drain *drain, uint64_t now_ns)
{
    for (uint32_t i = 0; i < process->slot_count; i++) {
        if (process->slots[i].thread && changed(process, i)) {
            CLEW_TRY(write_tree(process, drain, i, false));
        }
    }
    uint64_t cost = clock_monotonic_ns() - now_ns;
    process->next_trees_ns = now_ns + (cost * PART_OF_TIME > TREES_EVERY_NS ? cost * PART_OF_TIME : TREES_EVERY_NS);
    return CLEW_OK;
}

// Everything of a thread that will not run again.
static enum clew_error close_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    atomic_fetch_add(&drain->session->shared->beat, 1); // the end of a large program takes its time
    CLEW_TRY(process__stream(process, drain, index, true));
    CLEW_TRY(write_tree(process, drain, index, true));
    uint64_t ended = drain->session->record.clock == CLOCK_KIND_TSC ? thread->ended_tsc : 0;
    CLEW_TRY(process__thread_record(process, drain, thread, ended ? ended : session_clock(drain->session)));
    return recording_flush(drain->writer);
}

// The system gives the number of a thread that is gone to others.
static void forget_name(struct process *process, uint32_t os_id)
{
    uint64_t name;
    if (map_get(&process->thread_names, os_id, &name)) {
        (void)map_put(&process->thread_names, os_id, (uint64_t)(uintptr_t) ""); // replaces: needs no memory
    }
}

// All but the state, which the agent watches: 0 means free, and it may be that only once all else is clear.
static void clear_slot(struct ring_thread *thread)
{
    const size_t state = offsetof(struct ring_thread, state), after = state + sizeof thread->state;
    memset(thread, 0, state);
    memset((char *)thread + after, 0, sizeof *thread - after);
    atomic_store_explicit(&thread->state, RING_THREAD_FREE, memory_order_release);
}

// The slot, its nodes and its chunk go back to the agent.
static void free_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_header *ring = process->ring;
    struct ring_thread *thread = process__thread(process, index);
    settle_thread(process, index);
    forget_name(process, thread->os_id);
    process__stream_end(process, index);
    (void)tree_recycle(&drain->tree, ring, thread); // without memory they stay taken: a leak, no harm
    forget_slot(&process->slots[index]);
    clear_slot(thread);
}

// A flight recorder's ended thread keeps its slot until what it has in the pool is old enough to go.
static bool kept(const struct process *process, uint32_t index)
{
    return process->ring->flags & RING_KEEP_LAST && !process__stream_empty(process, index);
}

static enum clew_error pass_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
    bool whole = *(volatile uint32_t *)&thread->os_id != 0;
    if (state == RING_THREAD_FREE || (state == RING_THREAD_LIVE && !whole)) {
        return CLEW_OK;
    }
    if (state == RING_THREAD_ENDED && !whole) {
        free_thread(process, drain, index); // it found no room for its tree
        return CLEW_OK;
    }
    if (process->slots[index].thread == 0) {
        CLEW_TRY(see_thread(process, drain, index));
    }
    if (state == RING_THREAD_ENDED && !kept(process, index)) {
        CLEW_TRY(close_thread(process, drain, index));
        free_thread(process, drain, index);
        return CLEW_OK;
    }
    return process->ring->flags & RING_KEEP_LAST ? CLEW_OK : process__stream(process, drain, index, false);
}

// -- Passes -----------------------------------------------------------------------------------------------------------

static enum clew_error pass_threads(struct process *process, struct drain *drain)
{
    if (!grow_slots(process)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < process->slot_count; i++) {
        CLEW_TRY(pass_thread(process, drain, i));
    }
    return CLEW_OK;
}

static enum clew_error write_sources(struct process *process, struct drain *drain, uint64_t until_ns)
{
    return sources_write(&process->sources, drain->writer, &drain->stored_sources, drain->session->record.folder,
                         until_ns);
}

static enum clew_error refresh_records(struct process *process, struct drain *drain, uint64_t now_ns)
{
    process->next_record_ns = now_ns + RECORD_EVERY_NS;
    CLEW_TRY(process__record(process, drain, RECORDING_PROCESS_RUNNING, 0));
    return recording_flush(drain->writer);
}

// A program that gave up waiting hears again once somebody drains.
static void tell_progress(struct ring_header *ring)
{
    atomic_fetch_add_explicit(&ring->progress, 1, memory_order_relaxed);
    if (atomic_load_explicit(&ring->collector_gone, memory_order_relaxed)) {
        atomic_store_explicit(&ring->collector_gone, 0, memory_order_release);
    }
}

// Where everything lies stands in memory that a program with a wild pointer can reach: believed only while unchanged.
static bool intact(const struct process *process)
{
    return memcmp(process->ring, &process->layout, offsetof(struct ring_header, collector_pid)) == 0;
}

static enum clew_error tell_damage(struct process *process, struct drain *drain)
{
    process->damaged = true;
    struct recording_note note = {
        .process = process->number,
        .text = text_of("the program wrote over the memory that it shares with clew: its recording ends there"),
    };
    CLEW_TRY(recording_write_note(drain->writer, &note));
    return recording_flush(drain->writer);
}

static enum clew_error pass(struct process *process, struct drain *drain, uint64_t now_ns)
{
    process->busy = false;
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(pass_threads(process, drain));
    if (process->ring->flags & RING_KEEP_LAST) {
        process__discard(process, drain);
    }
    if (now_ns >= process->next_cpu_ns) {
        sample_all(process, now_ns);
    }
    if (now_ns >= process->next_trees_ns) {
        CLEW_TRY(copy_trees(process, drain, now_ns));
    }
    if (now_ns >= process->next_record_ns) {
        CLEW_TRY(refresh_records(process, drain, now_ns));
    }
    if (!process->busy) {
        CLEW_TRY(write_sources(process, drain, clock_monotonic_ns() + SOURCES_FOR_NS));
    }
    tell_progress(process->ring);
    return CLEW_OK;
}

enum clew_error process_drain(struct process *process, struct drain *drain, uint64_t now_ns)
{
    if (process->damaged) {
        return CLEW_OK;
    }
    enum clew_error error = intact(process) ? pass(process, drain, now_ns) : CLEW_MALFORMED;
    return error == CLEW_MALFORMED ? tell_damage(process, drain) : error;
}

static enum clew_error finish_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
    if (state == RING_THREAD_FREE || thread->thread == 0 || thread->root == 0 || thread->recycling) {
        return CLEW_OK;
    }
    if (process->slots[index].thread == 0) {
        CLEW_TRY(see_thread(process, drain, index));
    }
    if (state == RING_THREAD_LIVE) {
        (void)sample_cpu(process, &process->slots[index], thread); // the last thread can still be asked
    }
    CLEW_TRY(close_thread(process, drain, index));
    settle_thread(process, index);
    return CLEW_OK;
}

static enum clew_error finish_threads(struct process *process, struct drain *drain)
{
    if (!grow_slots(process)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < process->slot_count; i++) {
        CLEW_TRY(finish_thread(process, drain, i));
    }
    return CLEW_OK;
}

static enum recording_process_state end_state(const struct process *process, enum recording_process_state state)
{
    uint32_t agent = atomic_load_explicit(&process->ring->agent_state, memory_order_acquire);
    return agent == RING_AGENT_ABSENT ? RECORDING_PROCESS_DORMANT : state;
}

static enum clew_error last_pass(struct process *process, struct drain *drain)
{
    CLEW_TRY(process__definitions(process, drain));
    return finish_threads(process, drain);
}

enum clew_error process_finish(struct process *process, struct drain *drain, enum recording_process_state state,
                               int exit_status)
{
    if (!process->damaged) {
        enum clew_error error = intact(process) ? last_pass(process, drain) : CLEW_MALFORMED;
        CLEW_TRY(error == CLEW_MALFORMED ? tell_damage(process, drain) : error);
    }
    CLEW_TRY(write_sources(process, drain, UINT64_MAX));
    CLEW_TRY(process__record(process, drain, end_state(process, state), exit_status));
    CLEW_TRY(recording_flush(drain->writer));
    process->ring->finished = 1;
    return CLEW_OK;
}

void process_abandon(struct process *process)
{
    atomic_store_explicit(&process->ring->collector_gone, 1, memory_order_release);
    atomic_fetch_add_explicit(&process->ring->room, 1, memory_order_seq_cst); // sleepers look within 10 ms
}

// -- Taking over ------------------------------------------------------------------------------------------------------

// The newest block of the thread's stream in the file: its offset; 0 when it has none.
static uint64_t last_block(struct recording_reader *reader, uint32_t process, uint32_t thread)
{
    const struct recording_block *blocks;
    size_t count;
    if (recording_index(reader, &blocks, &count) != CLEW_OK) {
        return 0;
    }
    while (count-- > 0) {
        if (blocks[count].type == RECORDING_EVENTS && blocks[count].process == process &&
            blocks[count].thread == thread) {
            return blocks[count].offset;
        }
    }
    return 0;
}

static enum clew_error resume_slot(struct process *process, struct drain *drain, struct recording_reader *reader,
                                   uint32_t index)
{
    const struct ring_thread *thread = process__thread(process, index);
    uint64_t offset = last_block(reader, process->number, thread->thread);
    struct recording_record record = {0};
    if (offset) {
        CLEW_TRY(recording_rewind(reader, offset));
        CLEW_TRY(recording_next(reader, 1u << RECORDING_EVENTS, &record));
    }
    return process__stream_resume(process, drain, index, offset ? &record.events : NULL);
}

// A slot that was being given back has its end in the file; its nodes and chunk stay taken.
static void drop_slot(struct process *process, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    clear_slot(thread);
}

enum clew_error process_resume(struct process *process, struct drain *drain, struct recording_reader *reader)
{
    if (!grow_slots(process)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(sources_resume(&process->sources, &drain->stored_sources, reader));
    for (uint32_t i = 0; i < process->slot_count; i++) {
        struct ring_thread *thread = process__thread(process, i);
        uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
        bool whole = *(volatile uint32_t *)&thread->os_id != 0;
        if (state == RING_THREAD_ENDED && thread->recycling) {
            drop_slot(process, i);
        } else if (state != RING_THREAD_FREE && whole && !thread->recycling) {
            CLEW_TRY(see_thread(process, drain, i));
            CLEW_TRY(resume_slot(process, drain, reader, i));
        }
    }
    return CLEW_OK;
}
