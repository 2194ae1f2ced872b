// Prints the lines of exceptions: where one is thrown, and where it is caught.
#include "base/foreign.h"
#include "view/story/story.h"
#include "view/text/format_method.h"
#include "view/text/value_style.h"

// "throws FormatException: no number", "FormatException is caught below, by code that is not recorded: no number"
static void say(struct buffer *into, const struct event_step *step, const struct replay_exception *exception)
{
    bool caught = step->kind == STEP_CAUGHT;
    if (!exception->below) {
        buffer_text(into, caught ? "catches " : "throws ");
    }
    if (exception->type.size > 0) {
        value_style_type(into, VALUE_STYLE_STORY, exception->type);
    } else {
        buffer_text(into, "(type not known)");
    }
    if (exception->below) {
        buffer_printf(into, " is %s below, by code that is not recorded", caught ? "caught" : "thrown");
    }
    if (exception->message.size > 0) {
        buffer_text(into, ": ");
        foreign_append(into, exception->message, FOREIGN_TEXT);
        buffer_text(into, exception->message.size < exception->length ? "..." : "");
    }
}

void story_print_throw(struct replay_context *context, const struct event_step *step)
{
    struct story_line *line = &story_of(context)->line;
    struct replay_exception exception = {0};
    struct buffer text = {0};
    context->text.failed |= replay_exception(context, step, &exception) != CLEW_OK;
    say(&text, step, &exception);
    story_line_begin(line, step->thread, step->clock, 0, false);
    uint32_t level = format_indent(context->view, step->level + (step->frame != NULL));
    story_line_leave_open(line, step->thread, STORY_PREFIX + 2 * (size_t)level);
    story_line_put(line, text_in(&text), FORMAT_PLAIN);
    line->takes_values = false;
    context->text.failed |= text.failed;
    buffer_free(&text);
}
