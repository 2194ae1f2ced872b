// The instance fields of a value type, as the metadata of the module that defines it states them.
#ifndef CLEW_AGENT_INSTANCE_FIELDS_H
#define CLEW_AGENT_INSTANCE_FIELDS_H

#include "agent/types/type_table.h"

// A value type and, where it is known, its layout in memory.
struct layout_source {
    struct module *module; // that defines it
    uint32_t token;        // TypeDef
    const struct type_arguments *arguments;
    const struct clr_field *fields; // its own instance fields with their offsets
    uint32_t field_count;
    uint32_t size; // bytes of a value
};

// A cursor over the Field rows of a TypeDef that are not static. A literal is static too (ECMA-335 II.16.1.2).
struct instance_fields {
    const struct metadata *metadata;
    uint32_t row, end;
};

struct instance_fields instance_fields_of(const struct metadata *metadata, uint32_t type);
// Hands out the token of the next field. False: there are no more.
bool instance_fields_next(struct instance_fields *fields, uint32_t *token);

// The field's type as its signature states it; empty when it is malformed.
struct bytes field_signature(const struct metadata *metadata, uint32_t token);
// The number of the field's type; 0: not known, as its module is not loaded, for instance. Needs type_table_lock().
uint32_t field_type(const struct layout_source *source, uint32_t token);
// The name that the source code has for the field; empty: none.
struct text field_name(const struct metadata *metadata, uint32_t token);

#endif
