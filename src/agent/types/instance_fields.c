// The instance fields of a value type, as metadata states them.
#include "agent/types/instance_fields.h"

#include "agent/types/type_signatures.h"
#include "metadata/names/names_variable.h"
#include "metadata/tables/signature.h"

enum { FLAG_STATIC = 0x10 }; // of FIELD_FLAGS

struct instance_fields instance_fields_of(const struct metadata *metadata, uint32_t type)
{
    struct metadata_range rows = metadata_list(metadata, TABLE_TYPE_DEF, TOKEN_ROW(type), TYPE_DEF_FIELDS, TABLE_FIELD);
    return (struct instance_fields){metadata, rows.first, rows.end};
}

bool instance_fields_next(struct instance_fields *fields, uint32_t *token)
{
    while (fields->row < fields->end) {
        uint32_t row = fields->row++;
        if (!(metadata_column(fields->metadata, TABLE_FIELD, row, FIELD_FLAGS) & FLAG_STATIC)) {
            *token = TOKEN(TABLE_FIELD, row);
            return true;
        }
    }
    return false;
}

struct bytes field_signature(const struct metadata *metadata, uint32_t token)
{
    struct bytes type = {0};
    uint32_t blob = metadata_column(metadata, TABLE_FIELD, TOKEN_ROW(token), FIELD_SIGNATURE);
    bool read = TOKEN_TABLE(token) == TABLE_FIELD && signature_field(metadata_blob(metadata, blob), &type) == CLEW_OK;
    return read ? type : (struct bytes){0};
}

uint32_t field_type(const struct layout_source *source, uint32_t token)
{
    struct bytes type = field_signature(&source->module->metadata, token);
    return bytes_left(&type) ? types_in_instance(source->module, source->arguments, type) : 0;
}

struct text field_name(const struct metadata *metadata, uint32_t token)
{
    struct variable_name name;
    return names_field(metadata, token, &name) ? name.name : (struct text){0};
}
