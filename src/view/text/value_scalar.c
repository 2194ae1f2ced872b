// See value_scalar.h.
#include "view/text/value_scalar.h"

#include <string.h>

#include "base/assert.h"
#include "view/text/value_number.h"

// -- Primitives -------------------------------------------------------------------------------------------------------

// Writes one UTF-16 unit as WTF-8, which can represent half of a surrogate pair.
static void write_character(struct buffer *into, enum value_style style, uint16_t unit)
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
    value_style_quoted(into, style, (struct text){room, size}, '\'', false);
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

// Sign-extends the low bits of a signed encoding.
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

void value_primitive(struct buffer *into, enum value_style style, enum site_encoding encoding, uint64_t bits)
{
    switch (encoding) {
    case VALUE_BOOLEAN:
        buffer_text(into, bits & 0xFF ? "True" : "False");
        return;
    case VALUE_CHAR:
        write_character(into, style, (uint16_t)bits);
        return;
    case VALUE_I1:
    case VALUE_I2:
    case VALUE_I4:
    case VALUE_I8:
    case VALUE_NATIVE_I:
        buffer_printf(into, "%lld", (long long)signed_number(encoding, bits));
        return;
    case VALUE_R4:
        value_float(into, float_of((uint32_t)bits));
        return;
    case VALUE_R8:
        value_double(into, double_of(bits));
        return;
    case VALUE_POINTER:
        buffer_printf(into, "0x%llx", (unsigned long long)bits);
        return;
    default:
        buffer_printf(into, "%llu", (unsigned long long)bits);
        return;
    }
}

// -- Enums ------------------------------------------------------------------------------------------------------------

enum { FLAGS_MAX = 64 }; // each member takes at least one bit

// The member with exactly this value; NULL: there is none.
static const struct type_member *member_of(const struct type *type, int64_t value)
{
    for (uint32_t i = 0; i < type->member_count; i++) {
        if (type->members[i].value == value) {
            return &type->members[i];
        }
    }
    return NULL;
}

// The member with the largest value among those that have no bits outside `bits`; NULL: there is none.
static const struct type_member *largest_within(const struct type *type, uint64_t bits)
{
    const struct type_member *largest = NULL;
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint64_t value = (uint64_t)type->members[i].value;
        if (value && (bits & value) == value && (!largest || value > (uint64_t)largest->value)) {
            largest = &type->members[i];
        }
    }
    return largest;
}

// Splits a flags value into members, largest first, as Enum.ToString() does, and writes them smallest first. False:
// nothing was written, because some bits belong to no member.
static bool write_flags(struct buffer *into, enum value_style style, const struct type *type, uint64_t bits)
{
    const struct type_member *chosen[FLAGS_MAX];
    uint32_t count = 0;
    for (; bits && count < FLAGS_MAX; count++) {
        chosen[count] = largest_within(type, bits);
        if (!chosen[count]) {
            return false;
        }
        bits &= ~(uint64_t)chosen[count]->value;
    }
    CLEW_ASSERT(count <= FLAGS_MAX && "each member takes a bit");
    for (uint32_t i = count; i-- > 0;) {
        value_style_name(into, style, chosen[i]->name);
        buffer_text(into, i == 0 ? "" : style == VALUE_STYLE_STORY ? " | " : ", ");
    }
    return count > 0;
}

void value_enum(struct buffer *into, enum value_style style, const struct type *type, enum site_encoding encoding,
                uint64_t bits)
{
    bool is_unsigned = encoding == VALUE_U1 || encoding == VALUE_U2 || encoding == VALUE_U4 || encoding == VALUE_U8;
    int64_t value = is_unsigned ? (int64_t)bits : signed_number(encoding, bits);
    const struct type_member *member = member_of(type, value);
    if (member) {
        value_style_name(into, style, member->name);
    } else if (!type->is_flags || !write_flags(into, style, type, (uint64_t)value)) {
        value_primitive(into, style, encoding, bits);
    }
}
