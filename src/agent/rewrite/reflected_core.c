// Finds what the new end of GetMethodBody uses (reflected.c) by name and type. A core library that lacks any of it is left alone.
#include "agent/rewrite/reflected_core.h"

#include <string.h>

#include "agent/session/agent.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

static bool field_is(const struct metadata *core, uint32_t row, const char *name, struct bytes type)
{
    struct bytes blob = metadata_blob(core, metadata_column(core, TABLE_FIELD, row, FIELD_SIGNATURE));
    struct bytes own;
    return text_equal(metadata_string(core, metadata_column(core, TABLE_FIELD, row, FIELD_NAME)), text_of(name)) &&
           signature_field(blob, &own) == CLEW_OK && bytes_begin_with(own, type);
}

// `type`: how the signature of the field's type begins.
static uint32_t find_field(const struct metadata *core, uint32_t owner, const char *name, const char *type)
{
    struct metadata_range rows = {0};
    if (owner) {
        rows = metadata_list(core, TABLE_TYPE_DEF, TOKEN_ROW(owner), TYPE_DEF_FIELDS, TABLE_FIELD);
    }
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (field_is(core, row, name, bytes_of((const uint8_t *)type, strlen(type)))) {
            return TOKEN(TABLE_FIELD, row);
        }
    }
    return 0;
}

void reflected_core_readers(const struct metadata *core, uint32_t readers[2])
{
    static const char *const owners[] = {"RuntimeMethodInfo", "RuntimeConstructorInfo"};
    static const uint8_t signature[] = {0x20, 0, ELEMENT_CLASS}; // an instance method without parameters
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        uint32_t owner = type_def_find(core, 0, text_of("System.Reflection"), text_of(owners[i]));
        readers[i] = type_def_find_method(core, owner, text_of("GetMethodBody"), bytes_of(signature, sizeof signature));
    }
}

static uint32_t find_copy(const struct metadata *core)
{
    uint32_t array = type_def_find(core, 0, text_of("System"), text_of("Array"));
    struct buffer signature = {0};
    buffer_append(&signature, "\0\3\1", 3); // a static method of three parameters and no result
    for (int i = 0; i < 2; i++) {
        buffer_u8(&signature, ELEMENT_CLASS);
        buffer_compressed(&signature, TOKEN_ROW(array) << 2);
    }
    buffer_u8(&signature, ELEMENT_I4);
    uint32_t token = signature.failed
                         ? 0
                         : type_def_find_method(core, array, text_of("Copy"), bytes_of(signature.data, signature.size));
    buffer_free(&signature);
    return token;
}

// Two locals: a native int and a reference. The JIT does not ask for the class of a reference whose fields are loaded.
static bool usable_locals(struct bytes blob, struct reflected_core *out)
{
    uint32_t count;
    struct bytes types;
    uint8_t first[2];
    if (signature_locals(blob, &count, &types) != CLEW_OK || count != 2) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!bytes_left(&types) || (first[i] = *types.at, !signature_skip_type(&types))) {
            return false;
        }
    }
    out->pointer = first[1] == ELEMENT_I;
    out->reference = !out->pointer;
    uint8_t other = first[out->reference];
    return first[out->pointer] == ELEMENT_I && (other == ELEMENT_CLASS || other == ELEMENT_OBJECT);
}

static void find_signatures(const struct metadata *core, struct reflected_core *out)
{
    static const uint8_t call[] = {SIGNATURE_UNMANAGED, 1, ELEMENT_I4, ELEMENT_I}; // int (native int)
    for (uint32_t row = 1; row <= metadata_rows(core, TABLE_STAND_ALONE_SIG) && !(out->call && out->locals); row++) {
        struct bytes blob =
            metadata_blob(core, metadata_column(core, TABLE_STAND_ALONE_SIG, row, STAND_ALONE_SIG_SIGNATURE));
        if (bytes_left(&blob) == sizeof call && memcmp(blob.at, call, sizeof call) == 0) {
            out->call = TOKEN(TABLE_STAND_ALONE_SIG, row);
        } else if (!out->locals && bytes_left(&blob) && *blob.at == SIGNATURE_LOCALS && usable_locals(blob, out)) {
            out->locals = TOKEN(TABLE_STAND_ALONE_SIG, row);
        }
    }
}

static bool find_tokens(const struct metadata *core, uint32_t reader, struct reflected_core *out)
{
    const struct text reflection = text_of("System.Reflection");
    uint32_t body = type_def_find(core, 0, reflection, text_of("RuntimeMethodBody"));
    uint32_t raw = type_def_find(core, 0, text_of("System.Runtime.CompilerServices"), text_of("RawData"));
    *out = (struct reflected_core){
        .handle = find_field(core, metadata_method_owner(core, reader), "m_handle", "\x18"),
        .method = find_field(core, body, "_methodBase", "\x12"),
        .raw = find_field(core, raw, "Data", "\x05"),
        .byte = type_def_find(core, 0, text_of("System"), text_of("Byte")),
        .variable = type_def_find(core, 0, reflection, text_of("RuntimeLocalVariableInfo")),
        .copy = find_copy(core),
    };
    find_signatures(core, out);
    return out->handle && out->method && out->raw && out->byte && out->variable && out->copy && out->call &&
           out->locals;
}

struct wanted_field {
    const char *name, *type;
    uint32_t *offset;
};

static bool find_offsets(const struct module *core, const char *name, const struct wanted_field *wanted, size_t count)
{
    enum { FIELDS = 16 }; // more than the classes have
    struct clr_field fields[FIELDS];
    uint32_t type = type_def_find(&core->metadata, 0, text_of("System.Reflection"), text_of(name)), known;
    clr_id class;
    if (!type || clr_failed(info_load_class(agent.info, core->id, type, &class)) ||
        clr_failed(info_get_fields(agent.info, class, FIELDS, fields, &known))) {
        return false;
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t token = find_field(&core->metadata, type, wanted[i].name, wanted[i].type);
        for (uint32_t k = 0; token && k < known && k < FIELDS; k++) {
            if (fields[k].token == token) {
                *wanted[i].offset = fields[k].offset;
                found++;
            }
        }
    }
    return found == count;
}

static bool find_fields(const struct module *core, struct reflected_core *out)
{
    const struct wanted_field of_body[] = {
        {"_IL", "\x1D\x05", &out->il},
        {"_exceptionHandlingClauses", "\x1D\x12", &out->clauses},
        {"_localVariables", "\x1D\x12", &out->variables},
        {"_localSignatureMetadataToken", "\x08", &out->locals_token},
        {"_maxStackSize", "\x08", &out->max_stack},
        {"_initLocals", "\x02", &out->init_locals},
    };
    const struct wanted_field of_clause[] = {
        {"_tryOffset", "\x08", &out->try_offset},         {"_tryLength", "\x08", &out->try_length},
        {"_handlerOffset", "\x08", &out->handler_offset}, {"_handlerLength", "\x08", &out->handler_length},
        {"_filterOffset", "\x08", &out->filter_offset},
    };
    return find_offsets(core, "RuntimeMethodBody", of_body, sizeof of_body / sizeof *of_body) &&
           find_offsets(core, "RuntimeExceptionHandlingClause", of_clause, sizeof of_clause / sizeof *of_clause);
}

bool reflected_core_find(const struct module *core, uint32_t reader, struct reflected_core *out)
{
    return find_tokens(&core->metadata, reader, out) && find_fields(core, out);
}
