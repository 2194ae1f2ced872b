// Threads of a process, slot by slot in the shared memory: when one is first seen, while it runs, and when it has ended
// and its slot goes back to the agent.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "collector/drain/process_parts.h"
#include "ring/publish.h"

// -- Slots ------------------------------------------------------------------------------------------------------------

// How far the agent is with a slot of the shared memory.
enum slot_use {
    SLOT_FREE,
    SLOT_BEGINNING, // a thread is filling it in
    SLOT_GIVEN_UP,  // the thread found no room for its call tree, and records nothing
    SLOT_RUNNING,
    SLOT_ENDED,  // the thread writes no more
    SLOT_BROKEN, // no agent stores this state
};

// The agent stores the OS id last, with release: once it is there, the rest of the slot is complete.
static enum slot_use use_of(const struct process *process, uint32_t index)
{
    const struct ring_thread *thread = process__thread(process, index);
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);
    bool complete = RING_ACQUIRE(thread->os_id) != 0;
    switch (state) {
    case RING_THREAD_FREE:
        return SLOT_FREE;
    case RING_THREAD_LIVE:
        return complete ? SLOT_RUNNING : SLOT_BEGINNING;
    case RING_THREAD_ENDED:
        return complete ? SLOT_ENDED : SLOT_GIVEN_UP;
    default:
        return SLOT_BROKEN;
    }
}

// Only the collector frees a slot, so one that was seen belongs to the same thread until then. False: the program has
// written over it.
static bool is_intact(const struct process *process, uint32_t index, enum slot_use use)
{
    const struct ring_thread *thread = process__thread(process, index);
    const struct slot *slot = &process->slots[index];
    bool same = use != SLOT_FREE && thread->thread == slot->thread && thread->os_id == slot->os_id &&
                !atomic_load_explicit(&thread->recycling, memory_order_relaxed);
    return use != SLOT_BROKEN && (slot->thread == 0 || same);
}

static void forget_slot(struct process *process, struct slot *slot)
{
    stream_state_free(&slot->stream);
    tree_chain_end(&process->chains, &slot->chain);
    cpu_watch_end(&slot->cpu);
    CLEW_ASSERT(!slot->stream.open && !slot->stream.boxes.data && "a forgotten slot owns no memory");
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
    CLEW_ASSERT(used <= RING_THREADS_MAX && process->slot_count < used && "the number of slots only grows");
    memset(slots + process->slot_count, 0, (used - process->slot_count) * sizeof *slots);
    process->slots = slots;
    process->slot_count = used;
    return true;
}

void process__forget_threads(struct process *process)
{
    for (uint32_t i = 0; i < process->slot_count; i++) {
        forget_slot(process, &process->slots[i]);
    }
}

// -- The beginning of a thread ----------------------------------------------------------------------------------------

static enum clew_error see_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    CLEW_ASSERT(index < process->slot_count && slot->thread == 0 && !slot->settled);
    slot->os_id = RING_ACQUIRE(thread->os_id);
    slot->thread = RING_READ_ONCE(thread->thread);
    if (slot->thread == 0) {
        return CLEW_MALFORMED; // an agent stores the thread's number before its OS id
    }
    position_load(process, index);
    slot->followed = slot->position.cells == 0;
    process__cpu_begin(process, drain, index);
    slot->written = true;
    if (!map_put(&process->thread_slots, slot->os_id, index)) {
        return CLEW_NO_MEMORY;
    }
    return process__thread_record(process, drain, index, 0);
}

static enum clew_error see_if_new(struct process *process, struct drain *drain, uint32_t index)
{
    return process->slots[index].thread == 0 ? see_thread(process, drain, index) : CLEW_OK;
}

// -- The end of a thread ----------------------------------------------------------------------------------------------

// Writes the rest of a thread that will not run again. *closed: all of the thread is in the file.
static enum clew_error close_thread(struct process *process, struct drain *drain, uint32_t index, bool *closed)
{
    struct ring_thread *thread = process__thread(process, index);
    uint64_t others = 0;
    atomic_fetch_add(&drain->session->shared->heartbeat, 1); // a program with many threads takes long to end
    if (process__is_gone(process, index)) {
        process__end_awaits(process, index);
    }
    CLEW_TRY(process__stream_rest(process, drain, index, closed));
    if (!*closed) {
        return CLEW_OK;
    }
    CLEW_TRY(process__tree(process, drain, index, &others, true));
    uint64_t ended = drain->session->record.clock == CLOCK_KIND_TSC ? thread->ended_tsc : 0;
    ended = ended ? ended : session_clock(drain->session);
    bool has_tree;
    CLEW_TRY(process__stream_tree(process, drain, index, ended, &has_tree));
    CLEW_TRY(has_tree ? CLEW_OK : process__stream_throws(process, drain, index, ended));
    CLEW_TRY(process__thread_record(process, drain, index, ended));
    return recording_flush(drain->writer);
}

// Adds a thread that is in the file to the sums of the process. The mark comes first: a collector that takes over in
// between misses one thread's sums, but never counts them twice.
static void settle_thread(const struct process *process, uint32_t index)
{
    struct ring_header *ring = process->ring;
    struct ring_thread *thread = process__thread(process, index);
    CLEW_ASSERT(!process->slots[index].settled && "the sums count each thread once");
    atomic_store_explicit(&thread->recycling, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); // the mark is stored before the sums
    ring->past_events += process->slots[index].position.events;
    ring->past_entries += process->slots[index].entries;
    ring->past_lost += process__lost(thread);
    ring->past_paused_ns += thread->paused_ns;
}

// The system may give the OS id of a thread that is gone to another one.
static void forget_name(struct process *process, uint32_t os_id)
{
    uint64_t name;
    if (map_get(&process->thread_names, os_id, &name)) {
        (void)map_put(&process->thread_names, os_id, (uint64_t)(uintptr_t) ""); // replaces: needs no memory
    }
}

// Clears the state last: the agent takes a slot whose state is 0, and expects the rest of it to be clear.
static void clear_slot(struct ring_thread *thread)
{
    const size_t state = offsetof(struct ring_thread, state), after = state + sizeof thread->state;
    static_assert(RING_THREAD_FREE == 0, "a slot of zeroes is free");
    memset(thread, 0, state);
    memset((char *)thread + after, 0, sizeof *thread - after);
    atomic_store_explicit(&thread->state, RING_THREAD_FREE, memory_order_release);
}

// Gives the slot, its nodes and its last chunk back to the agent.
static void free_thread(struct process *process, struct drain *drain, uint32_t index)
{
    struct ring_header *ring = process->ring;
    struct ring_thread *thread = process__thread(process, index);
    settle_thread(process, index);
    forget_name(process, process->slots[index].os_id);
    process__stream_end(process, index);
    (void)tree_recycle(&drain->tree, ring, thread); // without memory the nodes stay taken: a leak, no harm
    forget_slot(process, &process->slots[index]);
    clear_slot(thread);
}

// -- Passes -----------------------------------------------------------------------------------------------------------

// A flight recorder keeps the slot of an ended thread until it has discarded all of the thread's chunks.
static enum clew_error is_kept(const struct process *process, uint32_t index, bool *kept)
{
    bool empty = true;
    if (process->ring->flags & SESSION_KEEP_LAST) {
        CLEW_TRY(process__stream_empty(process, index, &empty));
    }
    *kept = !empty;
    return CLEW_OK;
}

static enum clew_error pass_running(struct process *process, struct drain *drain, uint32_t index)
{
    CLEW_TRY(see_if_new(process, drain, index));
    return process->ring->flags & SESSION_KEEP_LAST ? CLEW_OK : process__stream(process, drain, index);
}

static enum clew_error pass_ended(struct process *process, struct drain *drain, uint32_t index)
{
    bool kept, closed;
    CLEW_TRY(see_if_new(process, drain, index));
    CLEW_TRY(is_kept(process, index, &kept));
    if (kept) {
        chunks_count_last(process, index, true);
        return CLEW_OK;
    }
    CLEW_TRY(close_thread(process, drain, index, &closed));
    if (closed) {
        free_thread(process, drain, index);
    }
    return CLEW_OK;
}

static enum clew_error pass_slot(struct process *process, struct drain *drain, uint32_t index)
{
    enum slot_use use = use_of(process, index);
    if (!is_intact(process, index, use)) {
        return CLEW_MALFORMED;
    }
    switch (use) {
    case SLOT_FREE:
    case SLOT_BEGINNING:
    case SLOT_BROKEN: // is_intact() has refused it
        return CLEW_OK;
    case SLOT_GIVEN_UP:
        free_thread(process, drain, index);
        return CLEW_OK;
    case SLOT_RUNNING:
        return pass_running(process, drain, index);
    case SLOT_ENDED:
        return pass_ended(process, drain, index);
    }
    return CLEW_OK;
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
        CLEW_TRY(pass_slot(process, drain, index));
        process->next_thread = (index + 1) % process->slot_count;
    }
    chunks_wake(process->ring); // even for little room: this pass makes no more
    return CLEW_OK;
}

// -- The end of the process -------------------------------------------------------------------------------------------

// Whether there is a thread to finish. The process may have died while one began, before that stored its OS id.
static enum clew_error has_thread(const struct process *process, uint32_t index, bool *has)
{
    const struct ring_thread *thread = process__thread(process, index);
    enum slot_use use = use_of(process, index);
    *has = use != SLOT_FREE && thread->thread != 0 && thread->root != 0 &&
           !atomic_load_explicit(&thread->recycling, memory_order_relaxed);
    return is_intact(process, index, use) ? CLEW_OK : CLEW_MALFORMED;
}

static enum clew_error finish_thread(struct process *process, struct drain *drain, uint32_t index, bool *closed)
{
    struct ring_thread *thread = process__thread(process, index);
    CLEW_TRY(see_if_new(process, drain, index));
    if (atomic_load_explicit(&thread->state, memory_order_acquire) == RING_THREAD_LIVE) {
        (void)process__cpu_sample(process, index); // /proc still shows the last thread of an unreaped process
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
        tree_chain_end(&process->chains, &process->slots[i].chain); // the part begins with whole trees
        if (process->slots[i].thread && !process->slots[i].settled) {
            CLEW_TRY(process__stream_begin_part(process, drain, i));
        }
    }
    return recording_flush(drain->writer);
}

// -- Taking over ------------------------------------------------------------------------------------------------------

// Blocks get numbers in the order of the file, so the newest block of all threads has the highest. If it cannot be read,
// activations get no numbers from here on, since they might be those of others.
static enum clew_error resume_numbers(struct process *process, const struct drain *drain,
                                      struct recording_reader *reader)
{
    uint64_t offset = recording_newest_events(drain->writer, process->number);
    struct recording_record record = {0};
    if (!offset) {
        return CLEW_OK; // the first number is the process's next already
    }
    enum clew_error error = recording_read(reader, offset, RECORDING_EVENTS, &record);
    if (error != CLEW_OK && error != CLEW_DAMAGED) {
        return error;
    }
    uint64_t next = error == CLEW_OK ? record.events.first_number : 0;
    for (uint32_t i = 0; next > 0 && i < record.events.count; i++) {
        next += record.events.events[i].kind == RECORDING_ENTER;
    }
    process->next_number = next;
    return CLEW_OK;
}

static enum clew_error resume_thread(struct process *process, struct drain *drain, struct recording_reader *reader,
                                     uint32_t index)
{
    CLEW_TRY(see_thread(process, drain, index));
    uint64_t offset = recording_last_events(drain->writer, process->number, process->slots[index].thread);
    struct recording_record record = {0};
    if (offset) {
        CLEW_TRY(recording_read(reader, offset, RECORDING_EVENTS, &record));
    }
    return process__stream_resume(process, drain, index, offset ? &record.events : NULL);
}

enum clew_error process__resume_threads(struct process *process, struct drain *drain, struct recording_reader *reader)
{
    if (!grow_slots(process)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(resume_numbers(process, drain, reader));
    for (uint32_t i = 0; i < process->slot_count; i++) {
        struct ring_thread *thread = process__thread(process, i);
        enum slot_use use = use_of(process, i);
        bool recycling = atomic_load_explicit(&thread->recycling, memory_order_relaxed);
        if (recycling && atomic_load_explicit(&thread->state, memory_order_relaxed) == RING_THREAD_ENDED) {
            // The dead collector was freeing the slot: its end is in the file. Its nodes and its chunk stay taken.
            clear_slot(thread);
        } else if (!recycling && (use == SLOT_RUNNING || use == SLOT_ENDED)) {
            CLEW_TRY(resume_thread(process, drain, reader, i));
        }
    }
    return CLEW_OK;
}
