// Questions to the tables that names ask: which class a type is made of, whether something bears an attribute.
// Source of facts: ECMA-335 II.22.10, II.23.2.
#include "metadata/names_internal.h"
#include "metadata/signature.h"

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
    return names_class_of(metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, TOKEN_ROW(token), 0)));
}

// The type whose constructor an attribute calls.
static uint32_t attribute_type(const struct metadata *metadata, uint32_t row)
{
    uint32_t constructor =
        metadata_decode(CODED_CUSTOM_ATTRIBUTE_TYPE, metadata_column(metadata, TABLE_CUSTOM_ATTRIBUTE, row, 1));
    if (TOKEN_TABLE(constructor) == TABLE_METHOD_DEF) {
        return metadata_method_owner(metadata, constructor);
    }
    return metadata_decode(CODED_MEMBER_REF_PARENT,
                           metadata_column(metadata, TABLE_MEMBER_REF, TOKEN_ROW(constructor), 0));
}

bool names_attribute(const struct metadata *metadata, uint32_t token, const char *name, struct bytes *value)
{
    uint32_t coded = metadata_encode(CODED_HAS_CUSTOM_ATTRIBUTE, token);
    struct metadata_range rows = {1, 1};
    if (coded) {
        rows = metadata_find_all(metadata, TABLE_CUSTOM_ATTRIBUTE, 0, coded);
    }
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t type = attribute_type(metadata, row);
        // TypeDef and TypeRef both have the name in column 1 and the namespace in column 2.
        struct text found = metadata_string(metadata, metadata_column(metadata, TOKEN_TABLE(type), TOKEN_ROW(type), 1));
        struct text space = metadata_string(metadata, metadata_column(metadata, TOKEN_TABLE(type), TOKEN_ROW(type), 2));
        if (TOKEN_TABLE(type) <= TABLE_TYPE_DEF && text_equal(found, text_of(name)) &&
            text_equal(space, text_of("System.Runtime.CompilerServices"))) {
            *value = metadata_blob(metadata, metadata_column(metadata, TABLE_CUSTOM_ATTRIBUTE, row, 2));
            return true;
        }
    }
    return false;
}
