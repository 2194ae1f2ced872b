// Format json: one object per line and event. doc/json.md defines it.
#include "base/assert.h"
#include "view/json/json_rows.h"
#include "view/replay/replay_format.h"
#include "view/replay/replay_json_site.h"

// The first line describes the session, so that a reader knows the clock before the first event.
static void head(struct replay_context *context)
{
    struct json json = {.out = context->view->out};
    json_open(&json, '{');
    json_member_text(&json, "event", text_of("session"));
    json_session(&json, context->model);
    json_close(&json, '}');
    (void)fputc('\n', context->view->out);
}

// The member `event`.
static const char *event_name(const struct event_step *step)
{
    static const char *const ends[] = {"leave", "unwind", "cut"};
    static_assert(sizeof ends / sizeof *ends == STREAM_UNSEEN + 1, "a name for each end");
    switch (step->kind) {
    case STEP_BEGIN:
        return step->frame->joined ? "running" : "enter";
    case STEP_END:
        return ends[step->how];
    case STEP_OPEN:
        return "open";
    case STEP_LOST:
        return "lost";
    case STEP_RESUME:
        return "resumes";
    case STEP_SUSPEND:
        return "awaits";
    case STEP_COMPLETE:
        return "completes";
    case STEP_THROWN:
        return "thrown";
    case STEP_CAUGHT:
        return "caught";
    case STEP_SITE:
        break;
    }
    return "site"; // printed by replay_json_site.c
}

// A beginning is printed before its duration is known, so --min-time affects only ends.
static bool is_left_out(const struct replay_context *context, const struct event_step *step)
{
    bool ended = step->kind == STEP_END || step->kind == STEP_OPEN;
    return context->hidden || replay_too_deep(context, step) ||
           (ended && stream_time(step->frame, step->clock) < context->min_time);
}

// The members of the place where an async activation waits.
static void write_place(struct json *json, const struct replay_context *replay, uint32_t process, uint32_t body,
                        uint64_t state)
{
    struct wait place = waits_place(replay->model, process, body, state <= UINT32_MAX ? (uint32_t)state : UINT32_MAX);
    json_member_text_maybe(json, "what", place.what);
    json_member_text_maybe(json, "file", place.document ? place.document->path : (struct text){0});
    json_member_maybe(json, "line", place.line, place.line > 0);
}

// The members of a RESUME, SUSPEND or COMPLETE step.
static void write_async(struct json *json, const struct replay_context *replay, const struct event_step *step)
{
    static const char *const hows[] = {"completed", "faulted", "cancelled"};
    const struct replay_activation *activation = replay_async_find(&replay->async, step);
    uint64_t first = activation ? activation->call : 0;
    json_member_maybe(json, "serial", step->serial, step->serial > 0);
    json_member_maybe(json, "first_call", first, first > 0);
    if (step->kind == STEP_SUSPEND) {
        write_place(json, replay, step->thread->process, step->frame->method, step->number);
    } else if (step->kind == STEP_COMPLETE) {
        json_member_text_maybe(json, "how", text_of(step->number <= RUN_CANCELLED ? hows[step->number] : ""));
    } else {
        json_ticks(json, replay->model, "awaiting_ns", step->number, step->serial > 0);
        if (replay_async_ends_wait(activation, step)) {
            json_member_u64(json, "awaited_on", activation->thread);
            write_place(json, replay, activation->process, activation->body, activation->state);
        }
    }
}

static bool is_throw(const struct event_step *step)
{
    return step->kind == STEP_THROWN || step->kind == STEP_CAUGHT;
}

// The members of a THROWN or CAUGHT step.
static void write_throw(struct json *json, struct replay_context *replay, const struct event_step *step)
{
    struct replay_exception exception = {0};
    (void)replay_exception(replay, step, &exception); // without memory its type is not known
    json_member_text_maybe(json, "type", exception.type);
    if (exception.has_message) {
        json_member_text(json, "message", exception.message);
    } else {
        json_member_text_maybe(json, "message", (struct text){0});
    }
    json_member_maybe(json, "message_length", exception.length, exception.has_message);
    json_member_bool(json, "below", exception.below);
}

// The members of a call's step, or of lost events.
static void write_call(struct json *json, struct replay_context *replay, const struct event_step *step)
{
    json_member_text(json, "event", text_of(event_name(step)));
    json_member_maybe(json, "time_ns", model_since_start_ns(replay->model, step->clock),
                      model_has_times(replay->model));
    json_member_u64(json, "process", step->thread->process);
    json_member_u64(json, "thread", step->thread->thread);
    if (step->kind == STEP_LOST) {
        json_member_u64(json, "count", step->lost);
    } else if (step->frame) {
        json_member_u64(json, "depth", step->level);
        json_member_text(json, "method", replay_name(replay, step));
        json_member_u64(json, "id", step->frame->method);
        replay_json_call(json, step);
    }
    if (replay->caller) {
        json_member_bool(json, "context", true);
    }
    if (step->kind == STEP_RESUME || step->kind == STEP_SUSPEND || step->kind == STEP_COMPLETE) {
        write_async(json, replay, step);
    }
    if (is_throw(step)) {
        write_throw(json, replay, step);
    }
    if (step->kind == STEP_END || step->kind == STEP_OPEN) {
        json_ticks(json, replay->model, "duration_ns", stream_time(step->frame, step->clock), true);
    }
}

bool replay_json_step(struct json *json, struct replay_context *replay, const struct event_step *step)
{
    const struct site *site = step->kind == STEP_SITE && replay->sites ? replay_site(replay, step) : NULL;
    if (step->kind == STEP_SITE && !site) {
        return false;
    }
    json_open(json, '{');
    if (site) {
        replay_json_site(json, replay, step, site);
    } else {
        write_call(json, replay, step);
    }
    return true;
}

static enum clew_error step_json(struct replay_context *replay, const struct event_step *step)
{
    struct json json = {.out = replay->view->out};
    if (is_left_out(replay, step) || !replay_json_step(&json, replay, step)) {
        return CLEW_OK;
    }
    json_close(&json, '}');
    CLEW_ASSERT(json.depth == 0 && "one object a line");
    (void)fputc('\n', replay->view->out);
    return replay_written(replay);
}

const struct replay_format replay_json = {.async = true, .throws = true, .head = head, .step = step_json};
