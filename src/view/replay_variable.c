// The history of a variable: each value that places of its name, and fields of a struct in one, got: when, where and by
// which statement.
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

static bool is_wanted(const struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    bool got = site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT;
    struct text wanted = context->options->variable;
    bool named = text_equal(site->name, wanted) || (site->owner_name.size && text_equal(site->owner_name, wanted));
    return got && named &&
           (context->options->method.size == 0 || text_matches(method_name(context, step), context->options->method));
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
        struct text name = story_file_name(document);
        buffer_clear(&context->text);
        story_source(context, step, statement, &context->text);
        (void)fprintf(out, "%s%.*s:%u%s  %.*s", format_style(context->view, FORMAT_DIM), (int)name.size, name.at,
                      statement->start_line, format_style(context->view, FORMAT_PLAIN), (int)context->text.size,
                      (const char *)context->text.data);
    }
    (void)fprintf(out, "%s  in %.*s%s\n", format_style(context->view, FORMAT_DIM), (int)method.size, method.at,
                  format_style(context->view, FORMAT_PLAIN));
}

enum clew_error replay_variable_step(struct replay_context *context, const struct timeline_step *step)
{
    const struct site *site =
        step->kind == TIMELINE_SITE ? sites_site(context->sites, step->thread->process, step->site) : NULL;
    if (!site || !is_wanted(context, step, site)) {
        return CLEW_OK;
    }
    context->statements++;
    story_moment(context, step->clock);
    story_thread(context, step->thread);
    (void)fputs("| ", context->view->out);
    buffer_clear(&context->text);
    story_value(context, step, site, &context->text);
    (void)fprintf(context->view->out, "%-*.*s  ", VALUE_WIDTH, (int)context->text.size,
                  (const char *)context->text.data);
    print_where(context, step, site);
    return context->text.failed ? CLEW_NO_MEMORY : ferror(context->view->out) ? CLEW_IO : CLEW_OK;
}
