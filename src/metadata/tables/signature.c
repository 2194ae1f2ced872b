// Walks over signature blobs. A walk is recursive as types are; `depth` bounds it. Source of facts: ECMA-335 II.23.2.
#include "metadata/tables/signature.h"

#include "base/assert.h"
#include "metadata/tables/metadata.h"

enum { GENERIC = 0x10, HAS_THIS = 0x20, EXPLICIT_THIS = 0x40, CONVENTION = 0x0F };

// -- Types ------------------------------------------------------------------------------------------------------------
// The same walk skips types, copies them, replaces type parameters, or reports the types they name, so that these never
// differ in their idea of where a type ends.

static bool walk_type(struct signature_walk *walk, struct bytes *at, unsigned depth);

// Copies the bytes just read.
static void put(const struct signature_walk *walk, const uint8_t *from, const uint8_t *to)
{
    CLEW_ASSERT(from <= to);
    if (walk->out) {
        buffer_append(walk->out, from, (size_t)(to - from));
    }
}

static bool walk_types(struct signature_walk *walk, struct bytes *at, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!walk_type(walk, at, depth)) {
            return false;
        }
    }
    return true;
}

static bool walk_byte(const struct signature_walk *walk, struct bytes *at, uint8_t *value)
{
    const uint8_t *from = at->at;
    if (!bytes_u8(at, value)) {
        return false;
    }
    put(walk, from, at->at);
    return true;
}

static bool walk_number(const struct signature_walk *walk, struct bytes *at, uint32_t *value)
{
    const uint8_t *from = at->at;
    if (!bytes_compressed(at, value)) {
        return false;
    }
    put(walk, from, at->at);
    return true;
}

// A count, then so many numbers.
static bool walk_numbers(const struct signature_walk *walk, struct bytes *at)
{
    uint32_t count, ignored;
    if (!walk_number(walk, at, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!walk_number(walk, at, &ignored)) {
            return false;
        }
    }
    return true;
}

static bool walk_named(const struct signature_walk *walk, struct bytes *at, uint8_t element)
{
    uint32_t coded;
    if (!walk_number(walk, at, &coded)) {
        return false;
    }
    if (walk->named) {
        walk->named(walk->context, element, metadata_decode(CODED_TYPE_DEF_OR_REF, coded));
    }
    return true;
}

// Element type, rank, sizes, lower bounds (signed, but as long as unsigned ones).
static bool walk_array(struct signature_walk *walk, struct bytes *at, unsigned depth)
{
    uint32_t rank;
    return walk_type(walk, at, depth) && walk_number(walk, at, &rank) && walk_numbers(walk, at) &&
           walk_numbers(walk, at);
}

static bool walk_generic_instance(struct signature_walk *walk, struct bytes *at, unsigned depth)
{
    uint8_t element;
    uint32_t count;
    return walk_byte(walk, at, &element) && walk_named(walk, at, element) && walk_number(walk, at, &count) &&
           walk_types(walk, at, count, depth);
}

static bool walk_function_pointer(struct signature_walk *walk, struct bytes *at, unsigned depth)
{
    uint8_t convention;
    uint32_t generic, count;
    return walk_byte(walk, at, &convention) && (!(convention & GENERIC) || walk_number(walk, at, &generic)) &&
           walk_number(walk, at, &count) && walk_type(walk, at, depth) && walk_types(walk, at, count, depth);
}

// Copies the type argument for the type parameter whose element starts at `from`; without arguments, the parameter itself.
static bool walk_parameter(struct signature_walk *walk, struct bytes *at, const uint8_t *from)
{
    uint32_t number;
    if (!bytes_compressed(at, &number)) {
        return false;
    }
    walk->open = true;
    struct signature_arguments none = {0};
    const struct signature_arguments *arguments = walk->arguments ? walk->arguments : &none;
    bool of_method = *from == ELEMENT_MVAR;
    struct bytes types = of_method ? arguments->of_method : arguments->of_type;
    uint32_t count = of_method ? arguments->of_method_count : arguments->of_type_count;
    if (count == 0) {
        put(walk, from, at->at);
        return true;
    }
    for (uint32_t i = 0; i < number && i < count; i++) {
        if (!signature_skip_type(&types)) {
            return false;
        }
    }
    const uint8_t *start = types.at;
    if (number >= count || !signature_skip_type(&types)) {
        return false;
    }
    put(walk, start, types.at);
    return !walk->out || walk->out->size <= SIGNATURE_SIZE_MAX;
}

// Walks over the rest of a type, behind its element.
static bool walk_rest(struct signature_walk *walk, struct bytes *at, uint8_t element, unsigned depth)
{
    switch (element) {
    case ELEMENT_VALUE_TYPE:
    case ELEMENT_CLASS:
        return walk_named(walk, at, element);
    case ELEMENT_ARRAY:
        return walk_array(walk, at, depth + 1);
    case ELEMENT_GENERIC_INSTANCE:
        return walk_generic_instance(walk, at, depth + 1);
    case ELEMENT_FUNCTION_POINTER:
        return walk_function_pointer(walk, at, depth + 1);
    case ELEMENT_TYPED_REFERENCE:
    case ELEMENT_I:
    case ELEMENT_U:
    case ELEMENT_OBJECT:
        return true;
    default:
        return element >= ELEMENT_VOID && element <= ELEMENT_STRING;
    }
}

static bool walk_type(struct signature_walk *walk, struct bytes *at, unsigned depth)
{
    if (depth >= SIGNATURE_DEPTH_MAX) {
        return false;
    }
    for (;;) {
        const uint8_t *from = at->at;
        uint8_t element;
        uint32_t modifier;
        if (!bytes_u8(at, &element)) {
            return false;
        }
        if (element == ELEMENT_VAR || element == ELEMENT_MVAR) {
            return walk_parameter(walk, at, from);
        }
        put(walk, from, at->at);
        switch (element) {
        case ELEMENT_POINTER:
        case ELEMENT_BY_REFERENCE:
        case ELEMENT_SZARRAY:
        case ELEMENT_PINNED:
        case ELEMENT_SENTINEL:
            continue;
        case ELEMENT_MODIFIER_REQUIRED:
        case ELEMENT_MODIFIER_OPTIONAL:
            if (!walk_number(walk, at, &modifier)) {
                return false;
            }
            continue;
        default:
            return walk_rest(walk, at, element, depth);
        }
    }
}

bool signature_walk_type(struct signature_walk *walk, struct bytes *at)
{
    struct bytes before = *at;
    if (walk_type(walk, at, 0)) {
        return true;
    }
    *at = before;
    return false;
}

bool signature_skip_type(struct bytes *at)
{
    struct signature_walk walk = {0};
    return signature_walk_type(&walk, at);
}

static bool skip_types(struct bytes *at, uint32_t count)
{
    struct signature_walk walk = {0};
    return walk_types(&walk, at, count, 0);
}

enum clew_error signature_instantiate(struct bytes type, const struct signature_arguments *arguments,
                                      struct buffer *out)
{
    struct buffer copy = {0};
    struct signature_walk walk = {.out = &copy, .arguments = arguments};
    enum clew_error error = walk_type(&walk, &type, 0) ? CLEW_OK : CLEW_MALFORMED;
    buffer_append(out, copy.data, error == CLEW_OK ? copy.size : 0);
    error = error == CLEW_OK && (copy.failed || out->failed) ? CLEW_NO_MEMORY : error;
    buffer_free(&copy);
    return error;
}

bool signature_is_open(struct bytes type)
{
    struct signature_walk walk = {0};
    return walk_type(&walk, &type, 0) && walk.open;
}

bool signature_skip_modifiers(struct bytes *at)
{
    struct bytes peek = *at;
    uint8_t element;
    uint32_t modifier;
    while (bytes_u8(&peek, &element)) {
        if (element == ELEMENT_MODIFIER_REQUIRED || element == ELEMENT_MODIFIER_OPTIONAL) {
            if (!bytes_compressed(&peek, &modifier)) {
                return false;
            }
        } else if (element != ELEMENT_PINNED && element != ELEMENT_SENTINEL) {
            return true;
        }
        *at = peek;
    }
    return false;
}

// -- Methods, locals, fields ------------------------------------------------------------------------------------------

// Whether a type, behind its modifiers, is void itself (not a pointer to it).
static bool is_void(struct bytes type)
{
    return signature_skip_modifiers(&type) && *type.at == ELEMENT_VOID;
}

enum clew_error signature_method(struct bytes blob, struct signature_method *out)
{
    *out = (struct signature_method){0};
    uint8_t first;
    if (!bytes_u8(&blob, &first)) {
        return CLEW_MALFORMED;
    }
    out->convention = first & CONVENTION;
    out->explicit_this = first & EXPLICIT_THIS;
    out->has_this = (first & HAS_THIS) && !out->explicit_this;
    if (out->convention == SIGNATURE_FIELD || out->convention == SIGNATURE_LOCALS ||
        out->convention == SIGNATURE_METHOD_SPEC ||
        ((first & GENERIC) && !bytes_compressed(&blob, &out->generic_count)) ||
        !bytes_compressed(&blob, &out->parameter_count)) {
        return CLEW_MALFORMED;
    }
    out->return_type = blob;
    if (!signature_skip_type(&blob)) {
        return CLEW_MALFORMED;
    }
    out->return_type.end = blob.at;
    out->returns_value = !is_void(out->return_type);
    out->parameters = blob;
    if (!skip_types(&blob, out->parameter_count)) {
        return CLEW_MALFORMED;
    }
    CLEW_ASSERT(out->return_type.end == out->parameters.at && out->parameters.at <= blob.at);
    out->parameters.end = blob.at;
    return CLEW_OK;
}

static enum clew_error counted_types(struct bytes blob, uint8_t convention, uint32_t *count, struct bytes *types)
{
    uint8_t first;
    if (!bytes_u8(&blob, &first) || first != convention || !bytes_compressed(&blob, count)) {
        return CLEW_MALFORMED;
    }
    *types = blob;
    if (!skip_types(&blob, *count)) {
        return CLEW_MALFORMED;
    }
    CLEW_ASSERT(types->at <= blob.at);
    types->end = blob.at;
    return CLEW_OK;
}

enum clew_error signature_locals(struct bytes blob, uint32_t *count, struct bytes *types)
{
    return counted_types(blob, SIGNATURE_LOCALS, count, types);
}

enum clew_error signature_method_spec(struct bytes blob, uint32_t *count, struct bytes *types)
{
    return counted_types(blob, SIGNATURE_METHOD_SPEC, count, types);
}

enum clew_error signature_field(struct bytes blob, struct bytes *type)
{
    uint8_t first;
    if (!bytes_u8(&blob, &first) || (first & CONVENTION) != SIGNATURE_FIELD) {
        return CLEW_MALFORMED;
    }
    *type = blob;
    if (!signature_skip_type(&blob)) {
        return CLEW_MALFORMED;
    }
    type->end = blob.at;
    return CLEW_OK;
}

void buffer_compressed(struct buffer *out, uint32_t value)
{
    CLEW_ASSERT(value < 1u << 29 && "there is no form for more");
    if (value < 0x80) {
        buffer_u8(out, (uint8_t)value);
    } else if (value < 0x4000) {
        buffer_u8(out, (uint8_t)(0x80 | value >> 8));
        buffer_u8(out, (uint8_t)value);
    } else {
        buffer_u8(out, (uint8_t)(0xC0 | value >> 24));
        buffer_u8(out, (uint8_t)(value >> 16));
        buffer_u8(out, (uint8_t)(value >> 8));
        buffer_u8(out, (uint8_t)value);
    }
}
