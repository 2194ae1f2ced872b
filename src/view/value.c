// See value.h: from the cells of a value and its type to text.
#include "view/value.h"

#include <string.h>

enum { NESTING_MAX = 16 }; // structs in structs: a damaged type may contain itself

struct writer {
    struct buffer *into;
    const struct values *values;
    bool story;
    uint32_t depth;
};

static void write(struct writer *writer, const struct type *type, enum site_encoding encoding, const uint8_t *bytes,
                  uint32_t size);

static void write_text(struct writer *writer, struct text text)
{
    buffer_append(writer->into, text.at, text.size);
}

static void write_type(struct writer *writer, const struct type *type)
{
    if (writer->story) {
        value_short_type(writer->into, type->name);
    } else {
        write_text(writer, type->name);
    }
}

// Half of a surrogate pair as WTF-8 has it.
static bool lone_surrogate(struct text text, size_t at)
{
    const uint8_t *bytes = (const uint8_t *)text.at + at;
    return text.size - at >= 3 && bytes[0] == 0xED && bytes[1] >= 0xA0;
}

// As C# writes it between quotation marks, where a story has them.
static void write_for_people(struct writer *writer, char c, char mark)
{
    static const char names[][3] = {['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r"};
    unsigned char code = (unsigned char)c;
    if (c == mark || c == '\\') {
        buffer_printf(writer->into, "\\%c", c);
    } else if (code < sizeof names / sizeof *names && names[code][0]) {
        buffer_text(writer->into, names[code]);
    } else if (code < ' ' || code == 0x7F) {
        buffer_printf(writer->into, "\\u%04x", code);
    } else {
        buffer_u8(writer->into, code);
    }
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

// In a story between marks. What comes out is UTF-8 on one line, in which half of a surrogate pair is U+FFFD.
static void write_quoted(struct writer *writer, struct text text, char mark, bool cut)
{
    if (writer->story) {
        buffer_u8(writer->into, (uint8_t)mark);
    }
    for (size_t i = 0; i < text.size; i++) {
        if (lone_surrogate(text, i)) {
            buffer_text(writer->into, "\xEF\xBF\xBD");
            i += 2;
        } else if (writer->story) {
            write_for_people(writer, text.at[i], mark);
        } else {
            write_plain(writer, text.at[i]);
        }
    }
    if (writer->story) {
        buffer_u8(writer->into, (uint8_t)mark);
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

static void write_object(struct writer *writer, uint32_t number)
{
    const struct recording_object *object =
        writer->values->objects ? objects_find(writer->values->objects, writer->values->process, number) : NULL;
    const struct type *type = object ? sites_type(writer->values->sites, writer->values->process, object->type) : NULL;
    if (number == 0) {
        buffer_printf(writer->into, writer->story ? "null" : "NULL");
        return;
    }
    if (type && type->kind == TYPE_STRING) {
        write_quoted(writer, object->text, '"', utf16_units(object->text) < object->length);
        return;
    }
    if (type) {
        write_type(writer, type);
    }
    if (writer->story || !type) {
        buffer_printf(writer->into, "%s#%u", type ? " " : "object ", number);
    }
}

// -- Structs ----------------------------------------------------------------------------------------------------------

static uint32_t bytes_of_type(const struct type *type)
{
    return size_of(type->encoding) ? size_of(type->encoding) : type->size;
}

// A field of a value of so many bytes, or NULL when it is not all there; *type is its type.
static const struct type_field *whole_field(const struct values *values, const struct type_field *field, uint32_t size,
                                            const struct type **type)
{
    *type = field ? sites_type(values->sites, values->process, field->type) : NULL;
    uint32_t own = *type ? bytes_of_type(*type) : 0;
    return *type && field->offset <= size && own <= size - field->offset ? field : NULL;
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
    if (!moment || !offset || moment->offset + 8 > size || offset->offset + 2 > size) {
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

static void write_field(struct writer *writer, const struct type_field *field, const uint8_t *bytes, uint32_t size)
{
    const struct type *type;
    if (!whole_field(writer->values, field, size, &type)) {
        buffer_u8(writer->into, '?');
        return;
    }
    write(writer, type, type->encoding, bytes + field->offset, bytes_of_type(type));
}

static void write_nullable(struct writer *writer, const struct type *type, const uint8_t *bytes, uint32_t size)
{
    const struct type_field *value = field_named(type, "value");
    if (size == 0 || !value || bytes[0] == 0) {
        buffer_printf(writer->into, writer->story ? "null" : "NULL");
    } else {
        write_field(writer, value, bytes, size);
    }
}

static void write_fields(struct writer *writer, const struct type *type, const uint8_t *bytes, uint32_t size)
{
    buffer_printf(writer->into, "{");
    for (uint32_t i = 0; i < type->field_count; i++) {
        buffer_printf(writer->into, i ? ", " : " ");
        write_text(writer, type->fields[i].name);
        buffer_printf(writer->into, " = ");
        write_field(writer, &type->fields[i], bytes, size);
    }
    buffer_printf(writer->into, " }");
}

static void write_struct(struct writer *writer, const struct type *type, const uint8_t *bytes, uint32_t size)
{
    if (type->kind == TYPE_NULLABLE) {
        write_nullable(writer, type, bytes, size);
    } else if (!write_primitive_like(writer, type, bytes, size)) {
        if (writer->story && type->field_count && writer->depth < NESTING_MAX) {
            writer->depth++;
            write_fields(writer, type, bytes, size);
            writer->depth--;
        } else {
            write_type(writer, type);
        }
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
    struct writer writer = {.into = into, .values = values};
    write_value(&writer, value);
}

void value_story(struct buffer *into, const struct values *values, const struct site_value *value)
{
    struct writer writer = {.into = into, .values = values, .story = true};
    write_value(&writer, value);
}

uint32_t value_object(const struct site_value *value)
{
    return value->encoding == VALUE_OBJECT ? value->cells[0] : 0;
}

// The struct's bytes, its type in *type; a nullable is what it holds. Null: it has no fields to show.
static const uint8_t *fields_of(const struct values *values, const struct type **type, const uint8_t *bytes,
                                uint32_t *size)
{
    const struct type_field *held;
    for (uint32_t depth = 0; *type && (*type)->kind == TYPE_NULLABLE && depth < NESTING_MAX; depth++) {
        bool any = *size > 0 && bytes[0] != 0;
        held = any ? whole_field(values, field_named(*type, "value"), *size, type) : NULL;
        bytes = held ? bytes + held->offset : NULL;
        *type = held ? *type : NULL;
        *size = held ? bytes_of_type(*type) : 0;
    }
    bool whole = !*type || (*type)->encoding != VALUE_STRUCT || find_primitive_like(*type, *size) != PRIMITIVE_LIKE;
    return whole ? NULL : bytes;
}

bool value_field(const struct values *values, const struct site_value *of, uint32_t index, struct buffer *bytes,
                 struct text *name, struct site_value *out)
{
    const struct type *type =
        of->encoding == VALUE_STRUCT ? sites_type(values->sites, values->process, of->type) : NULL;
    uint32_t size = of->size;
    const uint8_t *start = fields_of(values, &type, (const uint8_t *)of->cells, &size);
    if (!start || index >= type->field_count) {
        return false;
    }
    const struct type *own;
    const struct type_field *field = &type->fields[index];
    *name = field->name;
    *out = (struct site_value){.encoding = VALUE_NONE, .type = field->type};
    if (whole_field(values, field, size, &own)) {
        buffer_clear(bytes);
        buffer_append(bytes, start + field->offset, bytes_of_type(own));
        out->encoding = bytes->failed ? VALUE_NONE : own->encoding;
        out->size = bytes_of_type(own);
        out->cells = (const uint32_t *)(const void *)bytes->data;
    }
    return true;
}

struct text value_type_name(const struct values *values, const struct site_value *value)
{
    uint32_t number = value_object(value), type_number = value->type;
    const struct recording_object *object =
        number && values->objects ? objects_find(values->objects, values->process, number) : NULL;
    const struct type *type = sites_type(values->sites, values->process, object ? object->type : type_number);
    return type ? type->name : text_of("?");
}
