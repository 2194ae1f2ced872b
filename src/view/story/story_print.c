// Prints the lines of calls: a beginning, an end, a whole activation, a loss of events.
#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "view/story/story.h"
#include "view/text/columns.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"

// The parts of a line about a call.
struct call_line {
    uint64_t clock;
    uint64_t duration;
    bool has_duration;
    uint32_t level;
    const char *before, *after; // text around the method's name
};

// Prints a line without its line break, which comes with the next line.
static void print_line(struct replay_context *context, const struct event_step *step, const struct call_line *call)
{
    const struct view *view = context->view;
    struct story_line *line = &story_of(context)->line;
    size_t column = STORY_PREFIX;
    story_line_begin(line, step->thread, call->clock, call->duration, call->has_duration);
    uint32_t level = format_indent(view, call->level);
    (void)fputs(call->before, view->out); // errors show in ferror()
    if (step->frame) {
        column += 2 * (size_t)level + strlen(call->before) + strlen(call->after);
        struct text property = story_of(context)->property;
        column += format_method(view, property.size ? property : replay_name(context, step), column);
    }
    story_line_leave_open(line, step->thread, column);
    (void)fputs(call->after, view->out);
}

// The text at the end of a line, by how the activation ended.
static const char *ending(enum stream_end how, bool whole)
{
    static const char *const texts[2][3] = {{"", "  by exception", "  unseen"}, {";", ";  by exception", ";  unseen"}};
    static_assert(sizeof *texts / sizeof **texts == STREAM_UNSEEN + 1, "a text for each end");
    return texts[whole][how];
}

// Puts the blanks before a text of so many columns. If a terminal has no room for both, the text gets a line of its own.
static void make_room(struct story_line *line, const struct event_step *step, struct text blanks, size_t columns)
{
    if (line->view->width && line->column + blanks.size + columns > line->view->width) {
        story_line_begin_site(line, step->thread, step->level);
    } else {
        story_line_put(line, blanks, FORMAT_PLAIN);
    }
}

// With -v, a line at a beginning names the activation.
static void print_number(struct replay_context *context, const struct event_step *step)
{
    char text[40];
    if (context->view->verbose && step->frame->call > 0) {
        (void)snprintf(text, sizeof text, "  call %u:%" PRIu64, step->thread->process, step->frame->call);
        story_line_put(&story_of(context)->line, text_of(text), FORMAT_DIM);
    }
}

void story_print_begin(struct replay_context *context, const struct event_step *step)
{
    struct story *story = story_of(context);
    struct call_line call = {.clock = step->frame->started, .level = step->level, .before = "", .after = " {"};
    CLEW_ASSERT(step->frame->number == STORY_NOT_PRINTED && "a beginning is printed once");
    step->frame->number = STORY_BEGUN;
    print_line(context, step, &call);
    print_number(context, step);
    const struct recording_document *document = story_methods_document(&story->methods, context, step);
    if (document) {
        struct text file = format_file_name(document->path);
        make_room(&story->line, step, text_of("  "), columns_of(file));
        story_line_put_foreign(&story->line, file, FORMAT_DIM);
    }
    story->line.values_from = story->line.column + 2;
}

void story_print_whole(struct replay_context *context, const struct event_step *step, uint64_t end, enum stream_end how)
{
    struct call_line call = {.clock = step->frame->started,
                             .duration = stream_time(step->frame, end),
                             .has_duration = true,
                             .level = step->level,
                             .before = "",
                             .after = story_of(context)->property.size ? "" : ending(how, true)};
    step->frame->number = STORY_WHOLE;
    print_line(context, step, &call);
    print_number(context, step);
    story_of(context)->line.takes_values = false;
}

void story_print_end(struct replay_context *context, const struct event_step *step)
{
    struct story *story = story_of(context);
    bool open = step->kind == STEP_OPEN;
    CLEW_ASSERT(step->frame->number != STORY_WHOLE && "its only line has its end");
    struct call_line call = {.clock = step->clock,
                             .duration = stream_time(step->frame, step->clock),
                             .has_duration = true,
                             .level = step->level,
                             .before = open ? "" : "} ",
                             .after = open ? "  still running" : ending(step->how, false)};
    print_line(context, step, &call);
    if (!open && story_returns(story, step)) {
        buffer_clear(&context->text);
        story_take_result(story, &context->text);
        make_room(&story->line, step, text_of(" "), columns_of(text_in(&context->text)));
        story_line_put(&story->line, text_in(&context->text), FORMAT_PLAIN);
    }
    story->line.takes_values = false; // the values that follow belong to the caller
}

void story_print_lost(struct replay_context *context, const struct event_step *step)
{
    char count[FORMAT_CELL], text[FORMAT_CELL + 32];
    (void)snprintf(text, sizeof text, "... %s events lost", format_count(count, step->lost));
    struct call_line call = {.clock = step->clock, .before = text, .after = ""};
    print_line(context, step, &call);
}
