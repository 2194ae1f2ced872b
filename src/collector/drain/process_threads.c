// Threads of a process: seen, sampled, their trees copied, and when they have ended closed and given back.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

enum {
    CPU_EVERY_NS = 10 * 1000 * 1000,
    PART_OF_TIME = 50, // sampling and copying may take one part in so many of the time
};

// -- Slots ------------------------------------------------------------------------------------------------------------

static void forget_slot(struct slot *slot)
{
    stream_state_free(&slot->stream);
    cpu_watch_end(&slot->cpu);
    CLEW_ASSERT(!slot->stream.open && !slot->stream.boxes.data && "nothing hangs on it any more");
    *slot = (struct slot){0};
}

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
    CLEW_ASSERT(used <= RING_THREADS_MAX && process->slot_count < used && "slots are never taken away");
    memset(slots + process->slot_count, 0, (used - process->slot_count) * sizeof *slots);
    process->slots = slots;
    process->slot_count = used;
    return true;
}

void process__forget_threads(struct process *process)
{
    for (uint32_t i = 0; i < process->slot_count; i++) {
        forget_slot(&process->slots[i]);
    }
}

// -- Records ----------------------------------------------------------------------------------------------------------

// -- CPU time ---------------------------------------------------------------------------------------------------------

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
    CLEW_ASSERT(index < process->slot_count && slot->thread == 0 && !slot->settled);
    slot->thread = *(volatile uint32_t *)&thread->thread;
    slot->os_id = *(volatile uint32_t *)&thread->os_id;
    if (slot->thread == 0) {
        return CLEW_MALFORMED; // an agent numbers a thread before it gives its OS id
    }
    process__stream_begin(process, index);
    cpu_watch_begin(&slot->cpu, process->watch.pid, (pid_t)slot->os_id, process->own_numbers);
    uint64_t total_ns;
    if (thread->cpu_ns == 0 && cpu_read(&slot->cpu, &total_ns)) {
        first_cpu(drain, thread, total_ns);
    }
    slot->written = true;
    if (!map_put(&process->thread_slots, slot->os_id, index)) {
        return CLEW_NO_MEMORY;
    }
    return process__thread_record(process, drain, index, 0);
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
    CLEW_ASSERT(user_ns + kernel_ns == total_ns - thread->cpu_ns && "a split loses nothing");
    thread->cpu_ns = total_ns;
    thread->cpu_user_ns += user_ns;
    thread->cpu_kernel_ns += kernel_ns;
    uint32_t node = tree_stands_for(process->ring, thread->root, *(volatile uint32_t *)&thread->current);
    if (node < process->ring->nodes_max) {
        ring_node_cpus(process->ring)[node].user_ns += user_ns;
        ring_node_cpus(process->ring)[node].kernel_ns += kernel_ns;
    }
    return true;
}

static uint64_t own_cpu_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); // cannot fail
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void process__sample(struct process *process, uint64_t now_ns)
{
    uint64_t before_ns = own_cpu_ns();
    for (uint32_t i = 0; i < process->slot_count; i++) {
        struct ring_thread *thread = process__thread(process, i);
        uint32_t live = RING_THREAD_LIVE;
        if (process->slots[i].thread && atomic_load_explicit(&thread->state, memory_order_acquire) == live &&
            !sample_cpu(process, &process->slots[i], thread)) {
            // Gone without a word: nobody writes to this slot any more.
            (void)atomic_compare_exchange_strong(&thread->state, &live, RING_THREAD_ENDED);
        }
    }
    uint64_t cost = own_cpu_ns() - before_ns;
    process->slowest_sample_ns = cost > process->slowest_sample_ns ? cost : process->slowest_sample_ns;
    process->next_cpu_ns = now_ns + (cost * PART_OF_TIME > CPU_EVERY_NS ? cost * PART_OF_TIME : CPU_EVERY_NS);
}

enum clew_error process__tell_slow_samples(struct process *process, struct drain *drain)
{
    enum { MS = 1000 * 1000 };
    uint64_t slowest = process->slowest_sample_ns;
    char text[160];
    if (slowest <= CPU_EVERY_NS) {
        return CLEW_OK;
    }
    (void)snprintf(
        text, sizeof text,
        "CPU times are coarse: reading those of all threads took up to %llu ms, so they were read only every "
        "%llu ms then",
        (unsigned long long)(slowest / MS), (unsigned long long)(slowest * PART_OF_TIME / MS));
    return recording_write_note(drain->writer,
                                &(struct recording_note){.process = process->number, .text = text_of(text)});
}

// -- Trees ------------------------------------------------------------------------------------------------------------

// *others counts the nodes of the trees that were copied right before: no node is in two.
static enum clew_error write_tree(struct process *process, struct drain *drain, uint32_t index, uint64_t *others,
                                  bool final)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    if (!(process->ring->instruments & INSTRUMENT_TREE)) {
        return CLEW_OK;
    }
    uint64_t now = session_clock(drain->session);
    CLEW_TRY(tree_copy(&drain->tree, process->ring, thread->root, *others, now));
    CLEW_ASSERT(drain->tree.count > 0 && drain->tree.count <= drain->tree.visited && "a tree has its root");
    *others += drain->tree.visited;
    slot->entries = drain->tree.entries;
    slot->copied = true;
    slot->copied_cpu_ns = thread->cpu_ns;
    struct recording_tree tree = {
        .process = process->number,
        .thread = slot->thread,
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

enum clew_error process__trees(struct process *process, struct drain *drain, uint64_t now_ns)
{
    uint64_t others = 0;
    for (uint32_t i = 0; i < process->slot_count; i++) {
        if (process->slots[i].thread && changed(process, i)) {
            CLEW_TRY(write_tree(process, drain, i, &others, false));
        }
    }
    uint64_t cost = clock_monotonic_ns() - now_ns;
    process->next_trees_ns =
        now_ns + (cost * PART_OF_TIME > PROCESS_TREES_EVERY_NS ? cost * PART_OF_TIME : PROCESS_TREES_EVERY_NS);
    return CLEW_OK;
}

// -- The end of a thread ----------------------------------------------------------------------------------------------

// Everything of a thread that will not run again. *closed: all of it is written.
static enum clew_error close_thread(struct process *process, struct drain *drain, uint32_t index, bool *closed)
{
    struct ring_thread *thread = process__thread(process, index);
    uint64_t others = 0;
    atomic_fetch_add(&drain->session->shared->beat, 1); // the end of a large program takes its time
    CLEW_TRY(process__stream_rest(process, drain, index, closed));
    if (!*closed) {
        return CLEW_OK;
    }
    CLEW_TRY(write_tree(process, drain, index, &others, true));
    uint64_t ended = drain->session->record.clock == CLOCK_KIND_TSC ? thread->ended_tsc : 0;
    CLEW_TRY(process__thread_record(process, drain, index, ended ? ended : session_clock(drain->session)));
    return recording_flush(drain->writer);
}

// What went into the file of a thread becomes part of the process's sums. Marked first: a collector that takes over in
// between rather misses a thread's sums than counts them twice.
static void settle_thread(const struct process *process, uint32_t index)
{
    struct ring_header *ring = process->ring;
    struct ring_thread *thread = process__thread(process, index);
    CLEW_ASSERT(!process->slots[index].settled && "sums have each thread once");
    *(volatile uint64_t *)&thread->recycling = 1;
    ring->past_events += process->slots[index].place.events;
    ring->past_entries += process->slots[index].entries;
    ring->past_lost += process__lost(thread);
    ring->past_paused_ns += thread->paused_ns;
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
    static_assert(RING_THREAD_FREE == 0, "a slot of zeroes is free");
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
    forget_name(process, process->slots[index].os_id);
    process__stream_end(process, index);
    (void)tree_recycle(&drain->tree, ring, thread); // without memory they stay taken: a leak, no harm
    forget_slot(&process->slots[index]);
    clear_slot(thread);
}

// -- Passes -----------------------------------------------------------------------------------------------------------

// A flight recorder's ended thread keeps its slot until what it has in the pool is old enough to go.
static enum clew_error is_kept(const struct process *process, uint32_t index, bool *kept)
{
    bool empty = true;
    if (process->ring->flags & RING_KEEP_LAST) {
        CLEW_TRY(process__stream_empty(process, index, &empty));
    }
    *kept = !empty;
    return CLEW_OK;
}

// Whether a slot that was seen before still is the same thread's: only the collector gives a slot back.
static bool holds(const struct process *process, uint32_t index, uint32_t state)
{
    const struct ring_thread *thread = process__thread(process, index);
    const struct slot *slot = &process->slots[index];
    bool same = state != RING_THREAD_FREE && thread->thread == slot->thread && thread->os_id == slot->os_id &&
                !thread->recycling;
    return state <= RING_THREAD_ENDED && (slot->thread == 0 || same);
}

static enum clew_error pass_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
    bool whole = *(volatile uint32_t *)&thread->os_id != 0, kept = false;
    if (!holds(process, index, state)) {
        return CLEW_MALFORMED;
    }
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
    CLEW_TRY(state == RING_THREAD_ENDED ? is_kept(process, index, &kept) : CLEW_OK);
    if (state == RING_THREAD_ENDED && !kept) {
        bool closed;
        CLEW_TRY(close_thread(process, drain, index, &closed));
        if (closed) {
            free_thread(process, drain, index);
        }
        return CLEW_OK;
    }
    if (state == RING_THREAD_ENDED) {
        process__stream_keeps_last(process, index, true);
    }
    return process->ring->flags & RING_KEEP_LAST ? CLEW_OK : process__stream(process, drain, index);
}

enum clew_error process__threads(struct process *process, struct drain *drain)
{
    if (!grow_slots(process)) {
        return CLEW_NO_MEMORY;
    }
    uint32_t first = process->next_thread;
    CLEW_ASSERT(first == 0 || first < process->slot_count);
    for (uint32_t i = 0; i < process->slot_count && !process->cut_short; i++) {
        uint32_t index = (first + i) % process->slot_count;
        CLEW_TRY(pass_thread(process, drain, index));
        process->next_thread = (index + 1) % process->slot_count;
    }
    process__wake(process);
    return CLEW_OK;
}

// Whether the slot is a thread's. MALFORMED: not the one's that was seen there.
static enum clew_error has_thread(const struct process *process, uint32_t index, bool *has)
{
    const struct ring_thread *thread = process__thread(process, index);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
    *has = state != RING_THREAD_FREE && thread->thread != 0 && thread->root != 0 && !thread->recycling;
    return holds(process, index, state) ? CLEW_OK : CLEW_MALFORMED;
}

static enum clew_error finish_thread(struct process *process, struct drain *drain, uint32_t index, bool *closed)
{
    struct ring_thread *thread = process__thread(process, index);
    if (process->slots[index].thread == 0) {
        CLEW_TRY(see_thread(process, drain, index));
    }
    if (atomic_load_explicit(&thread->state, memory_order_acquire) == RING_THREAD_LIVE) {
        (void)sample_cpu(process, &process->slots[index], thread); // the last thread can still be asked
    }
    CLEW_ASSERT(process->end.begun);
    CLEW_TRY(close_thread(process, drain, index, closed));
    if (*closed) {
        settle_thread(process, index);
        process->slots[index].settled = true;
    }
    return CLEW_OK;
}

enum clew_error process__finish_threads(struct process *process, struct drain *drain, bool *closed)
{
    if (!grow_slots(process)) {
        return CLEW_NO_MEMORY;
    }
    bool in_time = true, has;
    *closed = true;
    for (uint32_t i = 0; i < process->slot_count && *closed; i++) {
        if (process->slots[i].settled) {
            continue;
        }
        CLEW_TRY(has_thread(process, i, &has));
        if (has) {
            *closed = in_time;
            CLEW_TRY(in_time ? finish_thread(process, drain, i, closed) : CLEW_OK);
            in_time = !process__time_is_up(drain);
        }
    }
    return CLEW_OK;
}

enum clew_error process_begin_part(struct process *process, struct drain *drain)
{
    for (uint32_t i = 0; i < process->slot_count && !process->damaged; i++) {
        if (process->slots[i].thread && !process->slots[i].settled) {
            CLEW_TRY(process__stream_begin_part(process, drain, i));
        }
    }
    return recording_flush(drain->writer);
}

// -- Taking over ------------------------------------------------------------------------------------------------------

static enum clew_error resume_slot(struct process *process, struct drain *drain, struct recording_reader *reader,
                                   uint32_t index)
{
    uint64_t offset = recording_last_events(drain->writer, process->number, process->slots[index].thread);
    struct recording_record record = {0};
    if (offset) {
        CLEW_TRY(recording_read(reader, offset, RECORDING_EVENTS, &record));
    }
    return process__stream_resume(process, drain, index, offset ? &record.events : NULL);
}

// A slot that was being given back has its end in the file; its nodes and chunk stay taken.
static void drop_slot(struct process *process, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    clear_slot(thread);
}

enum clew_error process__resume_threads(struct process *process, struct drain *drain, struct recording_reader *reader)
{
    if (!grow_slots(process)) {
        return CLEW_NO_MEMORY;
    }
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
