#include "metadata/tables/type_refs.h"

#include "base/assert.h"
#include "metadata/tables/signature.h"

static_assert(TYPE_REF_VALUE <= UINT8_MAX && TYPE_REF_CLASS <= UINT8_MAX, "a kind is a byte");

struct search {
    uint8_t *kinds;
    uint32_t count;
};

static void note(struct search *search, uint32_t token, enum type_ref_kind kind)
{
    if (TOKEN_TABLE(token) == TABLE_TYPE_REF && TOKEN_ROW(token) < search->count) {
        search->kinds[TOKEN_ROW(token)] = (uint8_t)kind;
    }
}

static void meet(void *context, uint8_t element, uint32_t token)
{
    note(context, token, element == ELEMENT_VALUE_TYPE ? TYPE_REF_VALUE : TYPE_REF_CLASS);
}

static void look_at_types(struct search *search, struct bytes types)
{
    struct signature_walk walk = {.named = meet, .context = search};
    while (bytes_left(&types) && signature_walk_type(&walk, &types)) {
    }
}

// Whatever kind of signature it is: a field's type, the types of locals and of an instantiation, or a method's.
static void look_at_signature(struct search *search, struct bytes blob)
{
    struct signature_method method;
    struct bytes types;
    uint32_t count;
    if (signature_method(blob, &method) == CLEW_OK) {
        look_at_types(search, method.return_type);
        look_at_types(search, method.parameters);
    } else if (signature_field(blob, &types) == CLEW_OK || signature_locals(blob, &count, &types) == CLEW_OK ||
               signature_method_spec(blob, &count, &types) == CLEW_OK) {
        look_at_types(search, types);
    }
}

void metadata_type_ref_kinds(const struct metadata *metadata, uint8_t *kinds)
{
    static const struct {
        enum metadata_table table;
        unsigned column;
    } signatures[] = {{TABLE_FIELD, FIELD_SIGNATURE},
                      {TABLE_METHOD_DEF, METHOD_DEF_SIGNATURE},
                      {TABLE_MEMBER_REF, MEMBER_REF_SIGNATURE},
                      {TABLE_STAND_ALONE_SIG, STAND_ALONE_SIG_SIGNATURE},
                      {TABLE_METHOD_SPEC, METHOD_SPEC_INSTANTIATION}};
    struct search search = {kinds, metadata_rows(metadata, TABLE_TYPE_REF) + 1};
    for (uint32_t row = 0; row < search.count; row++) {
        kinds[row] = TYPE_REF_UNKNOWN;
    }
    for (unsigned i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        for (uint32_t row = 1; row <= metadata_rows(metadata, signatures[i].table); row++) {
            uint32_t blob = metadata_column(metadata, signatures[i].table, row, signatures[i].column);
            look_at_signature(&search, metadata_blob(metadata, blob));
        }
    }
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_SPEC); row++) {
        look_at_types(&search,
                      metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, row, TYPE_SPEC_SIGNATURE)));
    }
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_DEF); row++) {
        uint32_t base = metadata_column(metadata, TABLE_TYPE_DEF, row, TYPE_DEF_EXTENDS);
        note(&search, metadata_decode(CODED_TYPE_DEF_OR_REF, base), TYPE_REF_CLASS);
    }
}
