// See replay_call.h.
#include "view/replay/replay_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

// What is known of a frame of the call's process.
enum mark {
    MARK_SHOWN = 1,      // it belongs, and so does what it calls
    MARK_AFTER = 1 << 1, // what it calls from here on does not belong
    MARK_CALL = 1 << 2,  // it is the call
    MARK_RUN = 1 << 3,   // it is a run of the call's async activation
    MARK_BODY = 1 << 4,  // a run of which the next step tells whether it is a first one
};

enum { KICKOFF_ABOVE = 4 }; // frames between a body and its kick-off: a custom builder's own methods

struct replay_call_thread {
    uint8_t *marks; // by frame
    size_t room;
};

void replay_call_free(struct replay_call *call)
{
    for (uint32_t i = 0; i < call->thread_count; i++) {
        free(call->of_threads[i].marks);
    }
    free(call->of_threads);
    map_free(&call->threads);
    map_free(&call->followed);
    *call = (struct replay_call){0};
}

static bool is_over(const struct replay_call *call)
{
    return call->ended && (!call->serial || call->complete);
}

// Frames that are still open may outlive the call: what has resumed it runs on.
bool replay_call_is_done(const struct replay_call *call)
{
    return call->number && is_over(call) && call->open == 0;
}

// -- Marks ------------------------------------------------------------------------------------------------------------

static struct replay_call_thread *thread_of(struct replay_call *call, uint32_t thread)
{
    uint64_t index;
    if (map_get(&call->threads, thread, &index)) {
        return &call->of_threads[index - 1];
    }
    if (!array_grow(&call->of_threads, call->thread_count, &call->thread_room, sizeof *call->of_threads) ||
        !map_put(&call->threads, thread, call->thread_count + 1)) {
        return NULL;
    }
    call->of_threads[call->thread_count] = (struct replay_call_thread){0};
    return &call->of_threads[call->thread_count++];
}

static bool reach(struct replay_call_thread *thread, size_t index)
{
    size_t before = thread->room;
    while (index >= thread->room) {
        if (!array_grow(&thread->marks, thread->room, &thread->room, 1)) {
            return false;
        }
        memset(thread->marks + before, 0, thread->room - before);
        before = thread->room;
    }
    return true;
}

static size_t index_of(const struct event_step *step, const struct stream_frame *frame)
{
    CLEW_ASSERT(frame >= step->thread->stream.frames);
    return (size_t)(frame - step->thread->stream.frames);
}

// The marks of a frame; none if there is no frame.
static uint8_t marks_of(const struct replay_call_thread *thread, const struct event_step *step,
                        const struct stream_frame *frame)
{
    size_t index = frame ? index_of(step, frame) : SIZE_MAX;
    return index < thread->room ? thread->marks[index] : 0;
}

static bool is_followed(const struct replay_call *call, uint64_t serial)
{
    uint64_t one;
    return serial && map_get(&call->followed, serial, &one);
}

static bool is_body(const struct replay_call *call, uint32_t method)
{
    const struct async_method *found = async_find(call->async, call->process, method);
    return found && found->body == method;
}

// The marks of a run that continues an activation.
static uint8_t marks_of_run(struct replay_call *call, uint64_t serial)
{
    if (!is_followed(call, serial) || is_over(call)) {
        return 0;
    }
    return serial == call->serial ? MARK_SHOWN | MARK_RUN : MARK_SHOWN;
}

// Whether the call is the kick-off of a first run: it is among the frames right below, and no other run is between.
static bool starts(const struct replay_call *call, const struct replay_call_thread *thread,
                   const struct event_step *step, const struct stream_frame *frame)
{
    for (uint32_t i = 0; i < KICKOFF_ABOVE && frame; i++) {
        frame = stream_caller(&step->thread->stream, frame);
        if (!frame || is_body(call, frame->method)) {
            return false;
        }
        if (marks_of(thread, step, frame) & MARK_CALL) {
            return true;
        }
    }
    return false;
}

// The marks of an activation that continues none: those of what has called it.
static uint8_t marks_of_callee(struct replay_call *call, const struct replay_call_thread *thread,
                               const struct event_step *step, const struct stream_frame *frame)
{
    uint8_t caller = marks_of(thread, step, stream_caller(&step->thread->stream, frame));
    if (!(caller & MARK_SHOWN) || caller & MARK_AFTER) {
        return 0;
    }
    bool own = frame->method == call->body && !call->serial && starts(call, thread, step, frame);
    return own ? MARK_SHOWN | MARK_RUN : MARK_SHOWN;
}

// -- Steps ------------------------------------------------------------------------------------------------------------

static uint8_t begin_call(struct replay_call *call, const struct stream_frame *frame)
{
    const struct async_method *method = async_find(call->async, call->process, frame->method);
    call->begun = true;
    call->body = method ? method->body : 0;
    bool run = method && method->body == frame->method;
    return run ? MARK_SHOWN | MARK_CALL | MARK_RUN : MARK_SHOWN | MARK_CALL;
}

static uint8_t begin(struct replay_call *call, const struct replay_call_thread *thread, const struct event_step *step)
{
    const struct stream_frame *frame = step->frame;
    if (!call->begun && frame->call == call->number) {
        return begin_call(call, frame);
    }
    if (frame->serial || step->resumes) {
        return marks_of_run(call, frame->serial ? frame->serial : step->serial);
    }
    if (is_body(call, frame->method) && (frame->joined || !step->next_known)) {
        return frame->joined ? 0 : MARK_BODY; // one that events were lost of may be of another activation
    }
    return marks_of_callee(call, thread, step, frame);
}

// If a beginning left open whether the run is a first one, the thread's next step tells. Returns its frame if it belongs.
static struct stream_frame *settle(struct replay_call *call, const struct replay_call_thread *thread,
                                   const struct event_step *step)
{
    const struct stream *stream = &step->thread->stream;
    struct stream_frame *frame = step->kind == STEP_BEGIN ? stream_caller(stream, step->frame) : step->frame;
    if (!(marks_of(thread, step, frame) & MARK_BODY)) {
        return NULL;
    }
    uint8_t *mark = &thread->marks[index_of(step, frame)];
    *mark = step->kind == STEP_RESUME ? marks_of_run(call, step->serial) : marks_of_callee(call, thread, step, frame);
    call->open += *mark & MARK_SHOWN;
    return *mark & MARK_SHOWN ? frame : NULL;
}

static enum clew_error suspend(struct replay_call *call, uint8_t *mark, const struct event_step *step)
{
    *mark |= MARK_AFTER;
    call->serial = *mark & MARK_RUN && step->serial ? step->serial : call->serial;
    return !step->serial || map_put(&call->followed, step->serial, 1) ? CLEW_OK : CLEW_NO_MEMORY;
}

static void complete(struct replay_call *call, uint8_t *mark, const struct event_step *step)
{
    *mark |= MARK_AFTER;
    call->complete |= (*mark & MARK_RUN) != 0;
    map_remove(&call->followed, step->serial);
}

static void end(struct replay_call *call, uint8_t *mark)
{
    call->ended |= (*mark & MARK_CALL) != 0;
    call->open--;
    *mark = 0;
}

static enum clew_error take_shown(struct replay_call *call, uint8_t *mark, const struct event_step *step)
{
    switch (step->kind) {
    case STEP_SUSPEND:
        return suspend(call, mark, step);
    case STEP_COMPLETE:
        complete(call, mark, step);
        break;
    case STEP_END:
        end(call, mark);
        break;
    default:
        break;
    }
    return CLEW_OK;
}

enum clew_error replay_call_take(struct replay_call *call, const struct event_step *step, bool *shown,
                                 struct stream_frame **late)
{
    bool own = step->thread->process == call->process;
    *late = NULL;
    *shown = !call->number || (own && step->kind == STEP_LOST); // perhaps of the call
    if (*shown || !own || !step->frame) {
        return CLEW_OK;
    }
    struct replay_call_thread *thread = thread_of(call, step->thread->thread);
    size_t index = index_of(step, step->frame);
    if (!thread || !reach(thread, index)) {
        return CLEW_NO_MEMORY;
    }
    *late = settle(call, thread, step);
    if (step->kind == STEP_BEGIN) {
        thread->marks[index] = begin(call, thread, step);
        call->open += thread->marks[index] & MARK_SHOWN;
    }
    *shown = thread->marks[index] & MARK_SHOWN;
    return *shown ? take_shown(call, &thread->marks[index], step) : CLEW_OK;
}

// -- Finding ----------------------------------------------------------------------------------------------------------

// What a search among the steps has found.
struct search {
    const struct async *async;
    uint64_t number; // of the call that is looked for
    uint64_t serial; // of the async activation that is looked for; 0: of the call
    uint64_t first;  // the number of its first run; 0: not found
    uint64_t kickoff, started;
    bool begun, over;
};

// The call that began the activation whose first run this is: of its kick-off, if that is recorded.
static const struct stream_frame *kickoff_of(const struct search *search, const struct event_step *step)
{
    const struct async_method *method = async_find(search->async, step->thread->process, step->frame->method);
    const struct stream_frame *frame = step->frame;
    bool body = method && method->body == step->frame->method && method->kickoff;
    for (uint32_t i = 0; body && frame && i < KICKOFF_ABOVE; i++) {
        frame = stream_caller(&step->thread->stream, frame);
        const struct async_method *other =
            frame ? async_find(search->async, step->thread->process, frame->method) : NULL;
        if (other == method && frame->method == method->kickoff && frame->call) {
            return frame;
        }
        frame = other && other->body == frame->method ? NULL : frame;
    }
    return step->frame;
}

// The first steps of the call itself.
static enum clew_error look_at_call(void *context, const struct event_step *step)
{
    struct search *search = context;
    if (!search->begun && step->kind == STEP_BEGIN && step->frame->call == search->number) {
        const struct stream_frame *kickoff = kickoff_of(search, step);
        search->begun = true;
        search->kickoff = kickoff->call;
        search->started = kickoff->started;
        search->over = step->next_known && !step->resumes;
    } else if (search->begun) {
        search->serial = step->kind == STEP_RESUME ? step->serial : 0;
        search->over = true;
    }
    return CLEW_OK;
}

static enum clew_error look_for_first_run(void *context, const struct event_step *step)
{
    struct search *search = context;
    bool first = step->kind == STEP_SUSPEND && step->serial == search->serial && !step->frame->serial;
    if (first && !step->frame->restated) {
        search->first = step->frame->call;
    }
    search->over |= first;
    return CLEW_OK;
}

static enum clew_error run(struct recording *recording, struct cursor_position at, bool backwards,
                           struct search *search)
{
    struct cursor *cursor;
    const struct cursor_options options = {.process = at.process, .thread = backwards ? 0 : at.thread, .async = true};
    CLEW_TRY(cursor_open(recording, &options, &cursor));
    enum clew_error error = cursor_seek_event(cursor, &at);
    while (error == CLEW_OK && !search->over) {
        error = backwards ? cursor_previous(cursor, 0, look_for_first_run, search)
                          : cursor_next(cursor, UINT64_MAX, look_at_call, search);
    }
    cursor_close(cursor);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

// Finds the call's kick-off, and the serial of the async activation that it continues. *at: its first event.
static enum clew_error find(struct recording *recording, uint32_t process, struct search *search,
                            struct cursor_position *at)
{
    CLEW_TRY(cursor_find_call(recording, process, search->number, at));
    CLEW_TRY(run(recording, *at, false, search));
    return search->begun ? CLEW_OK : CLEW_NOT_FOUND;
}

enum clew_error replay_call_open(struct recording *recording, const struct async *async, uint32_t process,
                                 uint64_t number, struct replay_call *out)
{
    struct search search = {.async = async, .number = number};
    struct cursor_position at;
    CLEW_TRY(find(recording, process, &search, &at));
    if (search.serial) {
        struct search first = {.serial = search.serial};
        CLEW_TRY(run(recording, at, true, &first));
        if (first.first) {
            search = (struct search){.async = async, .number = first.first};
            CLEW_TRY(find(recording, process, &search, &at));
        }
    }
    *out = (struct replay_call){.async = async, .process = process, .number = search.kickoff, .from = search.started};
    return CLEW_OK;
}
