// Statements and values in words, for stories: the source text of a statement, and what was read and written.
#include "view/format.h"
#include "view/replay.h"

struct text story_file_name(const struct recording_document *document)
{
    struct text path = document->path;
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/' && path.at[start - 1] != '\\') {
        start--;
    }
    return (struct text){path.at + start, path.size - start};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct text trimmed(struct text line)
{
    while (line.size && is_blank(line.at[0])) {
        line.at++;
        line.size--;
    }
    while (line.size && is_blank(line.at[line.size - 1])) {
        line.size--;
    }
    return line;
}

// The source of a statement on one line: its part of the first line. *more: it goes on.
static struct text source_of(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                             bool *more)
{
    const struct recording_document *document = replay_document(context, step, site);
    struct text line = document ? sources_line(context->sources, document, site->start_line) : text_of("");
    size_t start = site->start_column - 1u, end = site->end_column - 1u;
    *more = site->end_line > site->start_line;
    if (!*more && end <= line.size && start < end) {
        return (struct text){line.at + start, end - start};
    }
    return trimmed(line);
}

void story_source(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                  struct buffer *into)
{
    bool more;
    if (!site->start_line) {
        buffer_printf(into, "IL_%04x", site->il_offset);
        return;
    }
    struct text source = source_of(context, step, site, &more);
    buffer_append(into, source.at, source.size);
    buffer_text(into, more ? " ..." : "");
}

// Whether the object is of a class that a compiler made: what holds captured variables, or a state machine.
static bool is_made(struct replay_context *context, uint32_t process, uint32_t number)
{
    static const char *const marks[] = {".<", "._Closure$", ".VB$StateMachine", "@"};
    const struct recording_object *object = number ? objects_find(context->objects, process, number) : NULL;
    const struct type *type = object ? sites_type(context->sites, process, object->type) : NULL;
    for (size_t i = 0; type && i < sizeof marks / sizeof *marks; i++) {
        if (memmem(type->name.at, type->name.size, marks[i], strlen(marks[i]))) {
            return true;
        }
    }
    return type && text_starts(type->name, "<");
}

// The object that the event is about: that a value names, or that a field is of.
static bool about_made(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    struct site_value value;
    uint32_t process = step->thread->process;
    return sites_take(context->sites, process, site, step->cells, step->cells_left, &value) != UINT32_MAX &&
           value.encoding == VALUE_OBJECT && is_made(context, process, value_object(&value));
}

static bool is_brace(struct text source)
{
    return source.size == 1 && (*source.at == '{' || *source.at == '}');
}

// Whether it is what an iterator's MoveNext is about to return: whether there is an item. Where such a method keeps that in
// a local, compilers take the first for it; conditions come behind the state.
static bool is_next(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    const struct catalog *catalog = &context->model->catalog;
    uint32_t process = step->thread->process;
    uint32_t method = catalog_find_method(catalog, process, sites_method(context->sites, process, step->site));
    return site->place == PLACE_LOCAL && site->index == 0 && method != CATALOG_NONE &&
           strcmp(format_kind(catalog->methods[method].record.kind), "iterator") == 0;
}

bool story_is_noise(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    bool more;
    if (site->kind == SITE_STATEMENT) {
        return site->start_line && is_brace(source_of(context, step, site, &more)) && !more;
    }
    if (text_equal(site->name, text_of("this")) && (site->kind == SITE_USE || about_made(context, step, site))) {
        return true; // the call has told it, or the source has no such object
    }
    if (site->kind == SITE_ALLOCATION && about_made(context, step, site)) {
        return true;
    }
    bool stored = site->kind == SITE_DEFINITION || site->kind == SITE_USE;
    bool condition = site->kind == SITE_DEFINITION && site->encoding == VALUE_BOOLEAN && site->start_line &&
                     !is_next(context, step, site);
    // With symbols, what the source names has a name.
    bool made = site->name.size == 0 && story_has_symbols(context, step);
    return stored && made &&
           ((site->place == PLACE_LOCAL && !condition) || site->place == PLACE_FIELD ||
            site->place == PLACE_STATIC_FIELD);
}

// -- Values -----------------------------------------------------------------------------------------------------------

// A captured variable is called as in the source, without the object that it is kept in.
static void write_place(struct buffer *into, const struct site *site, const struct site_value *value, bool captured)
{
    static const char *const unnamed[] = {"", "local", "parameter", "field", "static", "", "*ref", ""};
    if (site->owner == OWNER_OBJECT && !captured) {
        buffer_printf(into, "#%u%s", value->owner_object, site->place == PLACE_ITEM ? "" : ".");
    } else if (site->owner_name.size) {
        buffer_append(into, site->owner_name.at, site->owner_name.size);
        buffer_text(into, ".");
    }
    if (site->name.size) {
        buffer_append(into, site->name.at, site->name.size);
    } else if (site->place != PLACE_ITEM) {
        buffer_text(into, unnamed[site->place]);
        if (site->place == PLACE_LOCAL || site->place == PLACE_PARAMETER) {
            buffer_printf(into, "%u", site->index);
        }
    }
    if (site->place == PLACE_ITEM) {
        buffer_printf(into, "[%d]", value->item);
    }
}

// What stands before the value. A nameless condition has but its value.
static void write_head(struct buffer *into, const struct site *site, const struct site_value *value, bool captured)
{
    bool condition = site->start_line && !site->name.size && site->place == PLACE_LOCAL;
    if (site->kind == SITE_ALLOCATION) {
        buffer_text(into, "new ");
    } else if (!condition && site->kind != SITE_RESULT) {
        write_place(into, site, value, captured);
        buffer_text(into, site->kind == SITE_USE ? " is " : " = ");
    }
}

void story_value(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                 struct buffer *into)
{
    static const char *const reasons[] = {"(not captured)", "(not captured: redacted)", "(not captured: too large)",
                                          "(not captured: its type is not known)",
                                          "(not captured: reading it could change what the program does)"};
    struct values values = replay_values(context, step);
    struct site_value value;
    if (sites_take(context->sites, step->thread->process, site, step->cells, step->cells_left, &value) == UINT32_MAX) {
        return;
    }
    bool captured = site->owner == OWNER_OBJECT && site->place == PLACE_FIELD && site->name.size &&
                    is_made(context, step->thread->process, value.owner_object);
    write_head(into, site, &value, captured);
    if (value.encoding == VALUE_NONE) {
        buffer_text(into, reasons[value.reason]);
    } else {
        value_story(into, &values, &value);
    }
}
