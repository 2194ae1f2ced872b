// See value.h: from the cells of a value and its type to text.
#include "view/value.h"

#include <stdio.h>
#include <string.h>

#include "base/foreign.h"
#include "base/tuple_names.h"

// Bounds of one value, which a damaged type could have without end: structs in structs, parts in all, and the text after
// which no further part begins.
enum { NESTING_MAX = 16, PARTS_MAX = 4096, TEXT_MAX = 1 << 20 };

struct writer {
    struct buffer *into;
    const struct values *values;
    bool story;
    bool line; // else, without story: what is written gets JSON's escapes later
    uint32_t depth, parts;
    size_t begun;            // size of `into` when the value began
    struct text tuple_names; // of what is written now, as it is declared (base/tuple_names.h)
};

static void write(struct writer *writer, const struct type *type, enum site_encoding encoding, const uint8_t *bytes,
                  uint32_t size);

static void write_text(struct writer *writer, struct text text)
{
    if (writer->story || writer->line) {
        foreign_append(writer->into, text, writer->story ? FOREIGN_TEXT : FOREIGN_VALUE);
    } else {
        buffer_append(writer->into, text.at, text.size);
    }
}

static void write_type(struct writer *writer, const struct type *type)
{
    struct buffer name = {0};
    if (!writer->story) {
        write_text(writer, type->name);
        return;
    }
    value_short_type(&name, type->name);
    write_text(writer, (struct text){(const char *)name.data, name.size});
    writer->into->failed |= name.failed;
    buffer_free(&name);
}

// Half of a surrogate pair as WTF-8 has it.
static bool lone_surrogate(struct text text, size_t at)
{
    const uint8_t *bytes = (const uint8_t *)text.at + at;
    return text.size - at >= 3 && bytes[0] == 0xED && bytes[1] >= 0xA0;
}

// Escapes what would end the line.
static void write_plain(struct writer *writer, char c)
{
    if (c == '\n' || c == '\r' || c == '\\') {
        buffer_u8(writer->into, '\\');
        c = c == '\n' ? 'n' : c == '\r' ? 'r' : c;
    }
    buffer_u8(writer->into, (uint8_t)c);
}

static void write_for_json(struct writer *writer, struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (lone_surrogate(text, i)) {
            buffer_text(writer->into, "\xEF\xBF\xBD");
            i += 2;
        } else {
            write_plain(writer, text.at[i]);
        }
    }
}

// In a story between marks, as C# writes it there. It stays on one line; half of a surrogate pair is U+FFFD.
static void write_quoted(struct writer *writer, struct text text, char mark, bool cut)
{
    if (writer->story) {
        buffer_u8(writer->into, (uint8_t)mark);
        foreign_append(writer->into, text, mark == '"' ? FOREIGN_STRING : FOREIGN_CHARACTER);
        buffer_u8(writer->into, (uint8_t)mark);
    } else if (writer->line) {
        foreign_append(writer->into, text, FOREIGN_VALUE);
    } else {
        write_for_json(writer, text);
    }
    buffer_text(writer->into, cut ? "..." : "");
}

// -- Primitives -------------------------------------------------------------------------------------------------------

static uint64_t number_at(const uint8_t *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = size < 8 ? size : 8; i-- > 0;) {
        number = number << 8 | bytes[i];
    }
    return number;
}

// A UTF-16 unit alone: half of a surrogate pair stands as in WTF-8.
static void write_character(struct writer *writer, uint16_t unit)
{
    char room[3];
    size_t size = 0;
    if (unit < 0x80) {
        room[size++] = (char)unit;
    } else if (unit < 0x800) {
        room[size++] = (char)(0xC0 | unit >> 6);
        room[size++] = (char)(0x80 | (unit & 0x3F));
    } else {
        room[size++] = (char)(0xE0 | unit >> 12);
        room[size++] = (char)(0x80 | (unit >> 6 & 0x3F));
        room[size++] = (char)(0x80 | (unit & 0x3F));
    }
    write_quoted(writer, (struct text){room, size}, '\'', false);
}

static void write_signed(struct writer *writer, int64_t number)
{
    buffer_printf(writer->into, "%lld", (long long)number);
}

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// How many bytes a value takes in memory; 0: its type says.
static uint32_t size_of(enum site_encoding encoding)
{
    static const uint8_t sizes[] = {
        [VALUE_BOOLEAN] = 1, [VALUE_CHAR] = 2, [VALUE_I1] = 1,       [VALUE_U1] = 1,       [VALUE_I2] = 2,
        [VALUE_U2] = 2,      [VALUE_I4] = 4,   [VALUE_U4] = 4,       [VALUE_R4] = 4,       [VALUE_I8] = 8,
        [VALUE_U8] = 8,      [VALUE_R8] = 8,   [VALUE_NATIVE_I] = 8, [VALUE_NATIVE_U] = 8, [VALUE_POINTER] = 8,
        [VALUE_OBJECT] = 8,  [VALUE_TYPED] = 0};
    return sizes[encoding];
}

static int64_t signed_number(enum site_encoding encoding, uint64_t bits)
{
    switch (encoding) {
    case VALUE_I1:
        return (int8_t)bits;
    case VALUE_I2:
        return (int16_t)bits;
    case VALUE_I4:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

static void write_primitive(struct writer *writer, enum site_encoding encoding, uint64_t bits)
{
    switch (encoding) {
    case VALUE_BOOLEAN:
        buffer_printf(writer->into, "%s", bits & 0xFF ? "True" : "False");
        return;
    case VALUE_CHAR:
        write_character(writer, (uint16_t)bits);
        return;
    case VALUE_I1:
    case VALUE_I2:
    case VALUE_I4:
    case VALUE_I8:
    case VALUE_NATIVE_I:
        write_signed(writer, signed_number(encoding, bits));
        return;
    case VALUE_R4:
        value_float(writer->into, float_of((uint32_t)bits));
        return;
    case VALUE_R8:
        value_double(writer->into, double_of(bits));
        return;
    case VALUE_POINTER:
        buffer_printf(writer->into, "0x%llx", (unsigned long long)bits);
        return;
    default:
        buffer_printf(writer->into, "%llu", (unsigned long long)bits);
        return;
    }
}

// -- Enums ------------------------------------------------------------------------------------------------------------

static const struct type_member *member_of(const struct type *type, int64_t value)
{
    for (uint32_t i = 0; i < type->member_count; i++) {
        if (type->members[i].value == value) {
            return &type->members[i];
        }
    }
    return NULL;
}

// The members that make up the bits, each the largest that still fits, as Enum.ToString() chooses them; then written from
// the smallest on. False when something is left over.
static bool write_flags(struct writer *writer, const struct type *type, uint64_t bits)
{
    enum { MOST = 64 };
    const struct type_member *chosen[MOST];
    uint32_t count = 0;
    uint64_t left = bits;
    while (left && count < MOST) {
        const struct type_member *best = NULL;
        for (uint32_t i = 0; i < type->member_count; i++) {
            uint64_t value = (uint64_t)type->members[i].value;
            bool larger = !best || value > (uint64_t)best->value;
            best = value && (left & value) == value && larger ? &type->members[i] : best;
        }
        if (!best) {
            return false;
        }
        left &= ~(uint64_t)best->value;
        chosen[count++] = best;
    }
    for (uint32_t i = count; i-- > 0;) {
        write_text(writer, chosen[i]->name);
        buffer_printf(writer->into, "%s", i ? writer->story ? " | " : ", " : "");
    }
    return count > 0;
}

static void write_enum(struct writer *writer, const struct type *type, enum site_encoding encoding, uint64_t bits)
{
    bool is_unsigned = encoding == VALUE_U1 || encoding == VALUE_U2 || encoding == VALUE_U4 || encoding == VALUE_U8;
    int64_t value = is_unsigned ? (int64_t)bits : signed_number(encoding, bits);
    const struct type_member *member = member_of(type, value);
    if (member) {
        write_text(writer, member->name);
    } else if (!type->flags || !write_flags(writer, type, (uint64_t)value)) {
        write_primitive(writer, encoding, bits);
    }
}

// -- Structs ----------------------------------------------------------------------------------------------------------

static uint32_t bytes_of_type(const struct type *type)
{
    return size_of(type->encoding) ? size_of(type->encoding) : type->size;
}

static const struct type_field *field_named(const struct type *type, const char *name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (text_equal(type->fields[i].name, text_of(name))) {
            return &type->fields[i];
        }
    }
    return NULL;
}

// A struct where it lies, with what is said of its type where it is declared.
struct whole {
    const struct type *type;
    const uint8_t *bytes;
    uint32_t size;
    struct text tuple_names;
};

// A part of it. A name that no one else has stands in `made`.
struct part {
    struct text name;
    char made[16];
    uint32_t type;        // number
    bool named;           // by the source alone
    bool there;           // its type is known, and it is not cut
    bool redacted;        // its name leaves it out
    struct whole content; // where it is there
};

static void read_part(const struct values *values, const struct whole *of, const struct type_field *field,
                      struct part *out)
{
    const struct type *type = sites_type(values->sites, values->process, field->type);
    uint32_t size = type ? bytes_of_type(type) : 0;
    *out = (struct part){.name = field->name, .type = field->type};
    out->redacted = type && type->kind == TYPE_REDACTED;
    out->there = type && type != of->type && !out->redacted && field->offset <= of->size &&
                 size <= of->size - field->offset && (size < of->size || of->type->kind != TYPE_NULLABLE);
    if (out->there) {
        struct text names = tuple_names_of_field(field->tuple_names, of->tuple_names);
        out->content = (struct whole){type, of->bytes + field->offset, size, names};
    }
}

static bool is_tuple(const struct type *type)
{
    return type->kind == TYPE_STRUCT && text_starts(type->name, "System.ValueTuple<");
}

// A field of a tuple, 8 for the rest. What is said of the tuple says more of it than of other fields.
static bool read_tuple_field(const struct values *values, const struct whole *tuple, uint32_t number, struct part *out)
{
    char name[16];
    struct text own;
    (void)snprintf(name, sizeof name, number > TUPLE_ITEMS ? "Rest" : "Item%u", number);
    const struct type_field *field = field_named(tuple->type, name);
    if (!field) {
        return false;
    }
    read_part(values, tuple, field, out);
    struct text called = tuple_names_item(tuple->tuple_names, number - 1, &own);
    out->named = called.size > 0;
    out->name = out->named ? called : out->name;
    out->content.tuple_names = own;
    return true;
}

// As the source sees them: in their order, those of the rest behind the others.
static bool read_item(const struct values *values, const struct whole *tuple, uint32_t index, struct part *out)
{
    struct whole at = *tuple;
    uint32_t number = index + 1;
    for (; number > TUPLE_ITEMS; number -= TUPLE_ITEMS) {
        if (!read_tuple_field(values, &at, TUPLE_ITEMS + 1, out)) {
            return false;
        }
        if (!out->there || !is_tuple(out->content.type) || out->content.size >= at.size) {
            return number == TUPLE_ITEMS + 1;
        }
        at = out->content;
    }
    bool found = read_tuple_field(values, &at, number, out);
    if (found && index >= TUPLE_ITEMS && !out->named) {
        (void)snprintf(out->made, sizeof out->made, "Item%u", index + 1);
        out->name = text_of(out->made);
    }
    return found;
}

// False: there are no so many.
static bool part_at(const struct values *values, const struct whole *of, uint32_t index, struct part *out)
{
    if (is_tuple(of->type)) {
        return read_item(values, of, index, out);
    }
    if (index >= of->type->field_count) {
        return false;
    }
    read_part(values, of, &of->type->fields[index], out);
    return true;
}

static void write_moment(struct buffer *into, uint64_t ticks)
{
    value_date(into, ticks);
    buffer_u8(into, ' ');
    value_time_of_day(into, ticks);
}

#define DATE_TICKS UINT64_C(0x3FFFFFFFFFFFFFFF) // the upper two bits of a DateTime are its kind

// The local time and how far it is from UTC.
static bool write_offset_moment(struct writer *writer, const struct type *type, const uint8_t *bytes, uint32_t size)
{
    const struct type_field *moment = field_named(type, "_dateTime"), *offset = field_named(type, "_offsetMinutes");
    if (!moment || !offset || size < 8 || moment->offset > size - 8 || offset->offset > size - 2) {
        return false;
    }
    int minutes = (int16_t)read_u16(bytes + offset->offset);
    uint64_t ticks = (number_at(bytes + moment->offset, 8) & DATE_TICKS) + (uint64_t)(minutes * INT64_C(600000000));
    write_moment(writer->into, ticks);
    int size_of_offset = minutes < 0 ? -minutes : minutes;
    buffer_printf(writer->into, " %c%02d:%02d", minutes < 0 ? '-' : '+', size_of_offset / 60, size_of_offset % 60);
    return true;
}

// Structs that read like primitives.
static const struct {
    const char *name;
    uint32_t size;
} primitive_like[] = {{"System.Decimal", 16},       {"System.Guid", 16},    {"System.Int128", 16},
                      {"System.UInt128", 16},       {"System.DateTime", 8}, {"System.TimeSpan", 8},
                      {"System.Half", 2},           {"System.DateOnly", 4}, {"System.TimeOnly", 8},
                      {"System.DateTimeOffset", 10}};

enum { PRIMITIVE_LIKE = sizeof primitive_like / sizeof *primitive_like };

// Its place in the table; PRIMITIVE_LIKE: it has none.
static uint32_t find_primitive_like(const struct type *type, uint32_t size)
{
    uint32_t which = 0;
    while (which < PRIMITIVE_LIKE && !text_equal(type->name, text_of(primitive_like[which].name))) {
        which++;
    }
    return which < PRIMITIVE_LIKE && size >= primitive_like[which].size ? which : PRIMITIVE_LIKE;
}

// False: it is none of them.
static bool write_primitive_like(struct writer *writer, const struct type *type, const uint8_t *bytes, uint32_t size)
{
    uint32_t which = find_primitive_like(type, size);
    if (which == PRIMITIVE_LIKE) {
        return false;
    }
    uint64_t low = number_at(bytes, primitive_like[which].size);
    struct buffer *into = writer->into;
    switch (which) {
    case 0:
        value_decimal(into, bytes);
        break;
    case 1:
        value_guid(into, bytes);
        break;
    case 2:
    case 3:
        value_int128(into, low, number_at(bytes + 8, 8), which == 2);
        break;
    case 4:
        write_moment(into, low & DATE_TICKS);
        break;
    case 5:
        value_time_span(into, (int64_t)low);
        break;
    case 6:
        value_half(into, (uint16_t)low);
        break;
    case 7:
        value_date(into, low * UINT64_C(864000000000));
        break;
    case 9:
        return write_offset_moment(writer, type, bytes, size);
    default: {
        struct buffer time = {0};
        value_time_of_day(&time, low);
        buffer_append(into, time.data, time.failed ? 0 : 5); // hours and minutes
        buffer_free(&time);
    }
    }
    return true;
}

static void write_part(struct writer *writer, const struct part *part)
{
    const struct whole *content = &part->content;
    struct text names = writer->tuple_names;
    writer->parts++;
    if (part->redacted) {
        buffer_printf(writer->into, "(not captured: redacted)");
        return;
    }
    if (!part->there || writer->depth >= NESTING_MAX) {
        buffer_u8(writer->into, '?');
        return;
    }
    writer->tuple_names = content->tuple_names;
    writer->depth++;
    write(writer, content->type, content->type->encoding, content->bytes, content->size);
    writer->depth--;
    writer->tuple_names = names;
}

static void write_nullable(struct writer *writer, const struct whole *nullable)
{
    const struct type_field *value = field_named(nullable->type, "value");
    struct part part;
    if (nullable->size == 0 || !value || nullable->bytes[0] == 0) {
        buffer_printf(writer->into, writer->story ? "null" : "NULL");
    } else {
        read_part(writer->values, nullable, value, &part);
        write_part(writer, &part);
    }
}

static bool is_full(const struct writer *writer)
{
    return writer->parts >= PARTS_MAX || writer->into->size - writer->begun > TEXT_MAX;
}

static void write_parts(struct writer *writer, const struct whole *whole)
{
    struct part part;
    buffer_printf(writer->into, "{");
    for (uint32_t i = 0; part_at(writer->values, whole, i, &part); i++) {
        buffer_printf(writer->into, i ? ", " : " ");
        if (is_full(writer)) {
            buffer_text(writer->into, "...");
            break;
        }
        write_text(writer, part.name);
        buffer_printf(writer->into, " = ");
        write_part(writer, &part);
    }
    buffer_printf(writer->into, " }");
}

static void write_struct(struct writer *writer, const struct type *type, const uint8_t *bytes, uint32_t size)
{
    struct whole whole = {type, bytes, size, writer->tuple_names};
    if (type->kind == TYPE_NULLABLE) {
        write_nullable(writer, &whole);
    } else if (!write_primitive_like(writer, type, bytes, size)) {
        if (writer->story && type->field_count && writer->depth < NESTING_MAX) {
            write_parts(writer, &whole);
        } else {
            write_type(writer, type);
        }
    }
}

// -- Objects ----------------------------------------------------------------------------------------------------------

// A character outside of the first 65,536, which takes four bytes, is two units.
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

static const struct recording_object *object_of(const struct values *values, uint32_t number)
{
    return number && values->objects ? objects_find(values->objects, values->process, number) : NULL;
}

static const struct type *type_of(const struct values *values, const struct recording_object *object)
{
    return object ? sites_type(values->sites, values->process, object->type) : NULL;
}

static uint64_t settled_key(const struct values *values, uint32_t object)
{
    return (uint64_t)values->process << 32 | object;
}

uint32_t value_perhaps(const struct values *values, uint32_t object)
{
    uint64_t settled;
    uint32_t perhaps = object && values->objects ? objects_perhaps(values->objects, values->process, object) : 0;
    bool said = perhaps && values->settled && map_get(values->settled, settled_key(values, object), &settled);
    return said ? 0 : perhaps;
}

bool value_settle(const struct values *values, uint32_t object)
{
    return !values->settled || map_put(values->settled, settled_key(values, object), 1);
}

// Once. Where there is no memory to know that it was, it is said again.
static void write_perhaps(struct writer *writer, uint32_t object, const char *before, const char *after)
{
    uint32_t perhaps = writer->story ? value_perhaps(writer->values, object) : 0;
    if (perhaps) {
        buffer_printf(writer->into, "%sperhaps #%u%s", before, perhaps, after);
        (void)value_settle(writer->values, object);
    }
}

// Of values whose type says no size all bytes are theirs.
enum value_box value_in_box(const struct values *values, const struct site_value *value, struct values *within,
                            struct site_value *out)
{
    uint32_t number = value_object(value), size;
    const struct type *type = type_of(values, object_of(values, number));
    if (!type || (type->kind != TYPE_PRIMITIVE && type->kind != TYPE_ENUM && type->kind != TYPE_STRUCT)) {
        return VALUE_NO_BOX;
    }
    *out = (struct site_value){.encoding = type->encoding, .type = type->number};
    if (values->boxed == BOX_NESTING_MAX || !boxes_find(values->boxes, number, &out->cells, &size)) {
        return VALUE_BOX_UNREAD;
    }
    if (size == 0) {
        return VALUE_BOX_LARGE;
    }
    out->size = bytes_of_type(type) ? bytes_of_type(type) : size;
    *within = *values;
    within->boxed++;
    return out->size <= size ? VALUE_BOX : VALUE_BOX_UNREAD;
}

const char *value_box_reason(enum value_box kind)
{
    return kind == VALUE_BOX_LARGE ? "too large" : "what is in it was not recorded";
}

// False: nothing more is known of it than of other objects.
static bool write_box(struct writer *writer, const struct site_value *reference, enum value_box *kind)
{
    const struct values *values = writer->values;
    struct values within;
    struct site_value value;
    *kind = value_in_box(values, reference, &within, &value);
    if (*kind != VALUE_BOX) {
        return false;
    }
    const struct type *type = sites_type(values->sites, values->process, value.type);
    bool opaque = type->encoding == VALUE_STRUCT && type->field_count == 0;
    if (opaque && find_primitive_like(type, value.size) == PRIMITIVE_LIKE) {
        return false;
    }
    writer->values = &within;
    write(writer, type, value.encoding, (const uint8_t *)value.cells, value.size);
    writer->values = values;
    if (writer->story) {
        buffer_text(writer->into, " (boxed ");
        write_type(writer, type);
        buffer_printf(writer->into, " #%u", value_object(reference));
        write_perhaps(writer, value_object(reference), ", ", "");
        buffer_u8(writer->into, ')');
    }
    return true;
}

static void write_object(struct writer *writer, uint32_t number)
{
    const struct recording_object *object = object_of(writer->values, number);
    const struct type *type = type_of(writer->values, object);
    if (number == 0) {
        buffer_printf(writer->into, writer->story ? "null" : "NULL");
        return;
    }
    if (number == VALUE_OBJECT_INVALID) {
        buffer_printf(writer->into, "(not captured: %s)", value_invalid_reason);
        return;
    }
    if (type && type->kind == TYPE_STRING) {
        write_quoted(writer, object->text, '"', utf16_units(object->text) < object->length);
        return;
    }
    const struct site_value reference = {.encoding = VALUE_OBJECT, .cells = &number};
    enum value_box kind;
    if (write_box(writer, &reference, &kind)) {
        return;
    }
    if (type) {
        write_type(writer, type);
    }
    if (writer->story || !type) {
        buffer_printf(writer->into, "%s#%u", type ? " " : "object ", number);
        write_perhaps(writer, number, " (", ")");
    }
    if (writer->story && (kind == VALUE_BOX_LARGE || kind == VALUE_BOX_UNREAD)) {
        buffer_printf(writer->into, " (not captured: %s)", value_box_reason(kind));
    }
}

// -- All --------------------------------------------------------------------------------------------------------------

static void write(struct writer *writer, const struct type *type, enum site_encoding encoding, const uint8_t *bytes,
                  uint32_t size)
{
    uint64_t bits = number_at(bytes, size);
    if (encoding == VALUE_OBJECT) {
        write_object(writer, (uint32_t)bits);
    } else if (encoding == VALUE_STRUCT) {
        if (type) {
            write_struct(writer, type, bytes, size);
        } else {
            buffer_printf(writer->into, "(%u bytes)", size);
        }
    } else if (encoding == VALUE_NONE || encoding == VALUE_TYPED) {
        buffer_u8(writer->into, '?');
    } else if (type && type->kind == TYPE_ENUM) {
        write_enum(writer, type, encoding, bits);
    } else {
        write_primitive(writer, encoding, bits);
    }
}

static void write_value(struct writer *writer, const struct site_value *value)
{
    const struct type *type = sites_type(writer->values->sites, writer->values->process, value->type);
    // In an event small values fill a cell; on a little-endian machine its first bytes are theirs.
    uint32_t small = size_of(value->encoding);
    uint32_t size = value->encoding == VALUE_OBJECT ? 4 : small && small < value->size ? small : value->size;
    write(writer, type, value->encoding, (const uint8_t *)value->cells, size);
}

void value_text(struct buffer *into, const struct values *values, const struct site_value *value)
{
    struct writer writer = {.into = into, .values = values, .begun = into->size, .tuple_names = value->tuple_names};
    write_value(&writer, value);
}

void value_line(struct buffer *into, const struct values *values, const struct site_value *value)
{
    struct writer writer = {
        .into = into, .values = values, .line = true, .begun = into->size, .tuple_names = value->tuple_names};
    write_value(&writer, value);
}

void value_story(struct buffer *into, const struct values *values, const struct site_value *value)
{
    struct writer writer = {
        .into = into, .values = values, .story = true, .begun = into->size, .tuple_names = value->tuple_names};
    write_value(&writer, value);
}

uint32_t value_object(const struct site_value *value)
{
    return value->encoding == VALUE_OBJECT && !value_is_invalid(value) ? value->cells[0] : 0;
}

const char value_invalid_reason[] = "it refers to no object";

bool value_is_invalid(const struct site_value *value)
{
    return value->encoding == VALUE_OBJECT && value->cells[0] == VALUE_OBJECT_INVALID;
}

// What a nullable holds stands in for it. False: it has no fields to show.
static bool has_parts(const struct values *values, struct whole *whole)
{
    for (uint32_t depth = 0; whole->type && whole->type->kind == TYPE_NULLABLE && depth < NESTING_MAX; depth++) {
        const struct type_field *held = field_named(whole->type, "value");
        struct part part;
        if (!held || whole->size == 0 || whole->bytes[0] == 0) {
            return false;
        }
        read_part(values, whole, held, &part);
        if (!part.there) {
            return false;
        }
        *whole = part.content;
    }
    return whole->type && whole->type->encoding == VALUE_STRUCT &&
           find_primitive_like(whole->type, whole->size) == PRIMITIVE_LIKE;
}

bool value_field(const struct values *values, const struct site_value *of, uint32_t index, struct buffer *bytes,
                 struct text *name, struct site_value *out)
{
    struct part part;
    struct whole whole = {.bytes = (const uint8_t *)of->cells, .size = of->size, .tuple_names = of->tuple_names};
    whole.type = of->encoding == VALUE_STRUCT ? sites_type(values->sites, values->process, of->type) : NULL;
    if (!has_parts(values, &whole) || !part_at(values, &whole, index, &part)) {
        return false;
    }
    uint32_t size = part.there ? part.content.size : 0;
    buffer_clear(bytes);
    buffer_append(bytes, part.content.bytes, size);
    buffer_append(bytes, part.name.at, part.name.size);
    *name = bytes->failed ? (struct text){0} : (struct text){(const char *)bytes->data + size, part.name.size};
    *out = (struct site_value){.encoding = VALUE_NONE,
                               .reason = part.redacted ? REASON_REDACTED : REASON_UNKNOWN,
                               .type = part.type,
                               .tuple_names = part.content.tuple_names};
    if (part.there && !bytes->failed) {
        out->encoding = part.content.type->encoding;
        out->reason = REASON_NONE;
        out->size = size;
        out->cells = (const uint32_t *)(const void *)bytes->data;
    }
    return true;
}

bool value_part(const struct values *values, const struct site_value *of, struct text path, struct buffer bytes[2],
                struct site_value *out)
{
    *out = *of;
    for (uint32_t step = 0; path.size > 0; step++) {
        const struct site_value whole = *out;
        const char *dot = memchr(path.at, '.', path.size);
        struct text wanted = {path.at, dot ? (size_t)(dot - path.at) : path.size}, name = {0};
        uint32_t index = 0;
        do {
            if (!value_field(values, &whole, index++, &bytes[step % 2], &name, out)) {
                return false;
            }
        } while (!text_equal(name, wanted));
        path = dot ? (struct text){dot + 1, path.size - wanted.size - 1} : (struct text){0};
    }
    return true;
}

struct text value_type_name(const struct values *values, const struct site_value *value)
{
    const struct recording_object *object = object_of(values, value_object(value));
    const struct type *type = sites_type(values->sites, values->process, object ? object->type : value->type);
    return type ? type->name : text_of("?");
}
