// Finds the redacted fields of value types.
#include "agent/types/redacted_fields.h"

#include <string.h>

#include "agent/session/agent.h"
#include "agent/session/settings.h"
#include "agent/types/type_numbers.h"
#include "base/redact.h"
#include "metadata/names/names.h"
#include "metadata/names/names_tuple.h"
#include "metadata/names/names_variable.h"
#include "metadata/tables/signature.h"
#include "trace/site.h"
#include "trace/tuple_names.h"

enum { DEPTH_MAX = 16 }; // of structs in structs

static_assert((int)CLASS_MASK_BYTES >= (int)STRUCT_SIZE_MAX, "each byte of a recorded value has its bit");

struct search {
    bool metadata_only; // a field that may be a struct counts as redacted: types have no numbers
    unsigned depth;     // of structs in structs that are still entered
    bool uncertain;     // the type of a field is not known
};

// Whether the field may be a struct, as far as its signature says. A malformed signature may mean anything.
static bool may_be_struct(const struct metadata *metadata, uint32_t token)
{
    struct bytes type = field_signature(metadata, token);
    uint8_t element = ELEMENT_VALUE_TYPE;
    (void)bytes_u8(&type, &element);
    return element == ELEMENT_VALUE_TYPE || element == ELEMENT_GENERIC_INSTANCE || element == ELEMENT_VAR ||
           element == ELEMENT_MODIFIER_REQUIRED || element == ELEMENT_MODIFIER_OPTIONAL;
}

// Whether the source code gives an item of a tuple in the field's type a redacted name.
static bool redacts_item(const struct metadata *metadata, uint32_t token)
{
    struct buffer buffer = {0};
    struct text name;
    names_tuple_of_field(metadata, token, &buffer);
    struct text names = {(const char *)buffer.data, buffer.size};
    bool redacts = buffer.failed; // better to lose a value than to record a secret
    while (!redacts && tuple_names_take(&names, &name)) {
        redacts = redaction_matches(&agent.settings.redaction, name);
    }
    buffer_free(&buffer);
    return redacts;
}

bool redaction_spares(const struct metadata *metadata, struct bytes signature, bool is_enum)
{
    struct bytes rest = signature;
    uint8_t element = ELEMENT_VOID;
    (void)bytes_u8(&rest, &element);
    bool spared = element == ELEMENT_BOOLEAN || is_enum;
    for (const char *const *name = redact_spared; *name && !spared; name++) {
        spared = names_is_class(metadata, signature, text_of(*name));
    }
    return spared && agent.settings.redaction.usual;
}

// A field without a name may hold a copy of a redacted value: which one, only the method that stores it shows.
static bool redacts_name(const struct metadata *metadata, uint32_t token, uint32_t type)
{
    bool redacted = names_is_spill(metadata, token)
                        ? redaction_is_any(&agent.settings.redaction)
                        : redaction_matches(&agent.settings.redaction, field_name(metadata, token));
    return redacted && !redaction_spares(metadata, field_signature(metadata, token),
                                         type && type_entry_of(type)->kind == TYPE_ENUM);
}

static bool search_type(uint32_t number, struct search *search);

static bool search_field(const struct layout_source *source, uint32_t token, uint32_t type, struct search *search)
{
    const struct metadata *metadata = &source->module->metadata;
    return redacts_name(metadata, token, type) || redacts_item(metadata, token) || (type && search_type(type, search));
}

// Whether a field of the struct is redacted or contains a field that is.
static bool search_fields(const struct layout_source *source, struct search *search)
{
    const struct metadata *metadata = &source->module->metadata;
    struct instance_fields fields = instance_fields_of(metadata, source->token);
    uint32_t token;
    while (instance_fields_next(&fields, &token)) {
        uint32_t type = search->metadata_only ? 0 : field_type(source, token);
        search->uncertain |= type == 0;
        if ((search->metadata_only && may_be_struct(metadata, token)) || search_field(source, token, type, search)) {
            return true;
        }
    }
    return false;
}

// The same for a type by its number. The answer is cached in its entry, unless a module that is loaded later can change it.
static bool search_type(uint32_t number, struct search *search)
{
    const struct type_entry type = *type_entry_of(number);
    struct type_arguments arguments;
    struct layout_source source = {.arguments = &arguments};
    bool is_struct = type.kind == TYPE_STRUCT || type.kind == TYPE_NULLABLE || type.kind == TYPE_REF_STRUCT;
    CLEW_ASSERT(!search->metadata_only && "a number is of a type that is looked into");
    if (!is_struct || type.redaction != REDACTION_UNKNOWN || search->depth == 0) {
        return type.redaction == REDACTS_FIELDS;
    }
    if (!type_definition_of(number, &source.module, &source.token, &arguments) ||
        atomic_load_explicit(&source.module->unloaded, memory_order_relaxed)) {
        return false;
    }
    struct search inner = {.depth = search->depth - 1};
    bool redacts = search_fields(&source, &inner);
    if (redacts || !inner.uncertain) {
        type_set_redaction(number, redacts ? REDACTS_FIELDS : REDACTS_NOTHING);
    }
    search->uncertain |= inner.uncertain;
    return redacts;
}

bool redacts_fields(uint32_t number)
{
    return search_type(number, &(struct search){.depth = DEPTH_MAX});
}

bool may_redact_fields(struct module *module, uint32_t token)
{
    const struct layout_source source = {.module = module, .token = token};
    return search_fields(&source, &(struct search){.metadata_only = true});
}

bool redacts_field(const struct layout_source *source, uint32_t token, uint32_t type)
{
    return search_field(source, token, type, &(struct search){.depth = DEPTH_MAX});
}

// -- Masks ------------------------------------------------------------------------------------------------------------

static void mask_range(uint64_t *mask, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to && at < CLASS_MASK_BYTES; at++) {
        mask[at / 64] |= UINT64_C(1) << at % 64;
    }
}

// Where the next field starts, or further on if the field is longer because fields overlap.
static uint32_t end_of_field(const struct layout_source *source, const struct clr_field *field, uint32_t type)
{
    uint32_t end = source->size, size = type ? type_entry_of(type)->size : 0;
    for (uint32_t i = 0; i < source->field_count; i++) {
        uint32_t offset = source->fields[i].offset;
        end = offset > field->offset && offset < end ? offset : end;
    }
    return size && field->offset + size > end ? field->offset + size : end;
}

void redaction_mask(const struct layout_source *source, uint64_t mask[CLASS_MASK_BYTES / 64])
{
    memset(mask, 0, CLASS_MASK_BYTES / 8);
    for (uint32_t i = 0; i < source->field_count; i++) {
        const struct clr_field *field = &source->fields[i];
        uint32_t type = field_type(source, field->token);
        if (redacts_field(source, field->token, type)) {
            mask_range(mask, field->offset, end_of_field(source, field, type));
        }
    }
}
