// Prints statements, and after each the values that it produced, as long as the line has room.
#include "base/assert.h"
#include "view/story/story.h"
#include "view/story/story_left_out.h"
#include "view/story/story_source.h"
#include "view/story/story_value.h"
#include "view/text/columns.h"
#include "view/text/format_number.h"

// -- Statements -------------------------------------------------------------------------------------------------------

// Whether the statement is on the last line already. Compilers split some statements into several sequence points:
// Visual Basic an `On Error` or the start of a structure's constructor.
static bool is_printed(const struct story_line *line, const struct event_step *step, const struct site *site)
{
    const struct site *printed = line->statement;
    return printed && printed != site && line->last == step->thread && site->start_line &&
           printed->document == site->document && printed->start_line == site->start_line &&
           printed->start_column == site->start_column;
}

// Prints `  57  int sum = 0;`, preceded by the file's name if it is not the one where the activation began.
static void print_statement(struct replay_context *context, const struct event_step *step, const struct site *site)
{
    struct story *story = story_of(context);
    struct story_line *line = &story->line;
    char number[FORMAT_CELL];
    const struct recording_document *document = replay_document(context, step, site);
    size_t values_from = STORY_VALUES + 2 * (size_t)step->level;
    story_line_begin_site(line, step->thread, step->level);
    if (document && document != story_methods_document(&story->methods, context, step)) {
        story_line_put_foreign(line, format_file_name(document->path), FORMAT_DIM);
        story_line_put(line, text_of(":"), FORMAT_DIM);
    }
    (void)snprintf(number, sizeof number, "%4u  ", site->start_line);
    story_line_put(line, text_of(site->start_line ? number : "      "), FORMAT_DIM);
    buffer_clear(&context->text);
    story_source(context, step, site, &context->text);
    story_line_put_foreign(line, text_in(&context->text), FORMAT_PLAIN);
    line->values_from = line->column + 2 > values_from ? line->column + 2 : values_from;
    line->statement = site;
}

// -- Values -----------------------------------------------------------------------------------------------------------

// Appends a value to the thread's open line if there is room, else to a new line.
static void print_words(struct story_line *line, const struct event_thread *thread, uint32_t level, struct text words)
{
    size_t from = line->has_values ? line->column + 2 : line->values_from;
    size_t width = line->view->width ? line->view->width : STORY_WIDTH;
    if (line->open != thread || !line->takes_values || from + columns_of(words) > width) {
        story_line_begin_site(line, thread, level);
        story_line_put_spaces(line, STORY_GUTTER);
        line->values_from = line->column;
    } else if (line->has_values) {
        story_line_put(line, text_of(", "), FORMAT_PLAIN);
    } else {
        story_line_put_spaces(line, from - line->column);
    }
    CLEW_ASSERT(line->open == thread && line->takes_values);
    story_line_put(line, words, FORMAT_PLAIN);
    line->has_values = true;
}

void story_print_words(struct replay_context *context, const struct event_step *step, struct text words)
{
    if (words.size) {
        print_words(&story_of(context)->line, step->thread, step->level, words);
    }
}

// Keeps a value pending. Several values are separated like those on a line.
static void set_aside(struct story_pending *pending, const struct event_step *step, struct text words)
{
    CLEW_ASSERT((pending->words.size == 0 || pending->thread == step->thread) && "another thread's are printed before");
    buffer_text(&pending->words, pending->words.size ? ", " : "");
    buffer_append(&pending->words, words.at, words.size);
    pending->thread = step->thread;
    pending->frame = step->frame ? story_frame(step) : 0;
    pending->level = step->level;
}

bool story_returns(const struct story *story, const struct event_step *step)
{
    return story->result.words.size && story->result.thread == step->thread &&
           (step->kind == STEP_END || step->kind == STEP_COMPLETE) && story->result.frame == story_frame(step);
}

void story_take_result(struct story *story, struct buffer *into)
{
    buffer_text(into, "returned ");
    buffer_append(into, story->result.words.data, story->result.words.size);
    buffer_clear(&story->result.words);
}

void story_flush_early(struct replay_context *context)
{
    struct story *story = story_of(context);
    print_words(&story->line, story->early.thread, story->early.level, text_in(&story->early.words));
    buffer_clear(&story->early.words);
}

void story_flush_result(struct replay_context *context)
{
    struct story *story = story_of(context);
    struct story_line *line = &story->line;
    story_line_begin_site(line, story->result.thread, story->result.level);
    story_line_put_spaces(line, STORY_GUTTER);
    story_line_put(line, text_of("return "), FORMAT_PLAIN);
    story_line_put(line, text_in(&story->result.words), FORMAT_PLAIN);
    buffer_clear(&story->result.words);
}

// Whether the value is an exception that the next handler or filter declares. Compilers store it before the handler's
// first sequence point.
static bool belongs_to_next(struct replay_context *context, const struct event_step *step, const struct site *site)
{
    const struct site *next = story_neighbour(context, step, 1);
    if (site->kind != SITE_DEFINITION || site->place != PLACE_LOCAL || !site->name.size || !next ||
        next->kind != SITE_STATEMENT || !next->start_line) {
        return false;
    }
    buffer_clear(&context->text);
    story_source(context, step, next, &context->text);
    struct text source = text_in(&context->text);
    return text_starts(source, "when ") || text_starts(source, "when(") || text_starts(source, "Catch ");
}

// Prints a value, or keeps it pending if it belongs to a line that comes later.
static void print_value(struct replay_context *context, const struct event_step *step, const struct site *site)
{
    struct story *story = story_of(context);
    bool early = belongs_to_next(context, step, site);
    buffer_clear(&context->text);
    story_value(context, step, site, &context->text);
    struct text words = text_in(&context->text);
    if (early && context->text.size) {
        set_aside(&story->early, step, words);
    } else if (site->kind == SITE_RESULT && step->frame) {
        buffer_clear(&story->result.words);
        set_aside(&story->result, step, words); // printed at its end or completion, which comes next
    } else if (context->text.size) {
        print_words(&story->line, step->thread, step->level, words);
    }
}

void story_print_site(struct replay_context *context, const struct event_step *step)
{
    struct story *story = story_of(context);
    const struct site *site = replay_site(context, step);
    if (!site || story_leaves_out(context, &story->methods, step, site)) {
        // A word of a loop may give its variable a value, which the statement before did not.
        bool word = site && site->kind == SITE_STATEMENT && site->end_column - site->start_column > 1;
        story->line.takes_values = story->line.takes_values && !(word && story->line.open == step->thread);
        return;
    }
    if (site->kind != SITE_STATEMENT) {
        print_value(context, step, site);
        return;
    }
    if (!is_printed(&story->line, step, site)) {
        print_statement(context, step, site);
    }
    if (story->early.words.size) {
        story_flush_early(context);
    }
}
