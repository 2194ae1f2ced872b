// The history of a variable (replay --var): each value that it got, with the time, the thread and the statement. It
// covers all places of that name, and the fields of structs in such places. A path `name.Field` selects a field; it
// also shows the field's value when the whole struct is assigned.
#include <stdlib.h>

#include "base/assert.h"
#include "model/pattern.h"
#include "model/site_filter.h"
#include "view/replay/replay_format.h"
#include "view/story/story_line.h"
#include "view/story/story_source.h"
#include "view/story/story_value.h"
#include "view/text/format_header.h"
#include "view/text/format_text.h"

enum { VALUE_WIDTH = 28 };

// What is selected: the methods of --method, by index in the catalog, and the blocks that can have such values.
struct chosen {
    uint8_t *methods; // their marks; NULL: all
    uint32_t count;
    bool links; // some object's identity is uncertain
    struct site_filter blocks;
};

// Removes the name `name` and the dot after it from the start of a path. False: the path does not begin with that name.
static bool take_name(struct text *path, struct text name)
{
    bool begins = name.size > 0 && path->size >= name.size && memcmp(path->at, name.at, name.size) == 0;
    bool ends = begins && path->size == name.size;
    if (!ends && !(begins && path->at[name.size] == '.')) {
        return false;
    }
    size_t taken = ends ? name.size : name.size + 1;
    *path = (struct text){path->at + taken, path->size - taken};
    return true;
}

// Whether the site belongs to the variable. `path`: the rest of the requested path, which is within the value.
static bool is_named(const struct site *site, struct text wanted, struct text *path)
{
    *path = wanted;
    if (take_name(path, site->name)) {
        return true;
    }
    // A request for a variable includes the fields of a struct in it.
    return take_name(path, site->owner_name) && (path->size == 0 || take_name(path, site->name));
}

// Whether the site can give the variable a value. Only definitions and arguments do.
static bool gives(const struct replay_context *context, const struct site *site, struct text *path)
{
    bool got = site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT;
    return got && is_named(site, context->options->variable, path);
}

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
    struct text path;
    return (chosen->links && replay_may_make(site)) ||
           (gives(context, site, &path) && is_chosen(context, process, number));
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

static void head(struct replay_context *context)
{
    format_header(context->view, context->model);
    (void)fprintf(context->view->out, "\n%s%16s %8s | %-*s  %s%s\n", format_style(context->view, FORMAT_BOLD), "Time",
                  "Thread", VALUE_WIDTH, "Value", "Statement", format_style(context->view, FORMAT_PLAIN));
}

static struct text method_name(const struct replay_context *context, const struct event_step *step)
{
    uint32_t method = replay_site_method(context, step);
    return method == CATALOG_NONE ? text_of("?") : context->model->catalog.methods[method].record.name;
}

static bool is_wanted(const struct replay_context *context, const struct event_step *step, const struct site *site,
                      struct text *path)
{
    return gives(context, site, path) && is_chosen(context, step->thread->process, step->site);
}

// Prints the statement that gave the value, or that it was an argument, and the method.
static void print_where(struct replay_context *context, const struct event_step *step, const struct site *site)
{
    const struct site *statement = sites_site(context->sites, step->thread->process, site->statement);
    const struct recording_document *document = statement ? replay_document(context, step, statement) : NULL;
    struct text method = method_name(context, step);
    FILE *out = context->view->out;
    if (site->kind == SITE_ARGUMENT) {
        (void)fprintf(out, "%sargument%s", format_style(context->view, FORMAT_DIM),
                      format_style(context->view, FORMAT_PLAIN));
    } else if (document && statement->start_line) {
        struct text name = format_file_name(document->path);
        buffer_clear(&context->text);
        story_source(context, step, statement, &context->text);
        (void)fputs(format_style(context->view, FORMAT_DIM), out);
        format_foreign(context->view, name);
        (void)fprintf(out, ":%u%s  ", statement->start_line, format_style(context->view, FORMAT_PLAIN));
        format_foreign(context->view, text_in(&context->text));
    }
    (void)fprintf(out, "%s  in ", format_style(context->view, FORMAT_DIM));
    format_foreign(context->view, method);
    (void)fprintf(out, "%s\n", format_style(context->view, FORMAT_PLAIN));
}

// Prints one line for a wanted value, and counts it for the caller's message if there is none.
static enum clew_error step_variable(struct replay_context *context, const struct event_step *step)
{
    const struct site *site = step->kind == STEP_SITE ? replay_site(context, step) : NULL;
    const struct view *view = context->view;
    struct text path;
    buffer_clear(&context->text);
    if (!site || !is_wanted(context, step, site, &path) || !story_part(context, step, site, path, &context->text)) {
        return context->text.failed ? CLEW_NO_MEMORY : CLEW_OK;
    }
    if (context->options->found) {
        ++*context->options->found;
    }
    story_moment(view, context->model, step->clock);
    story_thread(view, context->model, step->thread);
    (void)fputs("| ", view->out);
    format_column(view, text_in(&context->text), VALUE_WIDTH);
    (void)fputs("  ", view->out);
    print_where(context, step, site);
    return replay_written(context);
}

static void finish(struct replay_context *context)
{
    struct chosen *chosen = context->own;
    if (chosen) {
        free(chosen->methods);
        site_filter_free(&chosen->blocks);
    }
    free(chosen);
}

const struct replay_format replay_variable = {
    .start = start, .wants = wants, .head = head, .step = step_variable, .finish = finish};
