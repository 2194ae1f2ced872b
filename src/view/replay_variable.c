// The history of a variable: each value that places of its name got, when, where and by which statement.
#include "view/format.h"
#include "view/replay.h"

void replay_variable_head(struct replay_context *context)
{
    format_header(context->view, context->model);
    (void)fprintf(context->view->out, "\n%s%16s %8s | Value%s\n", format_style(context->view, FORMAT_BOLD), "Time",
                  "Thread", format_style(context->view, FORMAT_PLAIN));
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
    return got && text_equal(site->name, context->options->variable) &&
           (context->options->method.size == 0 || text_matches(method_name(context, step), context->options->method));
}

static void print_where(const struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    const struct site *statement = sites_site(context->sites, step->thread->process, site->statement);
    const struct recording_document *document = statement ? replay_document(context, step, statement) : NULL;
    struct text method = method_name(context, step);
    (void)fprintf(context->view->out, "%s  in %.*s", format_style(context->view, FORMAT_DIM), (int)method.size,
                  method.at);
    if (site->kind == SITE_ARGUMENT) {
        (void)fputs(", argument", context->view->out);
    } else if (document && statement->start_line) {
        (void)fprintf(context->view->out, ", %.*s:%u", (int)document->path.size, document->path.at,
                      statement->start_line);
    }
    (void)fprintf(context->view->out, "%s\n", format_style(context->view, FORMAT_PLAIN));
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
    story_site(context, step);
    print_where(context, step, site);
    return context->text.failed ? CLEW_NO_MEMORY : ferror(context->view->out) ? CLEW_IO : CLEW_OK;
}
