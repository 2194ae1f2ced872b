// See value.h. A value is written according to its encoding and type. Structs and boxes recurse into the values that
// they contain.
#include "view/text/value.h"

#include "base/assert.h"
#include "view/text/value_object.h"
#include "view/text/value_parts.h"
#include "view/text/value_scalar.h"
#include "view/text/value_style.h"
#include "view/text/value_well_known.h"

// Limits for one value, because a damaged type can contain itself: nested structs, parts in total, and bytes of text
// after which no further part begins.
enum { NESTING_MAX = 16, PARTS_MAX = 4096, TEXT_MAX = 1 << 20 };

// The state of writing one value.
struct writer {
    struct buffer *into;
    const struct values *values;
    enum value_style style;
    bool iso; // dates
    uint32_t depth, parts;
    size_t begun; // size of `into` at the start of the value
};

static void write(struct writer *writer, const struct value_content *content);

static bool is_story(const struct writer *writer)
{
    return writer->style == VALUE_STYLE_STORY;
}

static void write_null(struct writer *writer)
{
    buffer_text(writer->into, is_story(writer) ? "null" : "NULL");
}

// -- Structs ----------------------------------------------------------------------------------------------------------

static void write_part(struct writer *writer, const struct value_part *part)
{
    writer->parts++;
    if (part->redacted) {
        buffer_text(writer->into, "(not captured: redacted)");
        return;
    }
    if (!part->known || writer->depth >= NESTING_MAX) {
        buffer_u8(writer->into, '?');
        return;
    }
    writer->depth++;
    CLEW_ASSERT(writer->depth <= NESTING_MAX);
    write(writer, &part->content);
    writer->depth--;
}

static void write_nullable(struct writer *writer, const struct value_content *nullable)
{
    struct value_part value;
    if (value_in_nullable(writer->values, nullable, &value)) {
        write_part(writer, &value);
    } else {
        write_null(writer);
    }
}

static bool is_full(const struct writer *writer)
{
    return writer->parts >= PARTS_MAX || writer->into->size - writer->begun > TEXT_MAX;
}

// Writes `{ X = 1, Y = 2 }`.
static void write_parts(struct writer *writer, const struct value_content *whole)
{
    struct value_part part;
    buffer_u8(writer->into, '{');
    for (uint32_t i = 0; value_part_at(writer->values, whole, i, &part); i++) {
        buffer_text(writer->into, i ? ", " : " ");
        if (is_full(writer)) {
            buffer_text(writer->into, "...");
            break;
        }
        value_style_name(writer->into, writer->style, part.name);
        buffer_text(writer->into, " = ");
        write_part(writer, &part);
    }
    buffer_text(writer->into, " }");
}

// Outside stories a struct without a text of its own is printed as its type's name, as ToString() would.
static void write_struct(struct writer *writer, const struct value_content *content)
{
    if (!content->type) {
        buffer_printf(writer->into, "(%u bytes)", content->size);
    } else if (content->type->kind == TYPE_NULLABLE) {
        write_nullable(writer, content);
    } else if ((writer->iso ? value_well_known_iso : value_well_known)(writer->into, content)) {
        return;
    } else if (is_story(writer) && content->type->field_count && writer->depth < NESTING_MAX) {
        write_parts(writer, content);
    } else {
        value_style_type(writer->into, writer->style, content->type->name);
    }
}

// -- Objects ----------------------------------------------------------------------------------------------------------

// The length of a string in UTF-16 units, which is how .NET counts. Four bytes of UTF-8 are two units.
static uint64_t utf16_units(struct text text)
{
    uint64_t units = 0;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = (uint8_t)text.at[i];
        units += (byte & 0xC0) != 0x80;
        units += byte >= 0xF0;
    }
    return units;
}

// Mentions the earlier object that this one may be, once per object. If memory runs out, it is mentioned again.
static void write_uncertain(struct writer *writer, uint32_t object, const char *before, const char *after)
{
    uint32_t earlier = is_story(writer) ? value_uncertain(writer->values, object) : 0;
    if (earlier) {
        buffer_printf(writer->into, "%sperhaps #%u%s", before, earlier, after);
        (void)value_settle(writer->values, object);
    }
}

// Whether only the type of a value can be printed.
static bool is_opaque(const struct value_content *content)
{
    return content->encoding == VALUE_STRUCT && content->type->field_count == 0 && !value_is_well_known(content);
}

// Writes ` (boxed int #7)`.
static void write_box_type(struct writer *writer, const struct type *type, uint32_t object)
{
    buffer_text(writer->into, " (boxed ");
    value_style_type(writer->into, writer->style, type->name);
    buffer_printf(writer->into, " #%u", object);
    write_uncertain(writer, object, ", ", "");
    buffer_u8(writer->into, ')');
}

// Writes the value in a box. False: nothing was written, because the contents are unknown; *kind says why.
static bool write_box(struct writer *writer, uint32_t object, struct text tuple_names, enum value_box *kind)
{
    const struct site_value reference = {.encoding = VALUE_OBJECT, .cells = &object};
    const struct values *outside = writer->values;
    struct values within;
    struct site_value value;
    *kind = value_in_box(outside, &reference, &within, &value);
    if (*kind != VALUE_BOX) {
        return false;
    }
    const struct value_content content = {.encoding = value.encoding,
                                          .type = sites_type(outside->sites, outside->process, value.type),
                                          .bytes = (const uint8_t *)value.cells,
                                          .size = value.size,
                                          .tuple_names = tuple_names};
    CLEW_ASSERT(content.type && "value_in_box() knows the type of what it finds");
    if (is_opaque(&content)) {
        return false;
    }
    writer->values = &within;
    write(writer, &content);
    writer->values = outside;
    if (is_story(writer)) {
        write_box_type(writer, content.type, object);
    }
    return true;
}

// Writes an object by its type and number.
static void write_reference(struct writer *writer, const struct type *type, uint32_t number, enum value_box box)
{
    if (type) {
        value_style_type(writer->into, writer->style, type->name);
    }
    if (is_story(writer) || !type) {
        buffer_printf(writer->into, "%s#%u", type ? " " : "object ", number);
        write_uncertain(writer, number, " (", ")");
    }
    if (is_story(writer) && (box == VALUE_BOX_LARGE || box == VALUE_BOX_UNREAD)) {
        buffer_printf(writer->into, " (not captured: %s)", value_box_reason(box));
    }
}

// Writes a reference: null, the text of a string, the value in a box, or the object itself.
static void write_object(struct writer *writer, uint32_t number, struct text tuple_names)
{
    const struct recording_object *object = value_object_record(writer->values, number);
    const struct type *type = value_object_type(writer->values, object);
    enum value_box box;
    if (number == 0) {
        write_null(writer);
    } else if (number == VALUE_OBJECT_INVALID) {
        buffer_printf(writer->into, "(not captured: %s)", value_invalid_reason);
    } else if (type && type->kind == TYPE_STRING) {
        bool cut = utf16_units(object->text) < object->length;
        value_style_quoted(writer->into, writer->style, object->text, '"', cut);
    } else if (!write_box(writer, number, tuple_names, &box)) {
        write_reference(writer, type, number, box);
    }
}

// -- All --------------------------------------------------------------------------------------------------------------

static void write(struct writer *writer, const struct value_content *content)
{
    const struct type *type = content->type;
    if (content->encoding == VALUE_OBJECT) {
        write_object(writer, (uint32_t)value_bits(content), content->tuple_names);
    } else if (content->encoding == VALUE_STRUCT) {
        write_struct(writer, content);
    } else if (content->encoding == VALUE_NONE || content->encoding == VALUE_TYPED) {
        buffer_u8(writer->into, '?');
    } else if (type && type->kind == TYPE_ENUM) {
        value_enum(writer->into, writer->style, type, content->encoding, value_bits(content));
    } else {
        value_primitive(writer->into, writer->style, content->encoding, value_bits(content));
    }
}

// The size of a value in an event. Small values are padded to a cell, and an object is represented by its number.
static uint32_t size_in_event(const struct site_value *value)
{
    uint32_t size = value_encoding_size(value->encoding);
    if (value->encoding == VALUE_OBJECT) {
        return sizeof value->cells[0];
    }
    return size && size < value->size ? size : value->size;
}

// Common part of the public functions.
static void write_value(struct buffer *into, const struct values *values, const struct site_value *value,
                        enum value_style style, bool iso)
{
    struct writer writer = {.into = into, .values = values, .style = style, .iso = iso, .begun = into->size};
    const struct value_content content = {.encoding = value->encoding,
                                          .type = sites_type(values->sites, values->process, value->type),
                                          .bytes = (const uint8_t *)value->cells,
                                          .size = size_in_event(value),
                                          .tuple_names = value->tuple_names};
    write(&writer, &content);
}

void value_text(struct buffer *into, const struct values *values, const struct site_value *value)
{
    write_value(into, values, value, VALUE_STYLE_JSON, false);
}

void value_asked(struct buffer *into, const struct values *values, const struct site_value *value)
{
    write_value(into, values, value, VALUE_STYLE_JSON, true);
}

void value_line(struct buffer *into, const struct values *values, const struct site_value *value)
{
    write_value(into, values, value, VALUE_STYLE_LINE, false);
}

void value_story(struct buffer *into, const struct values *values, const struct site_value *value)
{
    write_value(into, values, value, VALUE_STYLE_STORY, true);
}
