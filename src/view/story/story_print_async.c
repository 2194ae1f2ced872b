// Prints the lines of async activations: where a run begins to wait, which wait it continues, and how the activation ends.
#include <inttypes.h>

#include "base/assert.h"
#include "view/story/story.h"
#include "view/text/format_async.h"
#include "view/text/format_number.h"

static struct wait place_of(const struct replay_context *context, uint32_t process, uint32_t body, uint64_t state)
{
    return waits_place(context->model, process, body, state <= UINT32_MAX ? (uint32_t)state : UINT32_MAX);
}

static void put_thread(struct buffer *into, const struct replay_context *context, uint32_t process, uint32_t thread)
{
    char room[FORMAT_CELL];
    buffer_text(into, story_thread_text(room, context->model, process, thread));
}

static void put_call(struct buffer *into, const struct replay_activation *activation)
{
    if (activation && activation->call) {
        buffer_printf(into, ", call %" PRIu32 ":%" PRIu64, activation->process, activation->call);
    }
}

// "awaits Repo.LoadAsync (Repo.cs:41)"
static void say_awaits(struct buffer *into, const struct replay_context *context, const struct event_step *step)
{
    struct wait place = place_of(context, step->thread->process, step->frame->method, step->number);
    buffer_text(into, "awaits ");
    format_awaited(into, &place);
    buffer_text(into, step->serial ? "" : ", and what continues it is not known");
}

// "resumes after 12.3 ms on [7], call 1:18, which awaited Repo.LoadAsync (Repo.cs:41) on [2]"
static void say_resumes(struct buffer *into, const struct replay_context *context, const struct event_step *step)
{
    char time[FORMAT_CELL];
    const struct replay_activation *activation = replay_async_find(&context->async, step);
    buffer_text(into, "resumes");
    if (step->serial && model_has_times(context->model)) {
        buffer_printf(into, " after %s", format_ticks(time, context->model, step->number));
    }
    buffer_text(into, " on ");
    put_thread(into, context, step->thread->process, step->thread->thread);
    put_call(into, activation);
    if (!replay_async_ends_wait(activation, step)) {
        buffer_text(into, ", and where it waited is not known");
        return;
    }
    struct wait place = place_of(context, activation->process, activation->body, activation->state);
    buffer_text(into, ", which awaited ");
    format_awaited(into, &place);
    buffer_text(into, " on ");
    put_thread(into, context, activation->process, activation->thread);
}

// "completes, call 1:18, returned 42"
static void say_completes(struct buffer *into, const struct replay_context *context, const struct event_step *step)
{
    const char *how = step->number == RUN_FAULTED     ? " by exception"
                      : step->number == RUN_CANCELLED ? " as cancelled"
                                                      : "";
    buffer_printf(into, "completes%s", how);
    put_call(into, replay_async_find(&context->async, step));
    if (story_returns(story_of(context), step)) {
        buffer_text(into, ", ");
        story_take_result(story_of(context), into);
    }
}

void story_print_async(struct replay_context *context, const struct event_step *step)
{
    struct story_line *line = &story_of(context)->line;
    struct buffer text = {0};
    if (step->kind == STEP_SUSPEND) {
        say_awaits(&text, context, step);
    } else if (step->kind == STEP_RESUME) {
        say_resumes(&text, context, step);
    } else {
        say_completes(&text, context, step);
    }
    story_line_begin(line, step->thread, step->clock, 0, false);
    uint32_t level = format_indent(context->view, step->level + 1);
    story_line_leave_open(line, step->thread, STORY_PREFIX + 2 * (size_t)level);
    story_line_put(line, text_in(&text), FORMAT_PLAIN);
    line->takes_values = step->kind == STEP_RESUME; // the rest of the statement that awaited gives some
    line->values_from = line->column + 2;
    context->text.failed |= text.failed;
    buffer_free(&text);
}
