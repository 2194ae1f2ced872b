// See replay_runs.h.
#include "view/replay/replay_runs.h"

#include "base/assert.h"

// What one of the searches looks for, and what it has found.
struct search {
    uint64_t call; // the run
    uint64_t serial;
    uint64_t clock;          // of the beginning of the wait whose ends are looked for
    struct replay_wait wait; // that is looked for
    struct event_step resume, suspend;
    struct cursor_position suspend_at;
    uint32_t body;
    bool resumes, suspends, over;
};

static struct cursor_position position_of(const struct event_step *step)
{
    return (struct cursor_position){step->thread->process, step->thread->thread, step->ordinal};
}

// The run itself: what it continues, and with which wait it ends.
static enum clew_error look_at_run(void *context, const struct event_step *step)
{
    struct search *search = context;
    if (!step->frame || step->frame->call != search->call) {
        return CLEW_OK;
    }
    if (step->kind == STEP_RESUME && step->serial) {
        search->resumes = true;
        search->resume = *step;
    } else if (step->kind == STEP_SUSPEND && step->serial) {
        search->suspends = true;
        search->suspend = *step;
        search->suspend_at = position_of(step);
        search->body = step->frame->method;
    }
    search->over = search->suspends || step->kind == STEP_END;
    return CLEW_OK;
}

// The last run that began to wait at `clock`, up to the one that continues it.
static enum clew_error look_before(void *context, const struct event_step *step)
{
    struct search *search = context;
    if (step->kind == STEP_SUSPEND && step->serial == search->serial && step->clock == search->clock) {
        search->wait = (struct replay_wait){.known = true,
                                            .suspended = step->clock,
                                            .body = step->frame->method,
                                            .state = (uint32_t)step->number,
                                            .call = step->frame->call,
                                            .at = position_of(step)};
    }
    bool itself = step->kind == STEP_RESUME && step->frame->call == search->call;
    search->over = itself || step->clock > search->clock;
    return CLEW_OK;
}

// The next run of the activation: if another wait was lost in between, the clocks say so.
static enum clew_error look_after(void *context, const struct event_step *step)
{
    struct search *search = context;
    if (step->kind == STEP_RESUME && step->serial == search->serial) {
        search->over = true;
        search->wait.known = search->clock + step->number == step->clock;
        search->wait.resumed = search->wait.known ? step->clock : 0;
        search->wait.call = step->frame->call;
        search->wait.at = position_of(step);
    }
    return CLEW_OK;
}

// Moves on until the search is over, for so many events.
static enum clew_error follow(struct cursor *cursor, struct search *search, step_visit *look, uint64_t events,
                              const atomic_bool *cancelled)
{
    enum clew_error error = CLEW_OK;
    for (uint64_t i = 0; error == CLEW_OK && !search->over && i < events && !atomic_load(cancelled); i++) {
        error = cursor_next(cursor, UINT64_MAX, look, search);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

static enum clew_error find_before(struct cursor *cursor, const struct search *run, uint64_t events,
                                   const atomic_bool *cancelled, struct replay_wait *out)
{
    struct search search = {
        .call = run->call, .serial = run->resume.serial, .clock = run->resume.clock - run->resume.number};
    CLEW_TRY(cursor_seek_time(cursor, search.clock));
    CLEW_TRY(follow(cursor, &search, look_before, events, cancelled));
    *out = search.wait;
    out->suspended = search.clock;
    out->resumed = run->resume.clock;
    return CLEW_OK;
}

static enum clew_error find_after(struct cursor *cursor, const struct search *run, uint64_t events,
                                  const atomic_bool *cancelled, struct replay_wait *out)
{
    struct search search = {
        .serial = run->suspend.serial,
        .clock = run->suspend.clock,
        .wait = {.suspended = run->suspend.clock, .body = run->body, .state = (uint32_t)run->suspend.number}};
    CLEW_TRY(cursor_seek_event(cursor, &run->suspend_at));
    CLEW_TRY(follow(cursor, &search, look_after, events, cancelled));
    *out = search.wait;
    return CLEW_OK;
}

static enum clew_error find_run(struct recording *recording, const struct cursor_position *begin, uint64_t events,
                                const atomic_bool *cancelled, struct search *run)
{
    struct cursor *cursor;
    const struct cursor_options options = {.process = begin->process, .thread = begin->thread, .async = true};
    CLEW_TRY(cursor_open(recording, &options, &cursor));
    enum clew_error error = cursor_seek_near(cursor, begin);
    error = error == CLEW_OK ? follow(cursor, run, look_at_run, events, cancelled) : error;
    cursor_close(cursor);
    return error;
}

enum clew_error replay_runs_find(struct recording *recording, uint64_t call, const struct cursor_position *begin,
                                 uint64_t events, const atomic_bool *cancelled, struct replay_runs *out)
{
    struct search run = {.call = call};
    struct cursor *cursor;
    CLEW_ASSERT(call > 0 && "0 is no number");
    *out = (struct replay_runs){0};
    CLEW_TRY(find_run(recording, begin, events, cancelled, &run));
    out->resumed = run.resumes;
    out->waits = run.suspends;
    if (!run.resumes && !run.suspends) {
        return CLEW_OK;
    }
    CLEW_TRY(cursor_open(recording, &(struct cursor_options){.process = begin->process, .async = true}, &cursor));
    enum clew_error error = run.resumes ? find_before(cursor, &run, events, cancelled, &out->before) : CLEW_OK;
    error = error == CLEW_OK && run.suspends ? find_after(cursor, &run, events, cancelled, &out->after) : error;
    cursor_close(cursor);
    return error;
}
