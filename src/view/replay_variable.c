// The history of a variable: each value that places of its name, and fields of a struct in one, got: when, where and by
// which statement. Of a field, `name.Field`, also what it got with the whole struct.
#include "view/format.h"
#include "view/replay.h"

enum { VALUE_WIDTH = 28 };

void replay_variable_head(struct replay_context *context)
{
    format_header(context->view, context->model);
    (void)fprintf(context->view->out, "\n%s%16s %8s | %-*s  %s%s\n", format_style(context->view, FORMAT_BOLD), "Time",
                  "Thread", VALUE_WIDTH, "Value", "Statement", format_style(context->view, FORMAT_PLAIN));
}

static struct text method_name(const struct replay_context *context, const struct timeline_step *step)
{
    struct catalog *catalog = &context->model->catalog;
    uint32_t process = step->thread->process;
    uint32_t method = catalog_find_method(catalog, process, sites_method(context->sites, process, step->site));
    return method == CATALOG_NONE ? text_of("?") : catalog->methods[method].record.name;
}

// Takes the name off that a path begins with, and the dot behind it; false where it begins with no such name.
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

// Whether the site is of the variable; `path` is what then remains of what was asked for: fields within the value.
static bool is_named(const struct site *site, struct text wanted, struct text *path)
{
    *path = wanted;
    if (take_name(path, site->name)) {
        return true;
    }
    // Of the variable itself its fields are wanted, too.
    return take_name(path, site->owner_name) && (path->size == 0 || take_name(path, site->name));
}

// Whether the value is one of a method that was asked for.
static bool is_chosen(const struct replay_context *context, const struct timeline_step *step)
{
    uint32_t process = step->thread->process, number = sites_method(context->sites, process, step->site);
    uint32_t method = context->chosen ? catalog_find_method(&context->model->catalog, process, number) : CATALOG_NONE;
    return !context->chosen || (method < context->chosen_count && context->chosen[method]);
}

static bool is_wanted(const struct replay_context *context, const struct timeline_step *step, const struct site *site,
                      struct text *path)
{
    bool got = site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT;
    return got && is_named(site, context->options->variable, path) && is_chosen(context, step);
}

// By which statement, or that the method was called with it; and in which method.
static void print_where(struct replay_context *context, const struct timeline_step *step, const struct site *site)
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

enum clew_error replay_variable_step(struct replay_context *context, const struct timeline_step *step)
{
    const struct site *site =
        step->kind == TIMELINE_SITE ? sites_site(context->sites, step->thread->process, step->site) : NULL;
    struct text path;
    buffer_clear(&context->text);
    if (!site || !is_wanted(context, step, site, &path) || !story_part(context, step, site, path, &context->text)) {
        return context->text.failed ? CLEW_NO_MEMORY : CLEW_OK;
    }
    context->statements++;
    story_moment(context, step->clock);
    story_thread(context, step->thread);
    (void)fputs("| ", context->view->out);
    format_column(context->view, text_in(&context->text), VALUE_WIDTH);
    (void)fputs("  ", context->view->out);
    print_where(context, step, site);
    return context->text.failed ? CLEW_NO_MEMORY : ferror(context->view->out) ? CLEW_IO : CLEW_OK;
}
