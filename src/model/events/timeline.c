// See timeline.h. A cursor (cursor.h) moves over the events; the ends of the timeline are reported here.
#include "model/events/timeline.h"

#include <stdlib.h>

#include "base/assert.h"

enum place { AT_START, WITHIN, AT_END };

// A thread whose activations are reported at the ends.
struct member {
    uint32_t index;  // of the cursor's threads
    uint64_t offset; // in the file, of its first block that is read
};

// An open timeline.
struct timeline {
    struct timeline_options options;
    struct cursor *cursor;
    enum place place;
    struct member *members; // in the order of `offset`
    uint32_t member_count;
    struct stream_work work;
};

// -- The ends ---------------------------------------------------------------------------------------------------------

static enum clew_error report(const struct timeline *run, enum step_kind kind, uint64_t clock,
                              struct event_thread *thread, struct stream_frame *frame)
{
    const struct event_step step = {
        .kind = kind, .clock = clock, .thread = thread, .frame = frame, .level = frame->level};
    return run->options.step(run->options.context, &step);
}

// With options.borders: reports the activations that run at options.from, outermost first. They began before, so they have had
// no BEGIN step.
static enum clew_error report_running(struct timeline *run)
{
    for (uint32_t i = 0; run->options.borders && i < run->member_count; i++) {
        struct event_thread *thread;
        CLEW_TRY(cursor_thread(run->cursor, run->members[i].index, &thread));
        for (uint32_t frame = 0; frame < thread->stream.depth; frame++) {
            if (!thread->stream.frames[frame].filter) {
                CLEW_TRY(report(run, STEP_BEGIN, run->options.from, thread, &thread->stream.frames[frame]));
            }
        }
    }
    return CLEW_OK;
}

// Reports the activations of a thread that still run at `clock`, innermost first.
static enum clew_error report_open(struct timeline *run, struct event_thread *thread, uint64_t clock)
{
    struct stream *stream = &thread->stream;
    for (uint32_t i = stream->depth; i-- > 0;) {
        if (stream->frames[i].filter) {
            stream_pass_over(stream, &stream->frames[i], clock, &run->work);
        } else {
            CLEW_TRY(report(run, STEP_OPEN, clock, thread, &stream->frames[i]));
        }
    }
    return CLEW_OK;
}

// Reports the activations that still run at the end of the recording, or with options.borders at options.to.
static enum clew_error report_all_open(struct timeline *run)
{
    uint64_t next, from = run->options.borders ? run->options.from : 0;
    enum clew_error error = cursor_clock(run->cursor, false, &next);
    if (error != CLEW_OK && error != CLEW_NOT_FOUND) {
        return error;
    }
    bool ends = error == CLEW_NOT_FOUND;
    for (uint32_t i = 0; (ends || run->options.borders) && i < run->member_count; i++) {
        struct event_thread *thread;
        CLEW_TRY(cursor_thread(run->cursor, run->members[i].index, &thread));
        uint64_t last = thread->stream.last_clock > from ? thread->stream.last_clock : from;
        CLEW_TRY(report_open(run, thread, ends ? last : run->options.to));
        if (thread->stream.filters) {
            cursor_thread_changed(run->cursor, run->members[i].index);
        }
    }
    return CLEW_OK;
}

// -- Moving -----------------------------------------------------------------------------------------------------------

enum clew_error timeline_advance(struct timeline *run)
{
    if (run->place == AT_END) {
        return CLEW_NOT_FOUND;
    }
    if (run->place == AT_START) {
        run->place = WITHIN;
        return report_running(run);
    }
    enum clew_error error = cursor_next(run->cursor, run->options.to, run->options.step, run->options.context);
    if (error != CLEW_NOT_FOUND) {
        return error;
    }
    run->place = AT_END;
    CLEW_TRY(report_all_open(run));
    if (run->options.done) {
        run->options.done(run->options.context);
    }
    return CLEW_OK;
}

enum clew_error timeline_retreat(struct timeline *run)
{
    if (run->place == AT_START) {
        return CLEW_NOT_FOUND;
    }
    if (run->place == AT_END) {
        run->place = WITHIN;
        return report_all_open(run);
    }
    enum clew_error error = cursor_previous(run->cursor, run->options.from, run->options.step, run->options.context);
    if (error != CLEW_NOT_FOUND) {
        return error;
    }
    run->place = AT_START;
    return report_running(run);
}

static enum clew_error seek_start(struct timeline *run)
{
    run->place = AT_START;
    return cursor_seek_time(run->cursor, run->options.from);
}

enum clew_error timeline_seek_time(struct timeline *run, uint64_t clock)
{
    if (clock <= run->options.from) {
        return seek_start(run);
    }
    bool ends = clock > run->options.to || clock == UINT64_MAX;
    run->place = ends ? AT_END : WITHIN;
    if (ends && run->options.to == UINT64_MAX) {
        cursor_seek_end(run->cursor);
        return CLEW_OK;
    }
    return cursor_seek_time(run->cursor, ends ? run->options.to + 1 : clock);
}

enum clew_error timeline_seek_event(struct timeline *run, const struct cursor_position *at)
{
    uint64_t clock;
    enum clew_error error = cursor_seek_event(run->cursor, at);
    error = error == CLEW_OK ? cursor_clock(run->cursor, false, &clock) : error;
    if (error == CLEW_NOT_FOUND || (error == CLEW_OK && (clock < run->options.from || clock > run->options.to))) {
        CLEW_TRY(seek_start(run));
        return CLEW_NOT_FOUND;
    }
    run->place = WITHIN;
    return error;
}

// -- Opening ----------------------------------------------------------------------------------------------------------

void timeline_close(struct timeline *run)
{
    if (!run) {
        return;
    }
    if (run->cursor && run->options.health) {
        const struct recording_health health = cursor_health(run->cursor);
        recording_meet(run->options.health, &health);
    }
    cursor_close(run->cursor);
    free(run->members);
    free(run);
}

// Those before `to`: which of them are after `from` is known once all are listed.
static bool wants(void *context, const struct recording_block *block)
{
    const struct timeline_options *options = context;
    return block->first_clock <= options->to && (!options->wants || options->wants(options->context, block));
}

static int in_file_order(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

// Without `borders`, threads that have no event at options.from or later are not reported.
static enum clew_error choose_members(struct timeline *run)
{
    uint32_t count = cursor_thread_count(run->cursor);
    run->members = calloc((size_t)count + 1, sizeof *run->members);
    if (!run->members) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct member member = {.index = i, .offset = cursor_thread_offset(run->cursor, i)};
        bool goes_on = cursor_ordinal(run->cursor, i) < cursor_event_count(run->cursor, i);
        if (member.offset > 0 && (goes_on || run->options.borders)) {
            run->members[run->member_count++] = member;
        }
    }
    qsort(run->members, run->member_count, sizeof *run->members, in_file_order);
    return CLEW_OK;
}

static enum clew_error start(struct timeline *run, struct recording *recording)
{
    const struct cursor_options options = {.threads = run->options.threads,
                                           .wants = wants,
                                           .context = &run->options,
                                           .states_anew = run->options.states_anew,
                                           .async = run->options.async,
                                           .throws = run->options.throws,
                                           .loaded_wanted = run->options.loaded_wanted};
    CLEW_TRY(cursor_open(recording, &options, &run->cursor));
    CLEW_TRY(seek_start(run));
    return choose_members(run);
}

enum clew_error timeline_open(struct recording *recording, const struct timeline_options *options,
                              struct timeline **out)
{
    struct timeline *run = calloc(1, sizeof *run);
    if (!run) {
        return CLEW_NO_MEMORY;
    }
    run->options = *options;
    enum clew_error error = start(run, recording);
    if (error != CLEW_OK) {
        timeline_close(run);
        return error;
    }
    *out = run;
    return CLEW_OK;
}

enum clew_error timeline_run(struct recording *recording, const struct timeline_options *options)
{
    struct timeline *run;
    CLEW_TRY(timeline_open(recording, options, &run));
    enum clew_error error = timeline_advance(run); // over the start
    error = error == CLEW_OK ? cursor_run(run->cursor, options->to, options->step, options->context) : error;
    error = error == CLEW_OK ? timeline_advance(run) : error; // over the end
    timeline_close(run);
    return error;
}
