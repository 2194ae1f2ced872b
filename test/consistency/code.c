// See code.h.
#include "code.h"

#include <stdlib.h>

#include "../oracle/metadata/read_file.h"
#include "base/array.h"
#include "il/body.h"
#include "il/stack.h"
#include "metadata/tables/image.h"
#include "metadata/tables/signature.h"

// -- Fields by name ---------------------------------------------------------------------------------------------------

static void append_text(struct buffer *into, const struct metadata *metadata, enum metadata_table table, uint32_t row,
                        unsigned column)
{
    struct text text = metadata_string(metadata, metadata_column(metadata, table, row, column));
    buffer_append(into, text.at, text.size);
    buffer_u8(into, '/');
}

// Of a TypeDef, TypeRef or TypeSpec: the outermost name first.
static void append_type(struct buffer *into, const struct metadata *metadata, uint32_t token)
{
    uint32_t row = TOKEN_ROW(token), outer = 0;
    if (TOKEN_TABLE(token) == TABLE_TYPE_SPEC) {
        struct bytes blob =
            metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, row, TYPE_SPEC_SIGNATURE));
        uint8_t element;
        uint32_t coded;
        if (bytes_u8(&blob, &element) && element == ELEMENT_GENERIC_INSTANCE && bytes_u8(&blob, &element) &&
            bytes_compressed(&blob, &coded)) {
            append_type(into, metadata, metadata_decode(CODED_TYPE_DEF_OR_REF, coded));
        }
        return;
    }
    if (TOKEN_TABLE(token) == TABLE_TYPE_DEF) {
        outer = metadata_enclosing_type(metadata, token);
    } else if (TOKEN_TABLE(token) == TABLE_TYPE_REF) {
        outer = metadata_decode(CODED_RESOLUTION_SCOPE, metadata_column(metadata, TABLE_TYPE_REF, row, TYPE_REF_SCOPE));
        outer = TOKEN_TABLE(outer) == TABLE_TYPE_REF ? outer : 0;
    } else {
        return;
    }
    if (outer) {
        append_type(into, metadata, outer);
    }
    append_text(into, metadata, TOKEN_TABLE(token), row, 2);
    append_text(into, metadata, TOKEN_TABLE(token), row, 1);
}

uint64_t code_field(const struct metadata *metadata, uint32_t token)
{
    struct buffer name = {0};
    uint32_t row = TOKEN_ROW(token);
    if (TOKEN_TABLE(token) == TABLE_FIELD) {
        append_type(&name, metadata, metadata_field_owner(metadata, token));
        append_text(&name, metadata, TABLE_FIELD, row, 1);
    } else {
        uint32_t parent = metadata_column(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_PARENT);
        append_type(&name, metadata, metadata_decode(CODED_MEMBER_REF_PARENT, parent));
        append_text(&name, metadata, TABLE_MEMBER_REF, row, 1);
    }
    uint64_t hash = map_hash_text(name.data, name.size);
    buffer_free(&name);
    return hash;
}

uint32_t code_field_facts(const struct code *code, uint64_t field)
{
    uint64_t facts;
    return map_get(&code->fields, field, &facts) ? (uint32_t)facts : 0;
}

// Facts of a field add up over all modules.
static bool add_fact(struct code *code, uint64_t field, uint32_t facts)
{
    return map_put(&code->fields, field, code_field_facts(code, field) | facts);
}

// Facts that follow from the declarations of a module's fields.
static bool add_fields(struct code *code, const struct metadata *metadata)
{
    enum { ACCESS = 7, PRIVATE = 1, INTERNAL = 3, STATIC = 0x10 };
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_FIELD); row++) {
        uint32_t token = TOKEN(TABLE_FIELD, row);
        uint32_t access = metadata_column(metadata, TABLE_FIELD, row, FIELD_FLAGS) & ACCESS;
        uint32_t type = metadata_field_owner(metadata, token);
        uint32_t generic = metadata_find(metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, TOKEN_ROW(type) << 1);
        uint32_t facts = FIELD_OWN | (generic ? FIELD_GENERIC : 0) | (access > INTERNAL ? FIELD_OPEN : 0);
        if (metadata_attribute(metadata, token, "System", "ThreadStaticAttribute", NULL)) {
            facts |= FIELD_THREAD_STATIC;
        }
        if (!add_fact(code, code_field(metadata, token), facts)) {
            return false;
        }
    }
    return true;
}

// -- Bodies -----------------------------------------------------------------------------------------------------------

static uint64_t method_key(uint32_t process, uint32_t module, uint32_t token)
{
    const uint32_t identity[] = {process, module, token, 0};
    return map_hash_text(identity, sizeof identity);
}

bool code_add_not_woven(struct code *code, uint32_t process, uint32_t module, uint32_t token)
{
    return map_put(&code->not_woven, method_key(process, module, token), 1);
}

// Facts that follow from a body: addresses that it takes, and fields that it writes without events.
static bool look_at(struct code *code, const struct metadata *metadata, struct il_body *body, bool woven,
                    struct code_method *method)
{
    method->garbage = !body->init_locals;
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        uint32_t number;
        switch (il_family(at, &number)) {
        case IL_LDLOCA:
            method->locals_taken |= code_bit(number);
            break;
        case IL_LDARGA:
            method->parameters_taken |= code_bit(number);
            break;
        case IL_LDFLDA:
        case IL_LDSFLDA:
            if (!add_fact(code, code_field(metadata, (uint32_t)at->operand.integer), FIELD_ADDRESS_TAKEN)) {
                return false;
            }
            break;
        case IL_STFLD:
        case IL_STSFLD:
            if (!woven && !add_fact(code, code_field(metadata, (uint32_t)at->operand.integer), FIELD_NOT_WOVEN)) {
                return false;
            }
            break;
        default:
            break;
        }
    }
    return true;
}

// Reads all bodies of a module. Those that do not decode have no facts.
static bool add_methods(struct code *code, struct code_module *module, const struct image *image)
{
    for (uint32_t row = 1; row <= metadata_rows(&module->metadata, TABLE_METHOD_DEF); row++) {
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
        struct metadata_method about;
        struct arena arena = {0};
        struct il_body body;
        struct bytes bytes;
        struct code_method method = {0};
        bool whole = metadata_method(&module->metadata, token, &about) && about.rva &&
                     image_at(image, about.rva, &bytes) && il_decode(bytes, &arena, &body) == CLEW_OK;
        uint64_t unused;
        bool woven = !map_get(&code->not_woven, method_key(module->process, module->module, token), &unused);
        bool room = !whole || (look_at(code, &module->metadata, &body, woven, &method) &&
                               array_grow(&code->methods, code->method_count, &code->method_room, sizeof method) &&
                               map_put(&module->methods, token, code->method_count + 1));
        if (whole && room) {
            code->methods[code->method_count++] = method;
        }
        arena_free(&arena);
        if (!room) {
            return false;
        }
    }
    return true;
}

bool code_add_module(struct code *code, uint32_t process, uint32_t module, const char *path)
{
    struct image image;
    struct code_module added = {.process = process, .module = module};
    if (!read_file(path, &added.file) ||
        image_open(bytes_of(added.file.data, added.file.size), IMAGE_FLAT, &image) != CLEW_OK ||
        metadata_open(image.metadata, &added.metadata) != CLEW_OK) {
        buffer_free(&added.file);
        return true;
    }
    bool good = add_fields(code, &added.metadata) && add_methods(code, &added, &image) &&
                array_grow(&code->modules, code->module_count, &code->module_room, sizeof added);
    if (good) {
        code->modules[code->module_count++] = added;
    }
    return good;
}

const struct code_module *code_module(const struct code *code, uint32_t process, uint32_t module)
{
    for (size_t i = 0; i < code->module_count; i++) {
        if (code->modules[i].process == process && code->modules[i].module == module) {
            return &code->modules[i];
        }
    }
    return NULL;
}

const struct code_method *code_method(const struct code *code, const struct code_module *module, uint32_t token)
{
    uint64_t index;
    return module && map_get(&module->methods, token, &index) ? &code->methods[index - 1] : NULL;
}

void code_fini(struct code *code)
{
    for (size_t i = 0; i < code->module_count; i++) {
        map_free(&code->modules[i].methods);
        buffer_free(&code->modules[i].file);
    }
    free(code->modules);
    free(code->methods);
    map_free(&code->fields);
    map_free(&code->not_woven);
    *code = (struct code){0};
}
