// Statements and values in words, for stories: the source text of a statement, and what was read and written.
#include "base/foreign.h"
#include "model/source_text.h"
#include "view/format.h"
#include "view/replay.h"

// Of a statement that several lines of the source make: characters, and lines that are looked at.
enum { JOINED_MAX = 100, LINES_MAX = 1000 };

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

// What of a line of the source belongs to the statement.
static struct text part_of(struct replay_context *context, const struct recording_document *document,
                           const struct site *site, uint32_t line)
{
    struct text whole = sources_line(context->sources, document, line);
    size_t start = line == site->start_line ? source_text_offset(whole, site->start_column) : 0;
    size_t end = line == site->end_line ? source_text_offset(whole, site->end_column) : whole.size;
    bool inside = end <= whole.size && start < end;
    return trimmed(inside ? (struct text){whole.at + start, end - start} : whole);
}

void story_source(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                  struct buffer *into)
{
    const struct recording_document *document = replay_document(context, step, site);
    if (!site->start_line) {
        buffer_printf(into, "IL_%04x", site->il_offset);
        return;
    }
    size_t begun = into->size;
    uint32_t lines = document ? sources_line_count(context->sources, document) : 0;
    uint32_t last = site->end_line < lines ? site->end_line : lines;
    for (uint32_t line = site->start_line; line <= last && !into->failed; line++) {
        struct text part = part_of(context, document, site, line);
        bool first = line == site->start_line;
        if (!first && (into->size - begun + part.size > JOINED_MAX || line - site->start_line >= LINES_MAX)) {
            buffer_text(into, " ...");
            return;
        }
        buffer_text(into, first || !part.size ? "" : " ");
        buffer_append(into, part.at, part.size);
    }
}

bool story_is_early(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    uint32_t process = step->thread->process, next = step->site + 1;
    const struct site *statement = sites_site(context->sites, process, next);
    if (site->kind != SITE_DEFINITION || site->place != PLACE_LOCAL || !site->name.size || !statement ||
        statement->kind != SITE_STATEMENT || !statement->start_line ||
        sites_method(context->sites, process, next) != sites_method(context->sites, process, step->site)) {
        return false;
    }
    buffer_clear(&context->text);
    story_source(context, step, statement, &context->text);
    struct text source = {(const char *)context->text.data, context->text.failed ? 0 : context->text.size};
    return text_starts(source, "when ") || text_starts(source, "when(") || text_starts(source, "Catch ");
}

// -- Values -----------------------------------------------------------------------------------------------------------

// Whether the value went through a pointer in a variable of the site's name, rather than through a reference.
static bool is_through_pointer(const struct replay_context *context, const struct timeline_step *step,
                               const struct site *site)
{
    uint32_t process = step->thread->process;
    const struct site *other;
    if (site->place != PLACE_INDIRECT || !site->name.size) {
        return false;
    }
    for (int32_t distance = -1; (other = story_neighbour(context, step, distance)); distance--) {
        const struct type *type = sites_type(context->sites, process, other->type);
        if (other->place != PLACE_INDIRECT && text_equal(other->name, site->name) && other->kind != SITE_STATEMENT) {
            return type && type->kind == TYPE_POINTER;
        }
    }
    return false;
}

// A captured variable is called as in the source, without the object that it is kept in.
static void write_place(struct buffer *into, const struct site *site, const struct site_value *value, bool captured)
{
    static const char *const unnamed[] = {"", "local", "parameter", "field", "static", "", "*ref", ""};
    if (site->owner == OWNER_OBJECT && value->owner_object == VALUE_OBJECT_INVALID) {
        buffer_printf(into, "(no object)%s", site->place == PLACE_ITEM ? "" : ".");
    } else if (site->owner == OWNER_OBJECT && !captured) {
        buffer_printf(into, "#%u%s", value->owner_object, site->place == PLACE_ITEM ? "" : ".");
    } else if (site->owner_name.size) {
        foreign_append(into, site->owner_name, FOREIGN_TEXT);
        buffer_text(into, ".");
    }
    if (site->name.size) {
        foreign_append(into, site->name, FOREIGN_TEXT);
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

// What stands before the value, or the part of it that `path` leads to. A nameless condition has but its value.
static void write_head(struct buffer *into, const struct site *site, const struct site_value *value, struct text path,
                       bool captured)
{
    bool condition = site->start_line && !site->name.size && site->place == PLACE_LOCAL;
    if (site->kind == SITE_ALLOCATION) {
        buffer_text(into, "new ");
    } else if (!condition && site->kind != SITE_RESULT) {
        write_place(into, site, value, captured);
        buffer_text(into, path.size ? "." : "");
        foreign_append(into, path, FOREIGN_TEXT);
        buffer_text(into, site->kind == SITE_USE ? " is " : " = ");
    }
}

static void write_known(struct buffer *into, const struct values *values, const struct site_value *value)
{
    static const char *const reasons[] = {"(not captured)", "(not captured: redacted)", "(not captured: too large)",
                                          "(not captured: its type is not known)",
                                          "(not captured: reading it could change what the program does)"};
    if (value->encoding == VALUE_NONE) {
        buffer_text(into, reasons[value->reason]);
    } else {
        value_story(into, values, value);
    }
}

bool story_part(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                struct text path, struct buffer *into)
{
    struct values values = replay_values(context, step);
    struct buffer bytes[2] = {{0}, {0}};
    struct site_value value, part;
    if (sites_take(context->sites, step->thread->process, site, step->cells, step->cells_left, &value) == UINT32_MAX) {
        return false;
    }
    bool captured = site->owner == OWNER_OBJECT && site->place == PLACE_FIELD && site->name.size &&
                    story_is_made(context, step->thread->process, value.owner_object);
    bool found = value_part(&values, &value, path, bytes, &part);
    if (found) {
        buffer_text(into, is_through_pointer(context, step, site) ? "*" : "");
        write_head(into, site, &value, path, captured);
        write_known(into, &values, &part);
    }
    into->failed |= bytes[0].failed || bytes[1].failed;
    buffer_free(&bytes[0]);
    buffer_free(&bytes[1]);
    return found;
}

void story_value(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                 struct buffer *into)
{
    (void)story_part(context, step, site, (struct text){0}, into);
}
