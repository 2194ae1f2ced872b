// See replay_json_site.h. doc/json.md defines these objects.
#include "view/replay/replay_json_site.h"

#include "base/assert.h"
#include "view/json/json_rows.h"

static const char *kind_name(enum site_kind kind)
{
    static const char *const names[] = {"statement", "definition", "use", "argument", "result", "allocation"};
    static_assert(sizeof names / sizeof *names == SITE_ALLOCATION + 1, "a name for each kind");
    return names[kind];
}

static const char *place_name(enum site_place place)
{
    static const char *const names[] = {"none",     "local",  "parameter", "field", "static",   "item",
                                        "indirect", "result", "item",      "item",  "indirect", "field"};
    static_assert(sizeof names / sizeof *names == PLACE_ITEM_FIELD + 1, "a name for each place");
    return names[place];
}

static const char *reason_name(enum site_reason reason)
{
    static const char *const names[] = {"", "redacted", "too large", "its type is not known", "not safe to read"};
    static_assert(sizeof names / sizeof *names == REASON_UNSAFE + 1, "a text for each reason");
    return names[reason];
}

void replay_json_range(struct json *json, const struct replay_context *context, const struct event_step *step,
                       const struct site *site)
{
    const struct recording_document *document = replay_document(context, step, site);
    json_member_maybe(json, "line", site->start_line, site->start_line != 0);
    if (site->start_line) {
        json_member_u64(json, "column", site->start_column);
        json_member_u64(json, "end_line", site->end_line);
        json_member_u64(json, "end_column", site->end_column);
    }
    if (document) {
        json_member_text(json, "file", document->path);
    }
}

// The indices of an item of an array with several dimensions; `index` is its position.
static void write_indices(struct json *json, const struct values *values, const struct site_value *value)
{
    int64_t indices[VALUE_INDICES_MAX];
    uint32_t count = value_indices(values, value->owner_object, value->item, indices);
    if (count == 0) {
        return;
    }
    json_key(json, "indices");
    json_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        json_i64(json, indices[i]);
    }
    json_close(json, ']');
}

// Describes the place that has the value: its kind, name and index, and the object or variable that contains it.
static void write_place(struct json *json, const struct values *values, const struct site *site,
                        const struct site_value *value)
{
    json_member_text(json, "place", text_of(place_name(site->place)));
    if (site->name.size) {
        json_member_text(json, "name", site->name);
    }
    if (site->place == PLACE_ITEM) {
        json_key(json, "index");
        value->item == ITEM_UNKNOWN ? json_null(json) : json_i64(json, value->item);
        write_indices(json, values, value);
    } else if (!place_is_item(site->place) && site->place != PLACE_SPAN_ITEM) {
        json_member_u64(json, "index", site->index);
    }
    if (place_is_in_item(site->place)) {
        json_key(json, "indices");
        json_open(json, '[');
        json_i64(json, value->item);
        json_close(json, ']');
    }
    if (site->owner == OWNER_OBJECT) {
        json_member_maybe(json, "owner", value->owner_object, value->owner_object != VALUE_OBJECT_INVALID);
    } else if (site_is_in_variable(site)) {
        json_member_text(json, "owner_place", text_of(site->owner == OWNER_LOCAL ? "local" : "parameter"));
        json_member_u64(json, "owner_index", site->owner_index);
    }
    if (site->owner_name.size) {
        json_member_text(json, "owner_name", site->owner_name);
    }
    if (site->path.size) {
        json_member_text(json, "path", site->path);
    }
}

// Writes why there is no value.
static void write_absent(struct json *json, const struct values *values, const struct site_value *value)
{
    json_member_text(json, "type", value_type_name(values, value));
    json_member_text(json, "not_captured", text_of(reason_name(value->reason)));
}

// Writes one value with the values in it.
struct writer {
    struct json *json;
    struct replay_context *context;
    uint32_t fields; // number of fields written so far
};

static void write_known(struct writer *writer, const struct values *values, const struct site_value *value,
                        uint32_t depth);

static void write_field(struct writer *writer, const struct values *values, struct text name,
                        const struct site_value *field, uint32_t depth)
{
    struct json *json = writer->json;
    json_open(json, '{');
    json_member_text(json, "name", name);
    if (field->encoding == VALUE_NONE) {
        write_absent(json, values, field);
    } else {
        write_known(writer, values, field, depth);
    }
    json_close(json, '}');
}

// Writes a struct's fields, each like a value of its own.
static void write_fields(struct writer *writer, const struct values *values, const struct site_value *value,
                         uint32_t depth)
{
    enum { NESTING_MAX = 16, FIELDS_MAX = 4096 }; // a damaged type can contain itself
    struct json *json = writer->json;
    struct buffer bytes = {0};
    struct site_value field;
    struct text name;
    uint32_t count = 0;
    for (;
         depth < NESTING_MAX && writer->fields < FIELDS_MAX && value_field(values, value, count, &bytes, &name, &field);
         count++) {
        writer->fields++;
        if (count == 0) {
            json_key(json, "fields");
            json_open(json, '[');
        }
        write_field(writer, values, name, &field, depth + 1);
    }
    if (count) {
        json_close(json, ']');
    }
    writer->context->text.failed |= bytes.failed;
    buffer_free(&bytes);
}

// The value as text, for people, and field by field, for programs.
static void write_text_and_fields(struct writer *writer, const struct values *values, const struct site_value *value,
                                  uint32_t depth)
{
    struct buffer *text = &writer->context->text;
    buffer_clear(text);
    value_text(text, values, value);
    json_member_text(writer->json, "value", text_in(text));
    write_fields(writer, values, value, depth);
}

// The member `perhaps`: the earlier object that this one may be.
static void write_uncertain(struct json *json, const struct values *values, uint32_t object)
{
    uint32_t earlier = value_uncertain(values, object);
    if (earlier) {
        json_member_u64(json, "perhaps", earlier);
    }
}

// Writes everything known about a value: type, text, object, fields. For a box, text and fields are those of its
// contents.
static void write_known(struct writer *writer, const struct values *values, const struct site_value *value,
                        uint32_t depth)
{
    struct json *json = writer->json;
    struct values within;
    struct site_value boxed;
    uint32_t object = value_object(value);
    enum value_box box = value_in_box(values, value, &within, &boxed);
    json_member_text(json, "type", value_type_name(values, value));
    if (value->encoding == VALUE_OBJECT) {
        json_member_maybe(json, "object", object, object != 0);
        write_uncertain(json, values, object);
    }
    if (value_is_invalid(value)) {
        json_member_text(json, "not_captured", text_of(value_invalid_reason));
    } else if (value->encoding == VALUE_OBJECT && object == 0) {
        json_key(json, "value");
        json_null(json);
    } else if (box == VALUE_BOX) {
        write_text_and_fields(writer, &within, &boxed, depth);
    } else if (box != VALUE_NO_BOX) {
        json_member_text(json, "not_captured", text_of(value_box_reason(box)));
    } else {
        write_text_and_fields(writer, values, value, depth);
    }
}

// The key of an item of a dictionary, like a value of its own.
static void write_key(struct writer *writer, const struct values *values, const struct site *site,
                      const struct site_value *value)
{
    if (site->place == PLACE_KEY || site->place == PLACE_KEY_OBJECT) {
        struct site_value key = sites_key(values->sites, values->process, site, value);
        json_key(writer->json, "key");
        json_open(writer->json, '{');
        write_known(writer, values, &key, 0);
        json_close(writer->json, '}');
    }
}

static void write_value(struct json *json, struct replay_context *context, const struct event_step *step,
                        const struct site *site)
{
    struct values values = replay_values(context, step);
    struct writer writer = {.json = json, .context = context};
    struct site_value value;
    if (!replay_take(context, step, site, &value)) {
        return;
    }
    write_place(json, &values, site, &value);
    write_key(&writer, &values, site, &value);
    if (value.encoding == VALUE_NONE) {
        write_absent(json, &values, &value);
    } else {
        write_known(&writer, &values, &value, 0);
    }
}

void replay_json_call(struct json *json, const struct event_step *step)
{
    uint64_t call = step->frame ? step->frame->call : 0;
    if (step->thread->stream.next_call > 0) {
        json_member_maybe(json, "call", call, call > 0);
    }
}

void replay_json_site(struct json *json, struct replay_context *context, const struct event_step *step,
                      const struct site *site)
{
    CLEW_ASSERT(step->kind == STEP_SITE);
    json_member_text(json, "event", text_of(kind_name(site->kind)));
    json_member_u64(json, "process", step->thread->process);
    json_member_u64(json, "thread", step->thread->thread);
    json_member_u64(json, "depth", step->level);
    replay_json_call(json, step);
    json_member_u64(json, "offset", site->il_offset);
    if (site->kind == SITE_STATEMENT) {
        replay_json_range(json, context, step, site);
    } else {
        write_value(json, context, step, site);
    }
}
