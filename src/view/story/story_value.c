// See story_value.h.
#include "view/story/story_value.h"

#include <inttypes.h>

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
    if (!place_is_indirect(site->place) || !site->name.size) {
        return false;
    }
    for (int32_t distance = -1; (other = story_neighbour(context, step, distance)); distance--) {
        const struct type *type = sites_type(context->sites, process, other->type);
        if (!place_is_indirect(other->place) && text_equal(other->name, site->name) && other->kind != SITE_STATEMENT) {
            return type && type->kind == TYPE_POINTER;
        }
    }
    return false;
}

// Writes the key of an item, or its index: all of them, if the array has several dimensions.
static void write_index(struct buffer *into, const struct values *values, const struct site *site,
                        const struct site_value *value)
{
    int64_t indices[VALUE_INDICES_MAX];
    uint32_t count = 0;
    buffer_text(into, "[");
    if (site->place != PLACE_ITEM) {
        struct site_value key = sites_key(values->sites, values->process, site, value);
        value_story(into, values, &key);
    } else if (value->item == ITEM_UNKNOWN) {
        buffer_text(into, "?");
    } else if ((count = value_indices(values, value->owner_object, value->item, indices)) == 0) {
        buffer_printf(into, "%d", value->item);
    }
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(into, "%s%" PRId64, i ? "," : "", indices[i]);
    }
    buffer_text(into, "]");
}

// Writes the place that has the value. A captured variable is named as in the source, without the closure that holds
// it.
static void write_place(struct buffer *into, const struct values *values, const struct site *site,
                        const struct site_value *value, bool captured)
{
    static const char *const unnamed[] = {"",     "local", "parameter", "field", "static", "",
                                          "*ref", "",      "",          "",      "*ref",   "field"};
    static_assert(sizeof unnamed / sizeof *unnamed == PLACE_ITEM_FIELD + 1, "a name for each place");
    if (site->owner == OWNER_OBJECT && value->owner_object == VALUE_OBJECT_INVALID) {
        buffer_printf(into, "(no object)%s", place_is_item(site->place) ? "" : ".");
    } else if (site->owner == OWNER_OBJECT && !captured) {
        buffer_printf(into, "#%u%s", value->owner_object, place_is_item(site->place) ? "" : ".");
    } else if (site->owner_name.size) {
        foreign_append(into, site->owner_name, FOREIGN_TEXT);
        buffer_text(into, ".");
    }
    if (site->name.size) {
        foreign_append(into, site->name, FOREIGN_TEXT);
    } else if (!place_is_item(site->place)) {
        buffer_text(into, unnamed[site->place]);
        if (site->place == PLACE_LOCAL || site->place == PLACE_PARAMETER) {
            buffer_printf(into, "%u", site->index);
        }
    }
    if (place_is_item(site->place)) {
        write_index(into, values, site, value);
    }
}

// Writes the text before the value, or before the part of it that `path` selects. An unnamed condition has none.
static void write_head(struct buffer *into, const struct values *values, const struct site *site,
                       const struct site_value *value, struct text path, bool captured)
{
    bool condition = site->start_line && !site->name.size && site->place == PLACE_LOCAL;
    if (site->kind == SITE_ALLOCATION) {
        buffer_text(into, "new ");
    } else if (!condition && site->kind != SITE_RESULT) {
        write_place(into, values, site, value, captured);
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

// The path of the place. The index that the event has is that of the last item in it.
static void write_path(struct buffer *into, const struct site *site, const struct site_value *value)
{
    struct text path = site->path;
    size_t index = place_is_in_item(site->place) ? path.size : 0;
    while (index > 0 && !text_starts(text_from(path, index), "[]")) {
        index--;
    }
    if (index > 0) {
        foreign_append(into, (struct text){path.at, index}, FOREIGN_TEXT);
        buffer_printf(into, "[%d]", value->item);
        path = text_from(path, index + sizeof "[]" - 1);
    }
    foreign_append(into, path, FOREIGN_TEXT);
}

// The part of the value that the source assigns, with the path of the whole place: `v.In.A = 9`, of an event that has `v.In`.
// False: the event does not say, or the value has no such part.
static bool write_assigned(struct buffer *into, const struct values *values, const struct site *site,
                           const struct site_value *value, struct buffer bytes[2])
{
    struct text path = site->path, within = text_from(path, path.size - site->path_part);
    struct site_value part;
    if (!path.size || !value_part(values, value, within, bytes, &part)) {
        return false;
    }
    write_path(into, site, value);
    buffer_text(into, " = ");
    write_known(into, values, &part);
    return true;
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
    bool assigned = path.size == 0 && write_assigned(into, &values, site, &value, bytes);
    bool found = assigned || value_part(&values, &value, path, bytes, &part);
    if (found && !assigned) {
        buffer_text(into, is_through_pointer(context, step, site) ? "*" : "");
        write_head(into, &values, site, &value, path, captured);
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
