// See export_calls.h. The timeline gives the order, and reports what runs at the borders of the range; here beginnings
// without an end and ends without a beginning are left out, and clocks are kept in order.
#include "view/export/export_calls.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/events/timeline.h"
#include "view/replay/replay_async.h"
#include "view/replay/replay_chosen.h"

enum { PROGRESS_STEPS = 1 << 16 };

// A frame's number: these flags, and above them the number of the run that it continues.
enum { FRAME_BEGUN = 1, FRAME_WAITS = 2, FRAME_RUN_SHIFT = 2 };

// A thread: the clock of its last event, and how many activations were begun and not ended.
struct thread {
    uint64_t clock;
    uint64_t open;
};

// One call of export_calls(). A event_thread's `user` is the index + 1 of its struct thread.
struct calls {
    struct export *export;
    const struct export_one_thread *only;
    export_take_event *take;
    void *context;
    struct thread *threads;
    size_t count, room;
    struct replay_async async;
    struct replay_chosen chosen;
    uint64_t clock; // of the step
    uint64_t steps;
};

static struct thread *thread_of(struct calls *calls, struct event_thread *thread)
{
    if (!thread->user) {
        if (!array_grow(&calls->threads, calls->count, &calls->room, sizeof *calls->threads)) {
            return NULL;
        }
        calls->threads[calls->count++] = (struct thread){.clock = calls->export->options->from};
        thread->user = (uint32_t)calls->count;
    }
    return &calls->threads[thread->user - 1];
}

// Of an activation that still runs: the last moment at which its thread is known to have run.
static uint64_t clock_of(const struct calls *calls, const struct event_step *step)
{
    uint64_t to = calls->export->options->to, clock = step->clock;
    if (step->kind == STEP_OPEN) { // in the timeline, ranges end one tick earlier
        clock = clock + 1 < to ? catalog_last_moment(&calls->export->model->catalog, step->thread->process,
                                                     step->thread->thread, clock)
                               : to;
    }
    return clock < to ? clock : to;
}

static void show_progress(struct calls *calls, uint64_t clock)
{
    const struct export_options *options = calls->export->options;
    const struct model *model = calls->export->model;
    uint64_t first = options->from > model->session.started_clock ? options->from : model->session.started_clock;
    uint64_t last = options->to < model->ended_clock ? options->to : model->ended_clock;
    if (options->progress && ++calls->steps % PROGRESS_STEPS == 0 && clock >= first && clock < last) {
        options->progress(options->context, (double)(clock - first) / (double)(last - first));
    }
}

// Fills in an event's activation. False: it is left out, since its beginning was not passed on.
static bool describe(struct calls *calls, const struct event_step *step, struct thread *thread,
                     struct export_event *event)
{
    bool begins = step->kind == STEP_BEGIN;
    if (step->kind == STEP_LOST) {
        event->lost = step->lost;
        return true;
    }
    if (!begins && (step->frame->number == 0 || thread->open == 0)) {
        return false;
    }
    event->method = export_method(calls->export, step->thread->process, step->frame->method);
    event->recorded = step->frame->method;
    event->call = step->frame->call;
    event->resumed = step->frame->number >> FRAME_RUN_SHIFT;
    event->waits = step->frame->number & FRAME_WAITS;
    event->unwound = step->kind == STEP_END && step->how == STREAM_UNWOUND;
    event->cut = begins ? step->frame->joined || step->frame->started < event->clock
                        : step->kind == STEP_OPEN || step->how == STREAM_UNSEEN;
    CLEW_ASSERT(!begins || event->clock >= calls->export->options->from);
    step->frame->number = begins ? FRAME_BEGUN : 0;
    thread->open = begins ? thread->open + 1 : thread->open - 1;
    return true;
}

// Notes in its frame what a run continues, and whether it waits. A run that was not passed on links to none.
static enum clew_error link_run(struct calls *calls, const struct event_step *step)
{
    const struct replay_activation *activation = replay_async_find(&calls->async, step);
    uint64_t *number = &step->frame->number;
    if (*number && step->kind == STEP_SUSPEND) {
        *number |= FRAME_WAITS;
    } else if (*number && step->kind == STEP_RESUME && replay_async_ends_wait(activation, step)) {
        uint64_t flags = *number & (FRAME_BEGUN | FRAME_WAITS);
        *number = activation->run <= UINT64_MAX >> FRAME_RUN_SHIFT ? activation->run << FRAME_RUN_SHIFT | flags : flags;
    }
    return replay_async_note(&calls->async, step) ? CLEW_OK : CLEW_NO_MEMORY;
}

static bool is_link(const struct event_step *step)
{
    return step->kind == STEP_RESUME || step->kind == STEP_SUSPEND || step->kind == STEP_COMPLETE;
}

// Passes on a step of a call that is taken, or of its caller.
static enum clew_error pass(struct calls *calls, const struct event_step *step)
{
    struct thread *thread = thread_of(calls, step->thread);
    if (!thread) {
        return CLEW_NO_MEMORY;
    }
    if (step->kind == STEP_SITE || is_link(step)) {
        return is_link(step) ? link_run(calls, step) : CLEW_OK;
    }
    uint64_t clock = clock_of(calls, step);
    thread->clock = clock > thread->clock ? clock : thread->clock;
    struct export_event event = {.kind = step->kind == STEP_BEGIN  ? EXPORT_BEGIN
                                         : step->kind == STEP_LOST ? EXPORT_LOST
                                                                   : EXPORT_END,
                                 .process = step->thread->process,
                                 .thread = step->thread->thread,
                                 .clock = thread->clock};
    if (!describe(calls, step, thread, &event)) {
        return CLEW_OK;
    }
    return event.method == CATALOG_NONE ? CLEW_NO_MEMORY : calls->take(calls->context, &event);
}

// A caller of chosen calls begins when the first of them does.
static enum clew_error pass_caller(void *context, const struct event_step *step)
{
    struct calls *calls = context;
    struct event_step now = *step;
    now.clock = calls->clock;
    return pass(calls, &now);
}

static enum clew_error take_step(void *context, const struct event_step *step)
{
    struct calls *calls = context;
    enum replay_role role;
    bool told;
    calls->clock = step->clock;
    show_progress(calls, step->clock);
    CLEW_TRY(replay_chosen_take(&calls->chosen, step, &role, &told));
    if (role == REPLAY_LEFT_OUT || (role == REPLAY_CALLER && !told)) {
        return CLEW_OK;
    }
    CLEW_TRY(role == REPLAY_TAKEN ? replay_chosen_tell(&calls->chosen, step, pass_caller, calls) : CLEW_OK);
    return pass(calls, step);
}

enum clew_error export_calls(struct export *export, const struct export_one_thread *only, export_take_event *take,
                             void *context)
{
    const struct export_options *options = export->options;
    struct calls calls = {.export = export, .only = only, .take = take, .context = context};
    const struct model_thread thread = {.process = only ? only->process : 0, .thread = only ? only->thread : 0};
    const struct timeline_options timeline = {.threads = only ? (struct model_threads){&thread, 1} : options->threads,
                                              .from = options->from,
                                              .to = options->to == UINT64_MAX ? UINT64_MAX : options->to - 1,
                                              .borders = true,
                                              .async = true,
                                              .step = take_step,
                                              .context = &calls,
                                              .health = &export->model->health};
    enum clew_error error = replay_chosen_open(&options->choices, &export->model->catalog, &calls.chosen);
    error = error == CLEW_OK ? timeline_run(export->model->recording, &timeline) : error;
    replay_chosen_free(&calls.chosen);
    replay_async_free(&calls.async);
    free(calls.threads);
    return error;
}
