// The life of a recorded process: what each pass does, and in which order its end is written.
#include "collector/drain/process.h"

#include <stdlib.h>
#include <string.h>

#include "collector/drain/process_parts.h"
#include "collector/session/command_line.h"
#include "collector/session/exit_status.h"
#include "ring/segment.h"

#define DOCUMENTS_FOR_NS UINT64_C(2000000)        // time for sources in a pass that has little else to do
#define DOCUMENTS_OF_PART_NS UINT64_C(1000000000) // at the end of a part; threads of the program may wait meanwhile
#define LINES_EVERY_NS UINT64_C(1000000000)       // many methods are compiled meanwhile: symbols are read once for all
#define POINTS_AFTER_NS UINT64_C(1000000000)      // sequence points wait until the program has started
#define RECORD_EVERY_NS UINT64_C(2000000000)

enum clew_error process_new(struct ring_header *ring, struct watch watch, struct text configuration,
                            struct process **out)
{
    struct process *process = calloc(1, sizeof *process);
    if (!process) {
        return CLEW_NO_MEMORY;
    }
    uint64_t now = clock_monotonic_ns();
    CLEW_ASSERT(ring->process > 0 && "the acceptor has numbered the process");
    process->number = ring->process;
    process->next_number = 1;
    process->paths_written = PATH_FIRST;
    process->exceptions_written = 1;
    process->watch = watch;
    process->ring = ring;
    process->command = command_of_process(watch.pid, configuration);
    process->documents = (struct documents){.process = process->number, .pid = watch.pid};
    process->await_lines = (struct await_lines){.process = process->number};
    process->own_numbers = cpu_has_own_numbers(watch.pid);
    process->next_trees_ns = now + PROCESS_TREES_EVERY_NS;
    process->next_cpu_ns = now;
    process->next_record_ns = now;
    process->points_from_ns = now + POINTS_AFTER_NS;
    *out = process;
    return CLEW_OK;
}

void process_free(struct process *process)
{
    process__forget_threads(process);
    watch_end(&process->watch);
    segment_unmap(process->ring);
    free(process->slots);
    tree_chains_free(&process->chains);
    free(process->command);
    free(process->runtime);
    await_lines_free(&process->await_lines);
    module_points_free(&process->points);
    documents_free(&process->documents);
    map_free(&process->thread_names);
    map_free(&process->thread_slots);
    arena_free(&process->texts);
    free(process);
}

// -- Passes -----------------------------------------------------------------------------------------------------------

static struct document_folders folders_of(const struct session *session)
{
    return (struct document_folders){session->record.folder, session->symbols, session->symbol_count, session->sources};
}

static enum clew_error write_documents(struct process *process, struct drain *drain, uint64_t until_ns)
{
    const struct document_folders folders = folders_of(drain->session);
    return documents_write(&process->documents, drain->writer, &drain->contents, &folders, until_ns);
}

// Comes before write_documents(): it finds further documents.
static enum clew_error write_lines(struct process *process, struct drain *drain, uint64_t until_ns)
{
    const struct document_folders folders = folders_of(drain->session);
    process->next_lines_ns = clock_monotonic_ns() + LINES_EVERY_NS;
    return await_lines_write(&process->await_lines, &process->documents, drain->writer, &folders, until_ns);
}

static enum clew_error write_points(struct process *process, struct drain *drain, uint64_t until_ns)
{
    const struct document_folders folders = folders_of(drain->session);
    return module_points_write(&process->points, &drain->points, &process->documents, drain->writer, &folders,
                               until_ns);
}

static enum clew_error refresh_records(struct process *process, struct drain *drain, uint64_t now_ns)
{
    process->next_record_ns = now_ns + RECORD_EVERY_NS;
    CLEW_TRY(process__record(process, drain, PROCESS_RUNNING, EXIT_STATUS_UNKNOWN));
    return recording_flush(drain->writer);
}

enum clew_error process_end_part(struct process *process, struct drain *drain)
{
    uint64_t until_ns = clock_monotonic_ns() + DOCUMENTS_OF_PART_NS;
    CLEW_TRY(write_lines(process, drain, until_ns));
    CLEW_TRY(write_documents(process, drain, until_ns));
    CLEW_TRY(write_points(process, drain, until_ns));
    return process__record(process, drain, PROCESS_RUNNING, EXIT_STATUS_UNKNOWN);
}

// Threads of the program watch `progress` while they wait for room. A collector that took over also clears
// collector_gone, on which threads would lose events at once instead of waiting.
static void report_progress(struct ring_header *ring)
{
    atomic_fetch_add_explicit(&ring->progress, 1, memory_order_relaxed);
    if (atomic_load_explicit(&ring->collector_gone, memory_order_relaxed)) {
        atomic_store_explicit(&ring->collector_gone, 0, memory_order_release);
    }
}

static enum clew_error note_damage(struct process *process, struct drain *drain)
{
    CLEW_ASSERT(!process->damaged && "the damage is noted once");
    process->damaged = true;
    process_abandon(process); // its threads would wait for room in vain
    struct recording_note note = {
        .process = process->number,
        .text = text_of("the program wrote over the memory that it shares with clew: its recording ends there"),
    };
    CLEW_TRY(recording_write_note(drain->writer, &note));
    return recording_flush(drain->writer);
}

static bool is_leaving(const struct process *process)
{
    const struct ring_header *ring = process->ring;
    return ring->flags & SESSION_SELF_STARTED && !process->damaged && !process->end.begun &&
           atomic_load_explicit(&ring->agent_state, memory_order_acquire) == RING_AGENT_SHUTDOWN;
}

// A pass that began before the process announced its end may have missed what came in between.
bool process_may_leave(const struct process *process)
{
    return is_leaving(process) && process->leaving && !process->cut_short;
}

// What else belongs to the file at the end of a process that has announced it.
static enum clew_error complete(struct process *process, struct drain *drain)
{
    uint64_t until_ns = clock_monotonic_ns() + DOCUMENTS_OF_PART_NS;
    CLEW_TRY(process__paths(process, drain));
    CLEW_TRY(write_lines(process, drain, until_ns));
    CLEW_TRY(write_documents(process, drain, until_ns));
    CLEW_TRY(write_points(process, drain, until_ns));
    return process__record(process, drain, PROCESS_ENDED, EXIT_STATUS_UNKNOWN);
}

static enum clew_error pass(struct process *process, struct drain *drain, uint64_t now_ns)
{
    process->busy = process->cut_short = false;
    process->leaving = is_leaving(process);
    process->hurries = process->leaving && !atomic_load_explicit(&process->ring->saved, memory_order_relaxed);
    if (process->hurries) {
        process->next_cpu_ns = process->next_trees_ns = process->next_counters_ns = now_ns;
        process->next_record_ns = now_ns + RECORD_EVERY_NS;
    }
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(process__threads(process, drain));
    if (process->ring->flags & SESSION_KEEP_LAST) {
        CLEW_TRY(process__discard(process, drain));
    }
    if (now_ns >= process->next_cpu_ns) {
        process__sample(process, now_ns);
    }
    if (now_ns >= process->next_trees_ns) {
        CLEW_TRY(process__trees(process, drain, now_ns));
    }
    if (now_ns >= process->next_counters_ns) {
        CLEW_TRY(process__counters(process, drain, now_ns));
    }
    if (now_ns >= process->next_record_ns) {
        CLEW_TRY(refresh_records(process, drain, now_ns));
    }
    if (!process->busy) {
        uint64_t until_ns = clock_monotonic_ns() + DOCUMENTS_FOR_NS;
        CLEW_TRY(now_ns >= process->next_lines_ns ? write_lines(process, drain, until_ns) : CLEW_OK);
        CLEW_TRY(write_documents(process, drain, until_ns));
        bool points = now_ns >= process->points_from_ns && documents_all_written(&process->documents);
        CLEW_TRY(points ? write_points(process, drain, until_ns) : CLEW_OK);
    }
    report_progress(process->ring);
    return process->hurries && !process->cut_short ? complete(process, drain) : CLEW_OK;
}

// Turns damage to the segment into a note; other errors pass. UNSUPPORTED comes from the writer, for values that no
// recording may contain.
static enum clew_error judge(struct process *process, struct drain *drain, enum clew_error error)
{
    return error == CLEW_MALFORMED || error == CLEW_UNSUPPORTED ? note_damage(process, drain) : error;
}

// Whether nobody but agent and collector has written to what leads through the segment, as far as that can be told.
static bool is_intact(const struct process *process)
{
    return segment_intact(process->ring) && chunks_are_counted(process->ring);
}

enum clew_error process_drain(struct process *process, struct drain *drain, uint64_t now_ns)
{
    if (process->damaged) {
        return CLEW_OK;
    }
    CLEW_ASSERT(!process->end.begun && "an ended process is finished, not drained");
    bool intact = is_intact(process);
    return judge(process, drain, intact ? pass(process, drain, now_ns) : CLEW_MALFORMED);
}

// A process whose agent never mapped the segment, or had no room for it, is dormant, however it ended.
static enum process_state end_state(const struct process *process, enum process_state state)
{
    uint32_t agent = atomic_load_explicit(&process->ring->agent_state, memory_order_acquire);
    return agent == RING_AGENT_ABSENT || agent == RING_AGENT_NO_ROOM ? PROCESS_DORMANT : state;
}

// A program may end before the flight recorder has discarded all of its old chunks. *done: now it has.
static enum clew_error discard_rest(struct process *process, struct drain *drain, bool *done)
{
    if (process->ring->flags & SESSION_KEEP_LAST && !process->end.discarded) {
        process->cut_short = false;
        CLEW_TRY(process__discard(process, drain));
        process->end.discarded = !process->cut_short;
        process->cut_short = true;
    }
    *done = !(process->ring->flags & SESSION_KEEP_LAST) || process->end.discarded;
    return CLEW_OK;
}

// A flight recorder first discards what it does not keep, and describes objects before the events that refer to them.
// Each step may take several passes.
static enum clew_error drain_all(struct process *process, struct drain *drain)
{
    bool closed, discarded;
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(discard_rest(process, drain, &discarded));
    if (!discarded) {
        return CLEW_OK;
    }
    if (process->ring->flags & SESSION_KEEP_LAST && !process->end.described) {
        CLEW_TRY(process__describe_kept(process, drain));
        process->end.described = true;
    }
    CLEW_TRY(process__finish_threads(process, drain, &closed));
    if (!closed) {
        return CLEW_OK;
    }
    CLEW_TRY(process__paths(process, drain));
    CLEW_TRY(process__throws_outside(process, drain));
    CLEW_TRY(process__counters(process, drain, clock_monotonic_ns()));
    CLEW_TRY(process__note_missed_lines(process, drain));
    CLEW_TRY(process__note_slow_samples(process, drain));
    CLEW_ASSERT(!process->end.drained);
    process->end.drained = true;
    return CLEW_OK;
}

void process_begin_end(struct process *process, enum process_state state, int exit_status)
{
    if (!process->end.begun) {
        process->end = (struct process_end){.begun = true, .state = state, .exit_status = exit_status};
    }
}

enum clew_error process_finish(struct process *process, struct drain *drain, bool *done)
{
    CLEW_ASSERT(process->end.begun && "a process ends before it is finished");
    *done = false;
    process->cut_short = true;
    if (!process->damaged && !process->end.drained) {
        bool intact = is_intact(process);
        CLEW_TRY(judge(process, drain, intact ? drain_all(process, drain) : CLEW_MALFORMED));
    }
    if (!process->damaged && !process->end.drained) {
        return CLEW_OK;
    }
    CLEW_TRY(write_lines(process, drain, drain->until_ns));
    if (!await_lines_all_written(&process->await_lines)) {
        return CLEW_OK;
    }
    CLEW_TRY(write_documents(process, drain, drain->until_ns));
    if (!documents_all_written(&process->documents)) {
        return CLEW_OK;
    }
    CLEW_TRY(write_points(process, drain, drain->until_ns));
    if (!module_points_all_written(&process->points)) {
        return CLEW_OK;
    }
    CLEW_TRY(process__record(process, drain, end_state(process, process->end.state), process->end.exit_status));
    CLEW_TRY(recording_flush(drain->writer));
    atomic_store_explicit(&process->ring->finished, RING_FINISHED_WRITTEN, memory_order_release);
    *done = true;
    return CLEW_OK;
}

void process_abandon(struct process *process)
{
    atomic_store_explicit(&process->ring->collector_gone, 1, memory_order_release);
    atomic_fetch_add_explicit(&process->ring->room, 1, memory_order_seq_cst); // threads look at it every 10 ms
}

// -- Taking over ------------------------------------------------------------------------------------------------------

enum clew_error process_resume(struct process *process, struct drain *drain, struct recording_reader *reader)
{
    CLEW_ASSERT(process->slot_count == 0 && process->definitions_read == 0 && "a takeover comes before the first pass");
    process->definitions_read = atomic_load_explicit(&process->ring->definitions_read, memory_order_relaxed);
    bool intact = is_intact(process);
    return judge(process, drain, intact ? process__resume_threads(process, drain, reader) : CLEW_MALFORMED);
}
