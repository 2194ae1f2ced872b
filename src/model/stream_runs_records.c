// See stream_runs_records.h.
#include "model/stream_runs_records.h"

#include "trace/await.h"

enum { KICKOFF_ABOVE_MAX = 4 }; // frames from a body up to its kick-off

// -- Frames -----------------------------------------------------------------------------------------------------------

// How many of the runs are at frames up to `frame`.
static uint32_t runs_up_to(const struct runs_thread *thread, uint32_t frame, uint32_t count)
{
    while (count > 0 && thread->runs[count - 1].frame > frame) {
        count--;
    }
    return count;
}

struct run *runs_at(const struct runs_thread *thread, uint32_t frame, uint32_t count)
{
    count = runs_up_to(thread, frame, count);
    return count && thread->runs[count - 1].frame == frame ? &thread->runs[count - 1] : NULL;
}

uint32_t runs_call(const struct runs *runs, const struct runs_thread *thread, uint32_t frame)
{
    const struct stream *stream = &thread->stream;
    const struct stream_frame *at = &stream->frames[frame];
    const struct async_method *async = async_find(runs->async, runs->process, at->method);
    if (!async || async->kickoff == 0 || async->starts) {
        return 1 + frame;
    }
    for (unsigned level = 0; level < KICKOFF_ABOVE_MAX; level++) {
        at = stream_caller(stream, at);
        if (!at || runs_at(thread, runs_index(stream, at), thread->run_count)) {
            return 0;
        }
        if (at->method == async->kickoff) {
            return 1 + runs_index(stream, at);
        }
    }
    return 0;
}

uint64_t runs_started(const struct runs_thread *thread, const struct run *run)
{
    const struct stream_frame *frame = &thread->stream.frames[run->kickoff ? run->kickoff - 1 : run->frame];
    return run->resumed || run->unknown || frame->joined ? 0 : frame->started;
}

// -- Records ----------------------------------------------------------------------------------------------------------

// Whether the frame is the first of a request, whose tree begins with it.
static bool begins_request(const struct runs *runs, const struct runs_thread *thread, const struct stream_frame *frame)
{
    return runs->choice && thread->marks[runs_index(&thread->stream, frame)].begins;
}

// Returns the path of what has called the run, and sets *caller to the record of the calling activation, if it has one. *count:
// how many methods of runs->chain lie between them. The caller is among the runs that the thread began before this one.
static uint32_t path_of_caller(struct runs *runs, const struct runs_thread *thread, const struct run *run,
                               uint32_t *count, struct activation_ref *caller)
{
    const struct stream *stream = &thread->stream;
    uint32_t below = (uint32_t)(run - thread->runs);
    const struct stream_frame *at = run->kickoff ? &stream->frames[run->kickoff - 1] : NULL;
    while (at && !begins_request(runs, thread, at) && (at = stream_caller(stream, at))) {
        const struct run *outer = runs_at(thread, runs_index(stream, at), below);
        if (outer) {
            const struct activation *calls = activations_get(&runs->activations, outer->activation);
            *caller = calls ? outer->activation : *caller;
            return calls ? calls->path : PATH_UNKNOWN;
        }
        if (*count == RUNS_CHAIN_MAX) {
            return PATH_UNKNOWN;
        }
        runs->chain[(*count)++] = runs_plain_number(at->method);
    }
    return run->kickoff ? PATH_ROOT : PATH_UNKNOWN;
}

// The path of a run, by the synchronous activations between it and the run around it on the stack, which is its caller.
static uint32_t path_of_run(struct runs *runs, const struct runs_thread *thread, const struct run *run,
                            struct activation_ref *caller)
{
    uint32_t count = 0, body = runs_plain_number(thread->stream.frames[run->frame].method);
    bool first = !run->resumed && !run->unknown;
    uint32_t path = first ? path_of_caller(runs, thread, run, &count, caller) : PATH_UNKNOWN;
    while (path != PATH_UNKNOWN && count > 0) {
        path = paths_below(&runs->paths, path, runs->chain[--count]);
    }
    return paths_below(&runs->paths, path, body);
}

static void add_record(struct runs *runs, struct runs_thread *thread, struct run *run)
{
    struct activation_ref caller = {0};
    uint32_t path = path_of_run(runs, thread, run, &caller);
    if (path) {
        run->activation = activations_add(&runs->activations, runs_started(thread, run), path);
    }
    struct activation *added = activations_get(&runs->activations, run->activation);
    if (added) {
        added->run = run->number;
        added->request = run->mark.request;
        added->begins = run->mark.begins;
        activations_link(&runs->activations, run->activation, caller);
    }
}

void runs_need_record(struct runs *runs, struct runs_thread *thread, struct run *run)
{
    uint32_t wanted = (uint32_t)(run - thread->runs), top = wanted;
    for (; top > 0; top--) {
        const struct run *outer = &thread->runs[top - 1];
        if (outer->activation.slot || outer->over || outer->unknown) {
            break;
        }
    }
    for (; top <= wanted; top++) {
        if (!thread->runs[top].activation.slot) {
            add_record(runs, thread, &thread->runs[top]);
        }
    }
}

struct activation_ref runs_named(struct runs *runs, uint64_t serial, uint32_t body)
{
    struct activation_ref found = activations_find(&runs->activations, serial);
    uint32_t path = found.slot ? PATH_NONE : paths_below(&runs->paths, PATH_UNKNOWN, body);
    if (path) {
        found = activations_add(&runs->activations, 0, path);
        if (found.slot && !activations_name(&runs->activations, found, serial)) {
            activations_complete(&runs->activations, found, 0);
            found.slot = 0;
        }
    }
    return found;
}

// -- Beginnings --------------------------------------------------------------------------------------------------------

static uint32_t await_number(struct runs *runs, uint32_t path, uint32_t state)
{
    return METHOD_RESUMED | paths_below(&runs->paths, path, PATH_AWAIT | state);
}

// A run that continues an activation. `event`: the RESUME that says so. NULL: the stack does, and what has happened to the
// activation before is missing, as it is if it has waited once more since its wait that is known.
static void resume(struct runs *runs, uint64_t serial, const struct recording_event *event, uint64_t awaited,
                   uint32_t body, struct run_beginning *out)
{
    out->activation = runs_named(runs, serial, body);
    const struct activation *found = activations_get(&runs->activations, out->activation);
    uint32_t path = found ? found->path : paths_below(&runs->paths, PATH_UNKNOWN, body);
    bool certain = found && found->waits && event && found->wait == event->wait;
    out->number = await_number(runs, path, certain ? found->state : AWAIT_STATES_MAX);
    out->resumed = true;
    out->awaited = awaited;
    if (found) {
        uint64_t now = event ? event->clock : 0;
        uint64_t own = activations_resume(&runs->activations, out->activation, runs->run_count + 1, now);
        out->own_awaited = certain ? own : 0;
    }
}

struct run_beginning runs_begin_body(struct runs *runs, const struct stream_frame *frame, uint32_t body,
                                     const struct recording_event *event, uint64_t number)
{
    struct run_beginning begun = {.number = body};
    if (event && !event->serial && number == RESUME_CONTINUES) {
        begun.number = METHOD_CONTINUED | body;
    } else if (event && !event->serial) {
        begun.number = await_number(runs, paths_below(&runs->paths, PATH_UNKNOWN, body), AWAIT_STATES_MAX);
        begun.resumed = true;
    } else if (event) {
        resume(runs, event->serial, event, number, body, &begun);
    } else if (frame->joined && frame->serial) {
        resume(runs, frame->serial, NULL, 0, body, &begun);
    } else {
        begun.unknown = frame->joined;
    }
    return begun;
}
