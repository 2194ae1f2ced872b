// How a value of a type is recorded, and the appended locals. A local is shared by all insertions that need one of the
// same signature in the same role: fewer locals cost less in unoptimised code, where each has a stack slot.
#include "weave/plan/planner.h"

#include <string.h>

struct planner_local {
    uint32_t role;
    struct bytes signature;
};

// -- Locals -----------------------------------------------------------------------------------------------------------

static bool same_signature(struct bytes a, struct bytes b)
{
    return bytes_left(&a) == bytes_left(&b) && memcmp(a.at, b.at, bytes_left(&a)) == 0;
}

// The search is linear: a method has few distinct locals, and they cost the same in the woven body.
uint32_t planner_local(struct planner *planner, uint32_t role, struct bytes signature)
{
    for (uint32_t i = 0; i < planner->local_count && role != ROLE_FIXED; i++) {
        if (planner->locals[i].role == role && same_signature(planner->locals[i].signature, signature)) {
            return i;
        }
    }
    struct planner_local *locals =
        planner_grow(planner, planner->locals, planner->local_count, &planner->local_room, sizeof *locals);
    if (!locals) {
        return 0;
    }
    planner->locals = locals;
    planner->locals[planner->local_count] = (struct planner_local){role, signature};
    return planner->local_count++;
}

// A signature of one byte, in static memory.
static struct bytes element_signature(uint8_t element)
{
    static const uint8_t elements[] = {[ELEMENT_BOOLEAN] = ELEMENT_BOOLEAN,
                                       [ELEMENT_CHAR] = ELEMENT_CHAR,
                                       [ELEMENT_I1] = ELEMENT_I1,
                                       [ELEMENT_U1] = ELEMENT_U1,
                                       [ELEMENT_I2] = ELEMENT_I2,
                                       [ELEMENT_U2] = ELEMENT_U2,
                                       [ELEMENT_I4] = ELEMENT_I4,
                                       [ELEMENT_U4] = ELEMENT_U4,
                                       [ELEMENT_I8] = ELEMENT_I8,
                                       [ELEMENT_U8] = ELEMENT_U8,
                                       [ELEMENT_R4] = ELEMENT_R4,
                                       [ELEMENT_R8] = ELEMENT_R8,
                                       [ELEMENT_I] = ELEMENT_I,
                                       [ELEMENT_OBJECT] = ELEMENT_OBJECT,
                                       [ELEMENT_TYPED_REFERENCE] = ELEMENT_TYPED_REFERENCE};
    return bytes_of(&elements[element], 1);
}

// One signature does for references to any type: the JIT does not distinguish them.
static struct bytes kind_signature(enum il_kind kind)
{
    static const uint8_t reference[] = {ELEMENT_BY_REFERENCE, ELEMENT_U1};
    switch (kind) {
    case IL_OBJECT:
        return element_signature(ELEMENT_OBJECT);
    case IL_REFERENCE:
        return bytes_of(reference, sizeof reference);
    case IL_INT32:
        return element_signature(ELEMENT_I4);
    case IL_INT64:
        return element_signature(ELEMENT_I8);
    case IL_FLOAT32:
        return element_signature(ELEMENT_R4);
    case IL_FLOAT64:
        return element_signature(ELEMENT_R8);
    case IL_VALUE:
        return element_signature(ELEMENT_TYPED_REFERENCE);
    default:
        return element_signature(ELEMENT_I);
    }
}

uint32_t planner_local_of_kind(struct planner *planner, uint32_t role, enum il_kind kind)
{
    return planner_local(planner, role, kind_signature(kind));
}

enum clew_error planner_local_types(const struct planner *planner, struct bytes *out)
{
    size_t size = 0;
    for (uint32_t i = 0; i < planner->local_count; i++) {
        size += bytes_left(&planner->locals[i].signature);
    }
    uint8_t *types = arena_alloc(planner->body->arena, size + 1);
    if (!types) {
        return CLEW_NO_MEMORY;
    }
    uint8_t *at = types;
    for (uint32_t i = 0; i < planner->local_count; i++) {
        struct bytes signature = planner->locals[i].signature;
        memcpy(at, signature.at, bytes_left(&signature));
        at += bytes_left(&signature);
    }
    *out = bytes_of(types, size);
    return CLEW_OK;
}

// -- Values -----------------------------------------------------------------------------------------------------------

static enum site_encoding encoding_of_element(uint8_t element)
{
    static const uint8_t encodings[] = {
        [ELEMENT_BOOLEAN] = VALUE_BOOLEAN, [ELEMENT_CHAR] = VALUE_CHAR, [ELEMENT_I1] = VALUE_I1,
        [ELEMENT_U1] = VALUE_U1,           [ELEMENT_I2] = VALUE_I2,     [ELEMENT_U2] = VALUE_U2,
        [ELEMENT_I4] = VALUE_I4,           [ELEMENT_U4] = VALUE_U4,     [ELEMENT_I8] = VALUE_I8,
        [ELEMENT_U8] = VALUE_U8,           [ELEMENT_R4] = VALUE_R4,     [ELEMENT_R8] = VALUE_R8,
        [ELEMENT_I] = VALUE_NATIVE_I,      [ELEMENT_U] = VALUE_NATIVE_U};
    return element < sizeof encodings ? (enum site_encoding)encodings[element] : VALUE_NONE;
}

static uint8_t element_of_encoding(enum site_encoding encoding)
{
    static const uint8_t elements[] = {
        [VALUE_BOOLEAN] = ELEMENT_BOOLEAN, [VALUE_CHAR] = ELEMENT_CHAR,  [VALUE_I1] = ELEMENT_I1,
        [VALUE_U1] = ELEMENT_U1,           [VALUE_I2] = ELEMENT_I2,      [VALUE_U2] = ELEMENT_U2,
        [VALUE_I4] = ELEMENT_I4,           [VALUE_U4] = ELEMENT_U4,      [VALUE_I8] = ELEMENT_I8,
        [VALUE_U8] = ELEMENT_U8,           [VALUE_R4] = ELEMENT_R4,      [VALUE_R8] = ELEMENT_R8,
        [VALUE_NATIVE_I] = ELEMENT_I,      [VALUE_NATIVE_U] = ELEMENT_I, [VALUE_POINTER] = ELEMENT_I,
        [VALUE_OBJECT] = ELEMENT_OBJECT};
    return encoding < sizeof elements ? elements[encoding] : 0;
}

void planner_leave_out(struct value *value, enum site_reason reason)
{
    value->encoding = VALUE_NONE;
    value->reason = reason;
}

// A token for a value type or type parameter; 0: there is none.
static uint32_t token_of(const struct planner *planner, struct bytes signature)
{
    const struct weave_queries *queries = planner->method->queries;
    struct bytes rest = signature;
    uint8_t element;
    uint32_t coded, token = 0;
    if (bytes_u8(&rest, &element) && element == ELEMENT_VALUE_TYPE && bytes_compressed(&rest, &coded)) {
        return metadata_decode(CODED_TYPE_DEF_OR_REF, coded);
    }
    return queries->type_token && queries->type_token(queries->context, signature, &token) ? token : 0;
}

// Lets the agent refine a value by the type of its signature: enums, layouts, classes.
static void ask(const struct planner *planner, struct bytes signature, struct value *value)
{
    const struct weave_queries *queries = planner->method->queries;
    struct weave_type type = {.encoding = value->encoding, .reason = value->reason};
    if (queries->type && bytes_left(&signature)) {
        queries->type(queries->context, signature, &type);
    }
    value->type = type.number;
    value->encoding = type.encoding;
    value->reason = type.encoding == VALUE_NONE && type.reason == REASON_NONE ? REASON_UNKNOWN : type.reason;
    value->size = type.encoding == VALUE_STRUCT ? type.size : 0;
    value->has_references = type.encoding == VALUE_STRUCT && type.has_references;
    value->by_number = type.by_number;
    value->wide = type.wide;
}

// A value type or a type parameter. It is left out if IL cannot hand it over: a TypedReference, or a type without token.
static void describe_value_type(const struct planner *planner, struct bytes signature, struct value *value)
{
    value->kind = IL_VALUE;
    value->encoding = VALUE_TYPED;
    ask(planner, signature, value);
    if (*signature.at == ELEMENT_TYPED_REFERENCE) {
        planner_leave_out(value, REASON_UNSAFE);
    }
    uint8_t element = element_of_encoding(value->encoding);
    if (element) { // an enum
        *value =
            (struct value){.encoding = value->encoding, .type = value->type, .signature = element_signature(element)};
        value->kind = il_type_of(value->signature).kind;
        return;
    }
    value->signature = signature;
    if (value->encoding == VALUE_STRUCT && value->size == 0) {
        planner_leave_out(value, REASON_UNKNOWN);
    } else if (value->encoding == VALUE_STRUCT && value->size > planner->method->struct_limit) {
        planner_leave_out(value, REASON_TOO_LARGE);
    }
    if (value->encoding != VALUE_NONE ||
        value->has_references) { // a local is cleared by its token even if the value is left out
        value->token = token_of(planner, signature);
    }
    if (value->encoding != VALUE_NONE && !value->token) {
        planner_leave_out(value, REASON_UNKNOWN);
    }
}

struct value planner_value(struct planner *planner, struct il_type type)
{
    struct value value = {.reason = REASON_UNKNOWN, .kind = type.kind};
    struct bytes asked = type.signature;
    bool known = bytes_left(&type.signature) > 0;
    switch (type.kind) {
    case IL_VALUE:
        if (known) {
            value.reason = REASON_NONE;
            describe_value_type(planner, type.signature, &value);
        }
        return value;
    case IL_OBJECT:
        value.encoding = VALUE_OBJECT;
        break;
    case IL_REFERENCE:
        value.encoding = VALUE_POINTER;
        asked = known ? il_reference_signature(&planner->scope, type.signature) : asked;
        break;
    case IL_UNKNOWN:
        return value;
    default:
        if (!known) {
            return value;
        }
        value.encoding = encoding_of_element(*type.signature.at);
        value.encoding = value.encoding ? value.encoding : VALUE_POINTER;
        break;
    }
    enum site_encoding encoding = value.encoding;
    value.reason = REASON_NONE;
    ask(planner, asked, &value);
    if (value.encoding != VALUE_NONE) { // the answer changes the encoding of value types alone
        value.encoding = encoding;
    }
    value.signature =
        type.kind == IL_REFERENCE ? kind_signature(IL_REFERENCE) : element_signature(element_of_encoding(encoding));
    value.kind = il_type_of(value.signature).kind;
    return value;
}

// Bytes in memory of a primitive; 0: not a primitive.
static unsigned width_of(enum site_encoding encoding)
{
    static const uint8_t widths[] = {0, 1, 2, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8};
    return encoding <= VALUE_POINTER ? widths[encoding] : 0;
}

static bool is_float(enum site_encoding encoding)
{
    return encoding == VALUE_R4 || encoding == VALUE_R8;
}

// The element type that an opcode names; 0: it names none.
static uint8_t element_of_opcode(enum il_opcode opcode)
{
    static const uint8_t loads[] = {ELEMENT_I1, ELEMENT_U1, ELEMENT_I2, ELEMENT_U2, ELEMENT_I4,    ELEMENT_U4,
                                    ELEMENT_I8, ELEMENT_I,  ELEMENT_R4, ELEMENT_R8, ELEMENT_OBJECT};
    static const uint8_t stores[] = {ELEMENT_OBJECT, ELEMENT_I1, ELEMENT_I2, ELEMENT_I4,
                                     ELEMENT_I8,     ELEMENT_R4, ELEMENT_R8};
    static const uint8_t item_stores[] = {ELEMENT_I,  ELEMENT_I1, ELEMENT_I2, ELEMENT_I4,
                                          ELEMENT_I8, ELEMENT_R4, ELEMENT_R8, ELEMENT_OBJECT};
    if (opcode >= IL_LDIND_I1 && opcode <= IL_LDIND_REF) {
        return loads[opcode - IL_LDIND_I1];
    }
    if (opcode >= IL_LDELEM_I1 && opcode <= IL_LDELEM_REF) {
        return loads[opcode - IL_LDELEM_I1];
    }
    if (opcode >= IL_STIND_REF && opcode <= IL_STIND_R8) {
        return stores[opcode - IL_STIND_REF];
    }
    if (opcode >= IL_STELEM_I && opcode <= IL_STELEM_REF) {
        return item_stores[opcode - IL_STELEM_I];
    }
    return opcode == IL_STIND_I ? ELEMENT_I : 0;
}

// The declared type counts if it has the width and class of the access; otherwise memory is reinterpreted, and the opcode
// names the type.
struct value planner_value_as(struct planner *planner, enum il_opcode opcode, struct il_type place)
{
    uint8_t element = element_of_opcode(opcode);
    struct il_type moved = il_type_of(element_signature(element));
    if (element == ELEMENT_OBJECT) {
        return planner_value(planner, place.kind == IL_OBJECT ? place : (struct il_type){.kind = IL_OBJECT});
    }
    struct value value = planner_value(planner, place);
    enum site_encoding encoding = encoding_of_element(element);
    bool fits = width_of(value.encoding) == width_of(encoding) && is_float(value.encoding) == is_float(encoding);
    return fits ? value : planner_value(planner, moved);
}
