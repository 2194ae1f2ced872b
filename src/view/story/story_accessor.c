// See story_accessor.h.
#include "view/story/story_accessor.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "view/story/story_left_out.h"
#include "view/story/story_value.h"
#include "view/text/columns.h"

// What is known of an accessor that runs. Texts are those of the story.
struct story_accessor {
    struct event_thread *thread;
    uint32_t frame, level;
    struct buffer receiver; // "this = Customer #3"
    struct buffer given;    // "value = 19"
    struct buffer result;   // "407"
    struct buffer other;    // what else got a value, after the statement
    uint32_t statement;     // number of its site
    bool has_statement;
};

// -- Which methods are accessors --------------------------------------------------------------------------------------

// The name before `.get()` or `.set(TYPE)`; empty: the method is another one, or an indexer's.
static struct text property_of(struct text method)
{
    static const char get[] = ".get()", set[] = ".set(";
    if (text_ends(method, get)) {
        return (struct text){method.at, method.size - (sizeof get - 1)};
    }
    const char *at = text_ends(method, ")") ? memmem(method.at, method.size, set, sizeof set - 1) : NULL;
    uint32_t depth = 0, more = 0;
    for (const char *c = at; c && c < method.at + method.size; c++) {
        depth += *c == '<' || *c == '(' || *c == '[';
        depth -= *c == '>' || *c == ')' || *c == ']';
        more += *c == ',' && depth == 1;
    }
    return at && more == 0 && depth == 0 ? (struct text){method.at, (size_t)(at - method.at)} : (struct text){0};
}

static void release(struct story_accessor *accessor)
{
    buffer_free(&accessor->receiver);
    buffer_free(&accessor->given);
    buffer_free(&accessor->result);
    buffer_free(&accessor->other);
}

static void remove_at(struct story_accessors *accessors, uint32_t index)
{
    CLEW_ASSERT(index < accessors->count);
    release(&accessors->of[index]);
    accessors->of[index] = accessors->of[--accessors->count];
}

void story_accessor_free(struct story_accessors *accessors)
{
    while (accessors->count) {
        remove_at(accessors, accessors->count - 1);
    }
    free(accessors->of);
    *accessors = (struct story_accessors){0};
}

// Begins to keep the accessor whose beginning the step is. False: it is none.
static bool begin(struct replay_context *context, const struct event_step *step)
{
    struct story_accessors *accessors = &story_of(context)->accessors;
    bool may = step->kind == STEP_BEGIN && !step->leaf && !step->frame->joined && context->sites &&
               !context->view->verbose && !context->min_time && !replay_too_deep(context, step);
    if (!may || !property_of(replay_name(context, step)).size ||
        !array_grow(&accessors->of, accessors->count, &accessors->room, sizeof *accessors->of)) {
        return false;
    }
    accessors->of[accessors->count++] =
        (struct story_accessor){.thread = step->thread, .frame = story_frame(step), .level = step->level};
    return true;
}

// -- What it does -----------------------------------------------------------------------------------------------------

static void append(struct buffer *into, struct text words)
{
    buffer_text(into, into->size ? ", " : "");
    buffer_append(into, words.at, words.size);
}

// Keeps a statement or a value. False: it is one too many.
static bool keep(struct replay_context *context, struct story_accessor *accessor, const struct event_step *step)
{
    const struct site *site = replay_site(context, step);
    if (!site || story_leaves_out(context, &story_of(context)->methods, step, site)) {
        return true;
    }
    if (site->kind == SITE_STATEMENT) {
        bool first = !accessor->has_statement;
        accessor->statement = first ? step->site : accessor->statement;
        accessor->has_statement = true;
        return first;
    }
    buffer_clear(&context->text);
    story_value(context, step, site, &context->text);
    bool receives = site->kind == SITE_ARGUMENT && site->role == VARIABLE_THIS;
    append(receives                      ? &accessor->receiver
           : site->kind == SITE_ARGUMENT ? &accessor->given
           : site->kind == SITE_RESULT   ? &accessor->result
                                         : &accessor->other,
           text_in(&context->text));
    return true;
}

// Prints what is kept as of any method.
static void print_open(struct replay_context *context, struct story_accessor *accessor,
                       const struct story_printer *printer)
{
    struct event_thread *thread = accessor->thread;
    CLEW_ASSERT(accessor->frame < thread->stream.depth && "its end would have taken it");
    struct event_step step = {.kind = STEP_BEGIN,
                              .thread = thread,
                              .frame = &thread->stream.frames[accessor->frame],
                              .level = accessor->level,
                              .next_known = true};
    printer->begin(context, &step);
    if (step.frame->number != STORY_BEGUN) {
        return; // --depth leaves it out
    }
    story_print_words(context, &step, text_in(&accessor->receiver));
    story_print_words(context, &step, text_in(&accessor->given));
    if (accessor->has_statement) {
        step.kind = STEP_SITE;
        step.site = accessor->statement;
        story_print_site(context, &step);
    }
    story_print_words(context, &step, text_in(&accessor->other));
    if (accessor->result.size) {
        buffer_clear(&context->text);
        buffer_text(&context->text, "return ");
        buffer_append(&context->text, accessor->result.data, accessor->result.size);
        story_print_words(context, &step, text_in(&context->text));
    }
}

// What is after " = " or " is "; all of it, if it has neither.
static struct text value_in(struct text words)
{
    static const char *const signs[] = {" = ", " is "};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *sign = words.size ? memmem(words.at, words.size, signs[i], strlen(signs[i])) : NULL;
        if (sign) {
            return text_from(words, (size_t)(sign - words.at) + strlen(signs[i]));
        }
    }
    return words;
}

static void append_after(struct buffer *words, struct text more)
{
    buffer_text(words, more.size ? "  " : "");
    buffer_append(words, more.at, more.size);
}

// Prints the value, and what is after it as far as the terminal has room: the value is worth more.
static void put_what_fits(struct replay_context *context, struct text words)
{
    struct story_line *line = &story_of(context)->line;
    size_t width = context->view->width;
    while (width && line->column + columns_of(words) > width) {
        size_t size = words.size;
        while (size > 1 && !(words.at[size - 1] == ' ' && words.at[size - 2] == ' ')) {
            size--;
        }
        if (size <= sizeof "  ") { // only the value is left, which is cut
            break;
        }
        words.size = size - 2;
    }
    story_line_put(line, words, FORMAT_PLAIN);
}

// Prints the accessor on one line.
static void print_folded(struct replay_context *context, const struct story_accessor *accessor,
                         const struct event_step *end, const struct story_printer *printer)
{
    struct buffer words = {0};
    struct text property = property_of(replay_name(context, end));
    struct text given = value_in(text_in(&accessor->given)), result = text_in(&accessor->result),
                other = text_in(&accessor->other);
    bool sets = given.size > 0;
    struct text value = sets ? given : result;
    if (value.size) {
        buffer_text(&words, sets ? " = " : " \u2192 ");
        buffer_append(&words, value.at, value.size);
        story_of(context)->property = property;
    }
    append_after(&words, text_in(&accessor->receiver));
    if (!text_equal(value_in(other), value)) {
        append_after(&words, other);
    }
    printer->whole(context, end);
    if (end->frame->number == STORY_WHOLE) { // --depth did not leave it out
        put_what_fits(context, text_in(&words));
    }
    story_of(context)->property = (struct text){0};
    context->text.failed |= words.failed;
    buffer_free(&words);
}

static bool is_broken(const struct story_accessor *accessor)
{
    return accessor->receiver.failed || accessor->given.failed || accessor->result.failed || accessor->other.failed;
}

bool story_accessor_takes(struct replay_context *context, const struct event_step *step,
                          const struct story_printer *printer)
{
    struct story_accessors *accessors = &story_of(context)->accessors;
    for (uint32_t i = 0; i < accessors->count; i++) {
        struct story_accessor *accessor = &accessors->of[i];
        if (accessor->thread != step->thread) {
            continue;
        }
        bool same = step->frame && story_frame(step) == accessor->frame;
        bool kept = same && step->kind == STEP_SITE && keep(context, accessor, step);
        bool folds = same && step->kind == STEP_END && step->how == STREAM_LEFT;
        context->text.failed |= is_broken(accessor);
        if (folds) {
            print_folded(context, accessor, step, printer);
        } else if (!kept) {
            print_open(context, accessor, printer);
        }
        if (!kept) {
            remove_at(accessors, i);
        }
        return kept || folds || begin(context, step);
    }
    return begin(context, step);
}

void story_accessor_flush(struct replay_context *context, const struct story_printer *printer)
{
    struct story_accessors *accessors = &story_of(context)->accessors;
    while (accessors->count) {
        print_open(context, &accessors->of[accessors->count - 1], printer);
        remove_at(accessors, accessors->count - 1);
    }
}
