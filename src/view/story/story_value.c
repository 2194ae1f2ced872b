// See story_value.h.
#include "view/story/story_value.h"

#include "base/assert.h"
#include "base/foreign.h"
#include "view/story/story_generated.h"

const struct site *story_neighbour(const struct replay_context *context, const struct event_step *step,
                                   int32_t distance)
{
    enum { NEIGHBOURS_MAX = 4096 };
    uint32_t process = step->thread->process, number = step->site + (uint32_t)distance;
    bool near = distance < NEIGHBOURS_MAX && distance > -NEIGHBOURS_MAX;
    bool same =
        near && sites_method(context->sites, process, number) == sites_method(context->sites, process, step->site);
    return same ? sites_site(context->sites, process, number) : NULL;
}

// Whether the value was stored through a pointer in a variable of the site's name, not through a reference. The nearest
// earlier site of that name gives the variable's type.
static bool is_through_pointer(const struct replay_context *context, const struct event_step *step,
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

// Writes the place that has the value. A captured variable is named as in the source, without the closure that holds
// it.
static void write_place(struct buffer *into, const struct site *site, const struct site_value *value, bool captured)
{
    static const char *const unnamed[] = {"", "local", "parameter", "field", "static", "", "*ref", ""};
    static_assert(sizeof unnamed / sizeof *unnamed == PLACE_RESULT + 1, "a name for each place");
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

// Writes the text before the value, or before the part of it that `path` selects. An unnamed condition has none.
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

// Writes a value, or why it was not captured.
static void write_known(struct buffer *into, const struct values *values, const struct site_value *value)
{
    static const char *const reasons[] = {"(not captured)", "(not captured: redacted)", "(not captured: too large)",
                                          "(not captured: its type is not known)",
                                          "(not captured: reading it could change what the program does)"};
    static_assert(sizeof reasons / sizeof *reasons == REASON_UNSAFE + 1, "a text for each reason");
    if (value->encoding == VALUE_NONE) {
        buffer_text(into, reasons[value->reason]);
    } else {
        value_story(into, values, value);
    }
}

bool story_part(struct replay_context *context, const struct event_step *step, const struct site *site,
                struct text path, struct buffer *into)
{
    struct values values = replay_values(context, step);
    struct buffer bytes[2] = {{0}, {0}};
    struct site_value value, part;
    if (!replay_take(context, step, site, &value)) {
        return false;
    }
    bool captured = site->owner == OWNER_OBJECT && site->place == PLACE_FIELD && site->name.size &&
                    story_generated_object(context, step->thread->process, value.owner_object);
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

void story_value(struct replay_context *context, const struct event_step *step, const struct site *site,
                 struct buffer *into)
{
    (void)story_part(context, step, site, (struct text){0}, into);
}
