// See library_value.h. Numbers are widened to 64 bits by their encoding, never by their type's name.
#include "library/library_value.h"

#include <string.h>

#include "base/assert.h"
#include "library/library.h"
#include "trace/payload.h"

// The bits of a number: its first cell, or both.
static uint64_t bits_of(const struct site_value *value)
{
    return value->cells[0] | (payload_is_wide(value->encoding) ? (uint64_t)value->cells[1] << 32 : 0);
}

static struct clew_value integer(int64_t number)
{
    return (struct clew_value){.kind = CLEW_VALUE_INTEGER, .integer = number};
}

static struct clew_value number(enum clew_value_kind kind, uint64_t bits)
{
    return (struct clew_value){.kind = kind, .unsigned_integer = bits};
}

static struct clew_value real(const struct site_value *value)
{
    struct clew_value out = {.kind = CLEW_VALUE_REAL};
    uint64_t bits = bits_of(value);
    uint32_t low = (uint32_t)bits;
    float narrow;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&out.real, &bits, sizeof out.real);
    out.real = value->encoding == VALUE_R4 ? (double)narrow : out.real;
    return out;
}

// Null, or an object with its own type and, if it is a string, its text.
static struct clew_value reference(const struct sites *sites, struct objects *objects, uint32_t process, uint32_t of)
{
    if (of == 0 || of == VALUE_OBJECT_INVALID) {
        return (struct clew_value){.kind = of ? CLEW_VALUE_UNKNOWN : CLEW_VALUE_NULL};
    }
    struct clew_value out = {.kind = CLEW_VALUE_OBJECT, .object = of};
    const struct recording_object *object = objects ? objects_find(objects, process, of) : NULL;
    const struct type *type = object ? sites_type(sites, process, object->type) : NULL;
    out.type = library_text(type ? type->name : (struct text){0});
    out.text = library_text(object && object->length ? object->text : (struct text){0});
    return out;
}

static struct clew_value content(const struct sites *sites, struct objects *objects, uint32_t process,
                                 const struct site_value *value)
{
    switch (value->encoding) {
    case VALUE_BOOLEAN:
        return (struct clew_value){.kind = CLEW_VALUE_BOOLEAN, .boolean = bits_of(value) != 0};
    case VALUE_CHAR:
        return number(CLEW_VALUE_CHARACTER, (uint16_t)bits_of(value));
    case VALUE_I1:
        return integer((int8_t)bits_of(value));
    case VALUE_I2:
        return integer((int16_t)bits_of(value));
    case VALUE_I4:
        return integer((int32_t)bits_of(value));
    case VALUE_I8:
    case VALUE_NATIVE_I:
        return integer((int64_t)bits_of(value));
    case VALUE_U1:
        return number(CLEW_VALUE_UNSIGNED, (uint8_t)bits_of(value));
    case VALUE_U2:
        return number(CLEW_VALUE_UNSIGNED, (uint16_t)bits_of(value));
    case VALUE_U4:
    case VALUE_U8:
    case VALUE_NATIVE_U:
        return number(CLEW_VALUE_UNSIGNED, bits_of(value));
    case VALUE_POINTER:
        return number(CLEW_VALUE_POINTER, bits_of(value));
    case VALUE_R4:
    case VALUE_R8:
        return real(value);
    case VALUE_OBJECT:
        return reference(sites, objects, process, value->cells[0]);
    case VALUE_STRUCT:
        return (struct clew_value){.kind = CLEW_VALUE_STRUCT};
    case VALUE_NONE:
    case VALUE_TYPED: // sites_take() has resolved it
        break;
    }
    return (struct clew_value){.kind = CLEW_VALUE_UNKNOWN};
}

struct clew_value library_value(const struct sites *sites, struct objects *objects, uint32_t process,
                                const struct site_value *value)
{
    CLEW_ASSERT(value->encoding != VALUE_TYPED);
    struct clew_value out = content(sites, objects, process, value);
    if (!out.type.data) {
        const struct type *type = sites_type(sites, process, value->type);
        out.type = library_text(type ? type->name : (struct text){0});
    }
    out.text = out.text.data ? out.text : library_text((struct text){0});
    if (value->encoding != VALUE_NONE) {
        out.bytes = value->cells;
        out.byte_count = value->size;
    }
    return out;
}
