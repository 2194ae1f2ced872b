// Walks over signature blobs. Source of facts: ECMA-335 II.23.2.
#include "metadata/signature.h"

#include "metadata/metadata.h"

enum { GENERIC = 0x10, HAS_THIS = 0x20, EXPLICIT_THIS = 0x40, CONVENTION = 0x0F };

static bool skip_type(struct bytes *at, unsigned depth);

static bool skip_types(struct bytes *at, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!skip_type(at, depth)) {
            return false;
        }
    }
    return true;
}

static bool skip_compressed(struct bytes *at)
{
    uint32_t ignored;
    return bytes_compressed(at, &ignored);
}

static bool skip_compressed_list(struct bytes *at)
{
    uint32_t count;
    if (!bytes_compressed(at, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!skip_compressed(at)) {
            return false;
        }
    }
    return true;
}

// Element type, rank, sizes, lower bounds (signed, but as long as unsigned ones).
static bool skip_array(struct bytes *at, unsigned depth)
{
    return skip_type(at, depth) && skip_compressed(at) && skip_compressed_list(at) && skip_compressed_list(at);
}

static bool skip_generic_instance(struct bytes *at, unsigned depth)
{
    uint32_t count;
    return bytes_skip(at, 1) && skip_compressed(at) && bytes_compressed(at, &count) && skip_types(at, count, depth);
}

static bool skip_function_pointer(struct bytes *at, unsigned depth)
{
    uint8_t convention;
    uint32_t count;
    return bytes_u8(at, &convention) && (!(convention & GENERIC) || skip_compressed(at)) &&
           bytes_compressed(at, &count) && skip_type(at, depth) && skip_types(at, count, depth);
}

static bool skip_type(struct bytes *at, unsigned depth)
{
    if (depth >= SIGNATURE_DEPTH_MAX) {
        return false;
    }
    for (;;) {
        uint8_t element;
        if (!bytes_u8(at, &element)) {
            return false;
        }
        switch (element) {
        case ELEMENT_POINTER:
        case ELEMENT_BY_REFERENCE:
        case ELEMENT_SZARRAY:
        case ELEMENT_PINNED:
        case ELEMENT_SENTINEL:
            continue;
        case ELEMENT_MODIFIER_REQUIRED:
        case ELEMENT_MODIFIER_OPTIONAL:
            if (!skip_compressed(at)) {
                return false;
            }
            continue;
        case ELEMENT_VALUE_TYPE:
        case ELEMENT_CLASS:
        case ELEMENT_VAR:
        case ELEMENT_MVAR:
            return skip_compressed(at);
        case ELEMENT_ARRAY:
            return skip_array(at, depth + 1);
        case ELEMENT_GENERIC_INSTANCE:
            return skip_generic_instance(at, depth + 1);
        case ELEMENT_FUNCTION_POINTER:
            return skip_function_pointer(at, depth + 1);
        case ELEMENT_TYPED_REFERENCE:
        case ELEMENT_I:
        case ELEMENT_U:
        case ELEMENT_OBJECT:
            return true;
        default:
            return element >= ELEMENT_VOID && element <= ELEMENT_STRING;
        }
    }
}

bool signature_skip_type(struct bytes *at)
{
    struct bytes before = *at;
    if (skip_type(at, 0)) {
        return true;
    }
    *at = before;
    return false;
}

// Whether a type, behind its modifiers, is void itself (not a pointer to it).
static bool is_void(struct bytes type)
{
    uint8_t element;
    while (bytes_u8(&type, &element)) {
        if (element != ELEMENT_MODIFIER_REQUIRED && element != ELEMENT_MODIFIER_OPTIONAL) {
            return element == ELEMENT_VOID;
        }
        if (!skip_compressed(&type)) {
            return false;
        }
    }
    return false;
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
    if (!skip_types(&blob, out->parameter_count, 0)) {
        return CLEW_MALFORMED;
    }
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
    if (!skip_types(&blob, *count, 0)) {
        return CLEW_MALFORMED;
    }
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

void buffer_compressed(struct buffer *out, uint32_t value)
{
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
