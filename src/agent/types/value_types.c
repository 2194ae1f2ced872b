// Types of values for the planner.
#include "agent/types/value_types.h"

#include "agent/types/computed_layouts.h"
#include "agent/types/instance_fields.h"
#include "agent/types/type_signatures.h"
#include "metadata/names/names_tuple.h"
#include "metadata/names/names_variable.h"

static uint32_t count_fields(const struct metadata *metadata, uint32_t type)
{
    struct instance_fields fields = instance_fields_of(metadata, type);
    uint32_t count = 0, token;
    while (instance_fields_next(&fields, &token)) {
        count++;
    }
    return count;
}

// The JIT promotes the fields of a struct to registers only if there are at most four (MAX_NumOfFieldsInPromotableStruct), so
// reading a larger struct in place costs nothing. Ref structs are excepted: reading an interpolated string handler in place
// made the JIT keep an object of the string alive for longer (samples/Guest, Lists).
static bool is_wide(const struct type_entry *type)
{
    enum { PROMOTED_MAX = 4 };
    bool is_struct = type->kind == TYPE_STRUCT;
    return is_struct && type->module && count_fields(&type->module->metadata, type->token) > PROMOTED_MAX;
}

struct known_type types_of_signature(struct module *module, uint32_t method, struct bytes signature)
{
    struct known_type known = {0};
    bool exact;
    type_table_lock();
    known.number = types_in_method(module, method, signature, &exact);
    if (known.number) {
        known.kind = type_entry_of(known.number)->kind;
        known.encoding = type_entry_of(known.number)->encoding;
        known.size = layout_compute(known.number);
        known.wide = is_wide(type_entry_of(known.number));
        known.exact =
            exact && (known.kind == TYPE_STRUCT || known.kind == TYPE_NULLABLE || known.kind == TYPE_REF_STRUCT);
    }
    type_table_unlock();
    return known;
}

void types_tuple_names(struct module *module, uint32_t token, struct buffer *out)
{
    struct field_reference field;
    bool elsewhere = names_field_reference(&module->metadata, token, &field) && !field.token;
    if (!elsewhere || !names_tuple_possible(field.signature)) {
        names_tuple_of_field(&module->metadata, token, out);
        return;
    }
    type_table_lock();
    struct module *defines;
    uint32_t type, there = 0;
    if (types_find_definition(module, field.type, &defines, &type)) {
        there = names_find_field(&defines->metadata, type, field.name);
    }
    if (there) {
        names_tuple_of_field(&defines->metadata, there, out);
    }
    type_table_unlock();
}
