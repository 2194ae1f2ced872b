// Types in the TypeDef, TypeRef, ExportedType and Constant tables. Source of facts: ECMA-335 II.22.37, II.22.38,
// II.22.14, II.22.9.
#include "metadata/tables/metadata_types.h"

#include <string.h>

#include "metadata/tables/signature.h"

enum {
    IS_INTERFACE = 0x20, // II.23.1.15
    IS_STATIC = 0x10,    // II.23.1.5
    IS_LITERAL = 0x40,
};

// Of a TypeDef or TypeRef.
static struct text name_at(const struct metadata *metadata, uint32_t token, unsigned column)
{
    enum metadata_table table = (enum metadata_table)TOKEN_TABLE(token);
    return metadata_string(metadata, metadata_column(metadata, table, TOKEN_ROW(token), column));
}

static bool is_type(const struct metadata *metadata, uint32_t token, const char *space, const char *name)
{
    return TOKEN_TABLE(token) <= TABLE_TYPE_DEF && text_equal(name_at(metadata, token, TYPE_NAME), text_of(name)) &&
           text_equal(name_at(metadata, token, TYPE_NAMESPACE), text_of(space));
}

static struct metadata_range fields_of(const struct metadata *metadata, uint32_t token)
{
    return metadata_list(metadata, TABLE_TYPE_DEF, TOKEN_ROW(token), TYPE_DEF_FIELDS, TABLE_FIELD);
}

// The type of an enum's one field that is not static.
static uint8_t underlying_of(const struct metadata *metadata, uint32_t token)
{
    struct metadata_range fields = fields_of(metadata, token);
    for (uint32_t row = fields.first; row < fields.end; row++) {
        struct bytes blob = metadata_blob(metadata, metadata_column(metadata, TABLE_FIELD, row, FIELD_SIGNATURE));
        uint8_t convention, element;
        if (metadata_column(metadata, TABLE_FIELD, row, FIELD_FLAGS) & IS_STATIC) {
            continue;
        }
        bool integer =
            bytes_u8(&blob, &convention) && bytes_u8(&blob, &element) &&
            ((element >= ELEMENT_BOOLEAN && element <= ELEMENT_U8) || element == ELEMENT_I || element == ELEMENT_U);
        return integer ? element : 0;
    }
    return 0;
}

// A struct with IsByRefLikeAttribute is a ref struct; delegates are recognised by their base type.
static enum type_def_kind kind_of(const struct metadata *metadata, uint32_t token)
{
    uint32_t row = TOKEN_ROW(token);
    uint32_t coded = metadata_column(metadata, TABLE_TYPE_DEF, row, TYPE_DEF_EXTENDS);
    uint32_t base = metadata_decode(CODED_TYPE_DEF_OR_REF, coded);
    if (metadata_column(metadata, TABLE_TYPE_DEF, row, TYPE_DEF_FLAGS) & IS_INTERFACE) {
        return TYPE_DEF_INTERFACE;
    }
    if (is_type(metadata, base, "System", "Enum")) {
        return TYPE_DEF_ENUM;
    }
    if (is_type(metadata, base, "System", "ValueType") && !is_type(metadata, token, "System", "Enum")) {
        bool by_reference =
            metadata_attribute(metadata, token, "System.Runtime.CompilerServices", "IsByRefLikeAttribute", NULL);
        return by_reference ? TYPE_DEF_REF_STRUCT : TYPE_DEF_STRUCT;
    }
    return is_type(metadata, base, "System", "MulticastDelegate") ? TYPE_DEF_DELEGATE : TYPE_DEF_CLASS;
}

bool type_def_of(const struct metadata *metadata, uint32_t token, struct type_def *out)
{
    if (TOKEN_TABLE(token) != TABLE_TYPE_DEF || TOKEN_ROW(token) < 1 ||
        TOKEN_ROW(token) > metadata_rows(metadata, TABLE_TYPE_DEF)) {
        return false;
    }
    *out = (struct type_def){
        .space = name_at(metadata, token, TYPE_NAMESPACE),
        .name = name_at(metadata, token, TYPE_NAME),
        .outer = metadata_enclosing_type(metadata, token),
        .kind = kind_of(metadata, token),
    };
    if (out->kind == TYPE_DEF_ENUM) {
        out->underlying = underlying_of(metadata, token);
        out->flags = metadata_attribute(metadata, token, "System", "FlagsAttribute", NULL);
    }
    return true;
}

uint32_t type_def_find(const struct metadata *metadata, uint32_t outer, struct text space, struct text name)
{
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_DEF); row++) {
        uint32_t token = TOKEN(TABLE_TYPE_DEF, row);
        if (text_equal(name_at(metadata, token, TYPE_NAME), name) &&
            text_equal(name_at(metadata, token, TYPE_NAMESPACE), space) &&
            metadata_enclosing_type(metadata, token) == outer) {
            return token;
        }
    }
    return 0;
}

uint32_t type_def_find_method(const struct metadata *metadata, uint32_t type, struct text name, struct bytes signature)
{
    struct metadata_range rows = {0};
    struct metadata_method method;
    if (type) {
        rows = metadata_list(metadata, TABLE_TYPE_DEF, TOKEN_ROW(type), TYPE_DEF_METHODS, TABLE_METHOD_DEF);
    }
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
        if (metadata_method(metadata, token, &method) && text_equal(method.name, name) &&
            bytes_begin_with(method.signature, signature)) {
            return token;
        }
    }
    return 0;
}

uint32_t type_def_forwarded(const struct metadata *metadata, struct text space, struct text name)
{
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_EXPORTED_TYPE); row++) {
        uint32_t where = metadata_column(metadata, TABLE_EXPORTED_TYPE, row, EXPORTED_TYPE_IMPLEMENTATION);
        uint32_t token = metadata_decode(CODED_IMPLEMENTATION, where);
        if (TOKEN_TABLE(token) == TABLE_ASSEMBLY_REF &&
            text_equal(
                metadata_string(metadata, metadata_column(metadata, TABLE_EXPORTED_TYPE, row, EXPORTED_TYPE_NAME)),
                name) &&
            text_equal(
                metadata_string(metadata, metadata_column(metadata, TABLE_EXPORTED_TYPE, row, EXPORTED_TYPE_NAMESPACE)),
                space)) {
            return token;
        }
    }
    return 0;
}

bool type_ref_of(const struct metadata *metadata, uint32_t token, struct type_ref *out)
{
    if (TOKEN_TABLE(token) != TABLE_TYPE_REF || TOKEN_ROW(token) < 1 ||
        TOKEN_ROW(token) > metadata_rows(metadata, TABLE_TYPE_REF)) {
        return false;
    }
    uint32_t scope = metadata_column(metadata, TABLE_TYPE_REF, TOKEN_ROW(token), TYPE_REF_SCOPE);
    *out = (struct type_ref){
        .space = name_at(metadata, token, TYPE_NAMESPACE),
        .name = name_at(metadata, token, TYPE_NAME),
        .scope = metadata_decode(CODED_RESOLUTION_SCOPE, scope),
    };
    return true;
}

// -- Enums ------------------------------------------------------------------------------------------------------------

struct enum_members enum_members_of(const struct metadata *metadata, uint32_t type_token)
{
    return (struct enum_members){metadata, fields_of(metadata, type_token)};
}

// The value of an enum's field (II.22.9): as many bytes as its element type has. False for element types that enums
// cannot have.
static bool constant_of(const struct metadata *metadata, uint32_t field_row, int64_t *value)
{
    uint32_t parent = metadata_encode(CODED_HAS_CONSTANT, TOKEN(TABLE_FIELD, field_row));
    uint32_t row = metadata_find(metadata, TABLE_CONSTANT, CONSTANT_PARENT, parent);
    uint32_t element = metadata_column(metadata, TABLE_CONSTANT, row, CONSTANT_TYPE) & 0xFF;
    struct bytes blob = metadata_blob(metadata, metadata_column(metadata, TABLE_CONSTANT, row, CONSTANT_VALUE));
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (element) {
    case ELEMENT_BOOLEAN:
    case ELEMENT_U1:
    case ELEMENT_I1:
        *value = bytes_u8(&blob, &one) ? element == ELEMENT_I1 ? (int8_t)one : one : 0;
        return row != 0;
    case ELEMENT_CHAR:
    case ELEMENT_U2:
    case ELEMENT_I2:
        *value = bytes_u16(&blob, &two) ? element == ELEMENT_I2 ? (int16_t)two : two : 0;
        return row != 0;
    case ELEMENT_U4:
    case ELEMENT_I4:
        *value = bytes_u32(&blob, &four) ? element == ELEMENT_I4 ? (int32_t)four : (int64_t)four : 0;
        return row != 0;
    case ELEMENT_U8:
    case ELEMENT_I8:
        *value = bytes_u64(&blob, &eight) ? (int64_t)eight : 0;
        return row != 0;
    default:
        return false;
    }
}

bool enum_members_next(struct enum_members *members, struct enum_member *out)
{
    while (members->fields.first < members->fields.end) {
        uint32_t row = members->fields.first++;
        uint32_t flags = metadata_column(members->metadata, TABLE_FIELD, row, FIELD_FLAGS);
        if (flags & IS_LITERAL && constant_of(members->metadata, row, &out->value)) {
            out->name =
                metadata_string(members->metadata, metadata_column(members->metadata, TABLE_FIELD, row, FIELD_NAME));
            return true;
        }
    }
    return false;
}

uint32_t type_name_arity(struct text name, struct text *own)
{
    const char *tick = name.size ? memrchr(name.at, '`', name.size) : NULL;
    uint32_t arity = 0;
    for (const char *at = tick; at && ++at < name.at + name.size && *at >= '0' && *at <= '9' && arity < 1000;) {
        arity = arity * 10 + (uint32_t)(*at - '0');
    }
    if (own) {
        *own = (struct text){name.at, tick ? (size_t)(tick - name.at) : name.size};
    }
    return arity;
}
