// Takes over the processes of a collector that died: maps their segments again, and continues each one behind its last
// block in the file.
#include <stdio.h>
#include <unistd.h>

#include "collector/collect/collecting.h"
#include "recording/reader.h"

// Makes one pass over the file for all processes and threads together.
static enum clew_error resume_processes(struct collector *collector)
{
    struct drain *drain = &collector->drain;
    struct recording_reader *reader;
    struct map documents = {0}, await_lines = {0}, points = {0};
    CLEW_TRY(recording_open_reader(collector->session->path, &reader));
    atomic_store(&collector->session->shared->part, recording_session(recording_of(reader))->part);
    enum clew_error error = CLEW_OK;
    for (struct process *at = collector__first(collector); at && error == CLEW_OK;
         at = collector__next(collector, at)) {
        bool added = map_put(&documents, at->number, (uint64_t)(uintptr_t)&at->documents) &&
                     map_put(&await_lines, at->number, (uint64_t)(uintptr_t)&at->await_lines) &&
                     map_put(&points, at->number, (uint64_t)(uintptr_t)&at->points);
        error = added ? process_resume(at, drain, reader) : CLEW_NO_MEMORY;
    }
    error = error == CLEW_OK ? documents_resume(&documents, &drain->contents, reader) : error;
    error = error == CLEW_OK ? await_lines_resume(&await_lines, reader) : error;
    error = error == CLEW_OK ? module_points_resume(&points, &drain->points, reader) : error;
    map_free(&documents);
    map_free(&await_lines);
    map_free(&points);
    recording_close_reader(reader);
    return error;
}

// The dead collector has checked this segment, but the program may have written over it since. MALFORMED: it has.
static enum clew_error map_segment(struct collector *collector, const struct held_segment *held,
                                   struct ring_header **ring)
{
    const struct ring_options options = collector__segment_options(collector->session);
    CLEW_TRY(held->segment >= 0 ? segment_adopt(held->segment, &options, ring) : CLEW_IO);
    (*ring)->collector_pid = getpid();
    if ((*ring)->process == held->process) {
        return CLEW_OK;
    }
    struct session_totals totals = session_totals(collector->session->shared);
    totals.incomplete = true;
    session_set_totals(collector->session->shared, totals);
    atomic_fetch_add(&collector->session->shared->overwritten, 1);
    atomic_store(&(*ring)->collector_gone, 1);
    segment_unmap(*ring);
    return CLEW_MALFORMED;
}

// *finished is how far the dead collector has come with the end of the process. A process that it had finished is only
// added to the session's totals, if that is still to be done.
static enum clew_error adopt(struct collector *collector, struct held_segment *held, enum ring_finished *finished)
{
    struct ring_header *ring;
    struct process *process;
    CLEW_TRY(map_segment(collector, held, &ring));
    CLEW_TRY(collector__add(collector, ring, watch_resume(held->pid, held->started), &process));
    *finished = (enum ring_finished)atomic_load_explicit(&ring->finished, memory_order_acquire);
    if (*finished == RING_FINISHED_NO) {
        return CLEW_OK;
    }
    // It may have died after storing the totals and before storing RING_FINISHED_SUMMED.
    if (*finished == RING_FINISHED_WRITTEN && session_totals(collector->session->shared).process != process->number) {
        collector__settle(collector, process);
    }
    collector__unlink(collector, process);
    process_free(process);
    return CLEW_OK;
}

static enum clew_error note_missing(struct collector *collector, uint32_t missing)
{
    char text[160];
    (void)snprintf(text, sizeof text,
                   "clew did not hold the memory of %u process%s when the collector ended (limit of open files): "
                   "events that were not in the file by then are lost",
                   missing, missing == 1 ? "" : "es");
    return recording_write_note(collector->drain.writer, &(struct recording_note){.text = text_of(text)});
}

// How many of the `given` numbered processes are neither in the totals nor among those whose segment the CLI held. A
// finished process is in the totals even if the CLI never learned of it.
static uint32_t count_missing(const struct collector *collector, uint32_t given, uint32_t known)
{
    uint32_t summed = session_totals(collector->session->shared).processes;
    return summed + known < given ? given - summed - known : 0;
}

void collector_adopt(struct collector *collector, struct held_segments *segments, uint32_t given)
{
    uint32_t known = 0; // processes with a segment that are not in the totals
    for (size_t i = 0; i < segments->count; i++) {
        enum ring_finished finished = RING_FINISHED_NO;
        enum clew_error error = adopt(collector, &segments->of[i], &finished);
        known += error == CLEW_MALFORMED || (error == CLEW_OK && finished == RING_FINISHED_NO);
    }
    held_segments_free(segments);
    uint32_t missing = count_missing(collector, given, known);
    atomic_store(&collector->session->shared->missing, missing);
    if (missing) {
        collector__fail(collector, note_missing(collector, missing));
    }
    collector__fail(collector, resume_processes(collector));
}
