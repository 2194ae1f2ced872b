// Statements and values in a story: the source text of each statement, and under it what was read and written.
#include "view/format.h"
#include "view/replay.h"

static struct text file_name(struct text path)
{
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/' && path.at[start - 1] != '\\') {
        start--;
    }
    return (struct text){path.at + start, path.size - start};
}

static struct text trimmed(struct text line)
{
    while (line.size && (line.at[0] == ' ' || line.at[0] == '\t')) {
        line.at++;
        line.size--;
    }
    while (line.size && (line.at[line.size - 1] == ' ' || line.at[line.size - 1] == '\t')) {
        line.size--;
    }
    return line;
}

// The source of a statement on one line: its part of the first line, "..." where it goes on.
static struct text source_of(struct replay_context *context, const struct recording_document *document,
                             const struct site *site, bool *more)
{
    struct text line = sources_line(context->sources, document, site->start_line);
    size_t start = site->start_column - 1u, end = site->end_column - 1u;
    *more = site->end_line > site->start_line;
    if (!*more && end <= line.size && start < end) {
        return (struct text){line.at + start, end - start};
    }
    return trimmed(line);
}

static void write_statement(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    const struct view *view = context->view;
    const struct recording_document *document = replay_document(context, step, site);
    if (!document || !site->start_line) {
        (void)fprintf(view->out, "%sIL_%04x%s", format_style(view, FORMAT_DIM), site->il_offset,
                      format_style(view, FORMAT_PLAIN));
        return;
    }
    bool more;
    struct text name = file_name(document->path), source = source_of(context, document, site, &more);
    (void)fprintf(view->out, "%s%.*s:%u%s  %.*s%s", format_style(view, FORMAT_DIM), (int)name.size, name.at,
                  site->start_line, format_style(view, FORMAT_PLAIN), (int)source.size, source.at, more ? " ..." : "");
}

static void write_place(FILE *out, const struct site *site, const struct site_value *value)
{
    static const char *const unnamed[] = {"", "local", "parameter", "field", "static", "", "*ref", ""};
    if (site->place == PLACE_RESULT) {
        (void)fputs("return", out);
        return;
    }
    if (site->owner == OWNER_OBJECT) {
        (void)fprintf(out, "#%u%s", value->owner_object, site->place == PLACE_ITEM ? "" : ".");
    }
    if (site->name.size) {
        (void)fprintf(out, "%.*s", (int)site->name.size, site->name.at);
    } else if (site->place != PLACE_ITEM) {
        (void)fprintf(out, "%s", unnamed[site->place]);
        if (site->place == PLACE_LOCAL || site->place == PLACE_PARAMETER) {
            (void)fprintf(out, "%u", site->index);
        }
    }
    if (site->place == PLACE_ITEM) {
        (void)fprintf(out, "[%d]", value->item);
    }
}

static void write_value(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    static const char *const reasons[] = {"not captured", "not captured: redacted", "not captured: too large",
                                          "not captured: its type is not known",
                                          "not captured: reading it could change what the program does"};
    FILE *out = context->view->out;
    struct values values = replay_values(context, step);
    struct site_value value;
    if (sites_take(context->sites, step->thread->process, site, step->cells, step->cells_left, &value) == UINT32_MAX) {
        return;
    }
    buffer_clear(&context->text);
    if (site->encoding != VALUE_NONE) {
        value_story(&context->text, &values, &value);
    }
    if (site->kind == SITE_ALLOCATION) {
        (void)fputs("new ", out);
    } else {
        write_place(out, site, &value);
        (void)fputs(site->kind == SITE_USE ? " is " : site->kind == SITE_RESULT ? " " : " = ", out);
    }
    if (site->encoding == VALUE_NONE) {
        (void)fprintf(out, "(%s)", reasons[site->reason]);
    } else {
        (void)fwrite(context->text.data, 1, context->text.failed ? 0 : context->text.size, out);
    }
}

void story_site(struct replay_context *context, const struct timeline_step *step)
{
    const struct site *site = sites_site(context->sites, step->thread->process, step->site);
    if (site && site->kind == SITE_STATEMENT) {
        write_statement(context, step, site);
    } else if (site) {
        write_value(context, step, site);
    }
}
