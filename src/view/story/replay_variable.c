// The events that answer a question about values (replay --var, --value, --where, --object): each with the time, the thread, the value
// and the statement. The history of a variable covers all places of that name, and the fields of structs in such places. A path
// `name.Field` selects a field; it also shows the field's value when the whole struct is assigned.
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "model/pattern.h"
#include "model/site_filter.h"
#include "view/json/json.h"
#include "view/replay/replay_format.h"
#include "view/replay/replay_json_site.h"
#include "view/story/question.h"
#include "view/story/story_line.h"
#include "view/story/story_source.h"
#include "view/story/story_value.h"
#include "view/text/columns.h"
#include "view/text/format_header.h"
#include "view/text/format_method.h"
#include "view/text/format_text.h"

enum {
    VALUE_WIDTH = 28,
    VALUE_NARROW = 20,   // on a narrow terminal
    VALUE_AT = 28,       // columns before the value
    STATEMENT_LEAST = 8, // columns of a statement; with fewer left it is not shown
};

// What is selected: the methods of --method, by index in the catalog, and the blocks that can have such values.
struct chosen {
    uint8_t *methods; // their marks; NULL: all
    uint32_t count;
    bool links; // some object's identity is uncertain
    struct site_filter blocks;
    const struct question *question;
    struct buffer tested; // the text of the value at hand
    struct map
        calls; // of activations that something is known about: which terms hold, a bit each, or that `this` is the object
};

// Whether --method selects the site's method.
static bool is_chosen(const struct replay_context *context, uint32_t process, uint32_t number)
{
    const struct chosen *chosen = context->own;
    CLEW_ASSERT(context->sites && "a SITE step is passed on only where sites are loaded");
    if (!chosen->methods) {
        return true;
    }
    uint32_t method =
        catalog_find_method(&context->model->catalog, process, sites_method(context->sites, process, number));
    return method < chosen->count && chosen->methods[method] != 0;
}

// Whether an event of the site can matter: it gives the variable a value, or it makes an object and links matter.
static bool takes_site(void *replay, uint32_t process, uint32_t number, const struct site *site)
{
    const struct replay_context *context = replay;
    const struct chosen *chosen = context->own;
    return (chosen->links && replay_may_make(site)) ||
           (question_concerns(chosen->question, site) && is_chosen(context, process, number));
}

// Finds the blocks that can have values of the variable. If some object's identity is uncertain, events that make objects
// matter, too: those are certainly new (replay_formats.c), and a value may refer to one.
static enum clew_error choose_blocks(struct replay_context *context)
{
    struct chosen *chosen = context->own;
    chosen->links = objects_some_uncertain(context->objects);
    return site_filter_choose(&chosen->blocks, &context->model->catalog, context->sites, context->model->recording,
                              takes_site, context);
}

static enum clew_error start(struct replay_context *context, const struct timeline_options *options)
{
    const struct choices *asked = &context->options->choices;
    struct chosen *chosen = calloc(1, sizeof *chosen);
    (void)options;
    context->own = chosen;
    if (!chosen) {
        return CLEW_NO_MEMORY;
    }
    chosen->question = context->options->question;
    const struct catalog *catalog = &context->model->catalog;
    chosen->count = catalog->method_count;
    chosen->methods = asked->count ? choices_marks(asked, catalog) : NULL;
    if (asked->count && !chosen->methods) {
        return CLEW_NO_MEMORY;
    }
    return context->sites ? choose_blocks(context) : CLEW_OK;
}

static bool wants(struct replay_context *context, const struct recording_block *block)
{
    const struct chosen *chosen = context->own;
    return site_filter_wants(&chosen->blocks, block);
}

static size_t value_width(const struct view *view)
{
    return format_is_narrow(view) ? VALUE_NARROW : VALUE_WIDTH;
}

// Prints a value, cut so that a terminal has room for its place after it. Returns the columns printed.
static size_t print_value(const struct view *view, struct text value)
{
    size_t width = value_width(view), columns = columns_of(value),
           room = view->width > 2 * VALUE_AT ? view->width / 2 - VALUE_AT / 2 : 0;
    if (view->width && columns > width && columns > room) {
        return format_cut(view, value, (room > width ? room : width) - 3);
    }
    format_column(view, value, width);
    return columns > width ? columns : width;
}

static void head(struct replay_context *context)
{
    if (context->options->answers_json) {
        replay_json.head(context);
        return;
    }
    format_header(context->view, context->model);
    (void)fprintf(context->view->out, "\n%s%16s %8s | %-*s  %s%s\n", format_style(context->view, FORMAT_BOLD), "Time",
                  "Thread", (int)value_width(context->view), "Value", "Statement",
                  format_style(context->view, FORMAT_PLAIN));
}

static struct text method_name(const struct replay_context *context, const struct event_step *step)
{
    uint32_t method = replay_site_method(context, step);
    return method == CATALOG_NONE ? text_of("?") : context->model->catalog.methods[method].record.name;
}

// The key of the step's activation in chosen.calls. Recordings of several threads without numbers of calls know it by its place.
static uint64_t activation(const struct event_step *step)
{
    uint64_t call = step->frame ? step->frame->call : 0, process = step->thread->process;
    return call ? process << 44 | call : UINT64_C(1) << 63 | (uint64_t)step->thread->thread << 32 | step->level;
}

// Notes what is known about the activation. False: memory ran out.
static bool know(struct map *calls, uint64_t key, uint64_t known)
{
    if (known) {
        return map_put(calls, key, known);
    }
    map_remove(calls, key);
    return true;
}

// Whether all terms hold in the activation after this event, which gave the `named` ones a value.
static bool all_hold(struct replay_context *context, const struct event_step *step, uint64_t named, uint64_t hold)
{
    struct chosen *chosen = context->own;
    uint64_t key = activation(step), before = 0;
    (void)map_get(&chosen->calls, key, &before);
    uint64_t now = (before & ~named) | hold;
    context->text.failed |= !know(&chosen->calls, key, now);
    return now == (UINT64_C(1) << chosen->question->count) - 1;
}

static bool holds(struct replay_context *context, const struct event_step *step, const struct site *site,
                  const struct question_term *term, struct text path)
{
    struct chosen *chosen = context->own;
    struct values values = replay_values(context, step);
    struct buffer bytes[2] = {{0}, {0}};
    struct site_value value, part;
    bool known = replay_take(context, step, site, &value) && value_part(&values, &value, path, bytes, &part);
    bool result = known && question_holds(term, &values, &part, &chosen->tested);
    context->text.failed |= bytes[0].failed || bytes[1].failed || chosen->tested.failed;
    buffer_free(&bytes[0]);
    buffer_free(&bytes[1]);
    return result;
}

// Whether the event wrote to the object that is asked about, or began a call on it.
static bool is_of_object(struct replay_context *context, const struct event_step *step, const struct site *site)
{
    struct chosen *chosen = context->own;
    const struct question *question = chosen->question;
    struct site_value value;
    uint64_t known = 0;
    if (step->thread->process != question->process || !replay_take(context, step, site, &value)) {
        return false;
    }
    if (site->kind == SITE_ARGUMENT && site->role == VARIABLE_THIS) {
        bool same = value_object(&value) == question->object;
        context->text.failed |= !know(&chosen->calls, activation(step), same);
        return same;
    }
    bool of_this = site->owner == OWNER_THIS && map_get(&chosen->calls, activation(step), &known);
    return site->kind == SITE_DEFINITION &&
           (of_this || (site->owner == OWNER_OBJECT && value.owner_object == question->object));
}

// Whether the event answers the question. *path: the part of its value that does.
static bool answers(struct replay_context *context, const struct event_step *step, const struct site *site,
                    struct text *path)
{
    const struct question *question = ((struct chosen *)context->own)->question;
    uint64_t named = 0, hold = 0;
    *path = (struct text){0};
    if (question->count == 0) {
        return is_of_object(context, step, site);
    }
    for (uint32_t i = 0; i < question->count; i++) {
        struct text part;
        if (question_names(&question->terms[i], site, &part)) {
            *path = named ? *path : part;
            named |= UINT64_C(1) << i;
            hold |= (uint64_t)holds(context, step, site, &question->terms[i], part) << i;
        }
    }
    return named && (question->count == 1 ? hold != 0 : all_hold(context, step, named, hold));
}

static bool is_wanted(struct replay_context *context, const struct event_step *step, const struct site *site,
                      struct text *path)
{
    return question_concerns(((struct chosen *)context->own)->question, site) &&
           is_chosen(context, step->thread->process, step->site) && answers(context, step, site, path);
}

// Prints the statement, as far as it leaves room for the method after `used` columns. Returns the columns that are used then.
static size_t print_statement(struct replay_context *context, const struct event_step *step,
                              const struct site *statement, size_t method_least, size_t used)
{
    const struct view *view = context->view;
    const struct recording_document *document = replay_document(context, step, statement);
    buffer_clear(&context->text);
    format_place(&context->text, document->path, statement->start_line, view->width ? VALUE_WIDTH : SIZE_MAX);
    size_t place = columns_of(text_in(&context->text));
    (void)fputs(format_style(view, FORMAT_DIM), view->out);
    format_column(view, text_in(&context->text), place);
    (void)fputs(format_style(view, FORMAT_PLAIN), view->out);
    used += place;
    struct buffer source = {0};
    buffer_clear(&context->text);
    story_source(context, step, statement, &context->text);
    foreign_append(&source, text_in(&context->text), FOREIGN_TEXT);
    size_t least = used + 2 + method_least, columns = columns_of(text_in(&source));
    bool fits = view->width == 0 || least + columns <= view->width;
    if (columns == 0 || fits || least + STATEMENT_LEAST <= view->width) {
        (void)fputs("  ", view->out);
        used += 2 + format_cut(view, text_in(&source), fits ? SIZE_MAX : view->width - least - 3);
    }
    context->text.failed |= source.failed;
    buffer_free(&source);
    return used;
}

// Prints the statement that gave the value, or that it was an argument, and the method, after `used` columns.
static void print_where(struct replay_context *context, const struct event_step *step, const struct site *site,
                        size_t used)
{
    static const char in[] = "  in ";
    const struct site *statement = sites_site(context->sites, step->thread->process, site->statement);
    const struct recording_document *document = statement ? replay_document(context, step, statement) : NULL;
    const struct view *view = context->view;
    struct text method = method_name(context, step);
    FILE *out = view->out;
    if (site->kind == SITE_ARGUMENT || site->kind == SITE_RESULT) {
        const char *what = site->kind == SITE_ARGUMENT ? "argument" : "result";
        (void)fprintf(out, "%s%s%s", format_style(view, FORMAT_DIM), what, format_style(view, FORMAT_PLAIN));
        used += strlen(what);
    } else if (document && statement->start_line) {
        used = print_statement(context, step, statement, strlen(in) + format_method_least(view, method), used);
    }
    (void)fprintf(out, "%s%s", format_style(view, FORMAT_DIM), in);
    (void)format_method(view, method, used + strlen(in));
    (void)fprintf(out, "%s\n", format_style(view, FORMAT_PLAIN));
}

// Writes the event as `replay --json` has it, with its time, method and statement. `part`: the field of its value that answers.
static enum clew_error write_answer(struct replay_context *context, const struct event_step *step,
                                    const struct site *site, struct text part)
{
    const struct site *statement = sites_site(context->sites, step->thread->process, site->statement);
    struct json json = {.out = context->view->out};
    json_open(&json, '{');
    replay_json_site(&json, context, step, site);
    json_member_maybe(&json, "time_ns", model_since_start_ns(context->model, step->clock),
                      model_has_times(context->model));
    json_member_text(&json, "method", method_name(context, step));
    if (statement) {
        json_key(&json, "statement");
        json_open(&json, '{');
        replay_json_range(&json, context, step, statement);
        json_close(&json, '}');
    }
    if (part.size) {
        json_member_text(&json, "part", part);
    }
    json_close(&json, '}');
    (void)fputc('\n', context->view->out);
    return replay_written(context);
}

// Prints one line for a wanted value.
static enum clew_error step_variable(struct replay_context *context, const struct event_step *step)
{
    const struct site *site = step->kind == STEP_SITE ? replay_site(context, step) : NULL;
    const struct view *view = context->view;
    struct text path;
    buffer_clear(&context->text);
    if (!site || !is_wanted(context, step, site, &path) || !story_part(context, step, site, path, &context->text)) {
        return context->text.failed ? CLEW_NO_MEMORY : CLEW_OK;
    }
    if (context->options->answers_json) {
        return write_answer(context, step, site, path);
    }
    story_moment(view, context->model, step->clock);
    story_thread(view, context->model, step->thread);
    (void)fputs("| ", view->out);
    size_t columns = print_value(view, text_in(&context->text));
    (void)fputs("  ", view->out);
    print_where(context, step, site, VALUE_AT + columns + 2);
    return replay_written(context);
}

static void finish(struct replay_context *context)
{
    struct chosen *chosen = context->own;
    if (chosen) {
        free(chosen->methods);
        map_free(&chosen->calls);
        buffer_free(&chosen->tested);
        site_filter_free(&chosen->blocks);
    }
    free(chosen);
}

const struct replay_format replay_variable = {
    .start = start, .wants = wants, .head = head, .step = step_variable, .finish = finish};
