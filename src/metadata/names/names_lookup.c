// Queries that several files of names need: the class that a signature names, and whether a token has an attribute.
// Source of facts: ECMA-335 II.22.10, II.23.2.
#include "metadata/names/names_internal.h"
#include "metadata/tables/signature.h"

uint32_t names_class_of(struct bytes signature)
{
    uint8_t element;
    uint32_t coded;
    if (!bytes_u8(&signature, &element) || (element == ELEMENT_GENERIC_INSTANCE && !bytes_u8(&signature, &element)) ||
        (element != ELEMENT_CLASS && element != ELEMENT_VALUE_TYPE) || !bytes_compressed(&signature, &coded)) {
        return 0;
    }
    uint32_t token = metadata_decode(CODED_TYPE_DEF_OR_REF, coded);
    return TOKEN_TABLE(token) == TABLE_TYPE_SPEC ? 0 : token;
}

uint32_t names_definition(const struct metadata *metadata, uint32_t token)
{
    if (TOKEN_TABLE(token) != TABLE_TYPE_SPEC) {
        return token;
    }
    return names_class_of(
        metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, TOKEN_ROW(token), TYPE_SPEC_SIGNATURE)));
}

bool names_method_reference(const struct metadata *metadata, uint32_t token, struct method_reference *out)
{
    struct metadata_method method;
    if (TOKEN_TABLE(token) == TABLE_METHOD_SPEC) {
        token = metadata_decode(CODED_METHOD_DEF_OR_REF,
                                metadata_column(metadata, TABLE_METHOD_SPEC, TOKEN_ROW(token), METHOD_SPEC_METHOD));
    }
    uint32_t row = TOKEN_ROW(token);
    if (metadata_method(metadata, token, &method)) {
        *out = (struct method_reference){token, metadata_method_owner(metadata, token), method.name};
        return true;
    }
    if (TOKEN_TABLE(token) != TABLE_MEMBER_REF || row == 0 || row > metadata_rows(metadata, TABLE_MEMBER_REF)) {
        return false;
    }
    uint32_t parent =
        metadata_decode(CODED_MEMBER_REF_PARENT, metadata_column(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_PARENT));
    uint32_t type = names_definition(metadata, parent);
    bool is_type = TOKEN_TABLE(type) == TABLE_TYPE_DEF || TOKEN_TABLE(type) == TABLE_TYPE_REF;
    *out = (struct method_reference){
        .type = is_type ? type : 0,
        .name = metadata_string(metadata, metadata_column(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_NAME))};
    return true;
}

bool names_attribute(const struct metadata *metadata, uint32_t token, const char *name, struct bytes *value)
{
    return metadata_attribute(metadata, token, "System.Runtime.CompilerServices", name, value);
}
