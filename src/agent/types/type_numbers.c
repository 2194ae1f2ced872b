// Builds types for the registry: key, display name and definition.
#include "agent/types/type_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "metadata/names/names.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

enum {
    DEPTH_MAX = 32,          // of types nested in types
    MEMBERS_SIZE = 64 << 10, // bytes that the members of an enum may take in its definition
};

// -- Names ------------------------------------------------------------------------------------------------------------

// The type arguments and how many of them the name has so far.
struct argument_names {
    const struct type_arguments *arguments;
    uint32_t appended;
};

static void append_arguments(struct type_candidate *candidate, struct argument_names *names, uint32_t count)
{
    CLEW_ASSERT(names->arguments->count <= TYPE_ARGUMENTS_MAX && names->appended <= names->arguments->count);
    for (uint32_t i = 0; i < count && names->appended < names->arguments->count; i++) {
        type_candidate_append_name(candidate, text_of(i ? ", " : "<"));
        type_candidate_append_name(candidate, type_name_of(names->arguments->numbers[names->appended++]));
        if (i + 1 == count || names->appended == names->arguments->count) {
            type_candidate_append_name(candidate, text_of(">"));
        }
    }
}

// Appends a type's own name after those of its enclosing types. Only the outermost type has a namespace.
static void append_last_name(struct type_candidate *candidate, struct text space, struct text name,
                             struct argument_names *names)
{
    struct text own;
    uint32_t arity = type_name_arity(name, &own);
    type_candidate_append_name(candidate, space);
    type_candidate_append_name(candidate, text_of(candidate->name.size ? "." : ""));
    type_candidate_append_name(candidate, own);
    append_arguments(candidate, names, arity);
}

// `Ns.Outer<A>.Inner<B>`; without arguments `Ns.Outer.Inner`.
static void append_type_name(struct type_candidate *candidate, const struct metadata *metadata, uint32_t token,
                             struct argument_names *names, unsigned depth)
{
    struct type_def def;
    if (depth == 0 || !type_def_of(metadata, token, &def)) {
        return;
    }
    if (def.outer) {
        append_type_name(candidate, metadata, def.outer, names, depth - 1);
    }
    append_last_name(candidate, def.outer ? text_of("") : def.space, def.name, names);
}

// The same name, from the TypeRefs of a module that uses the type.
static void append_reference_name(struct type_candidate *candidate, const struct metadata *metadata, uint32_t token,
                                  struct argument_names *names, unsigned depth)
{
    struct type_ref ref;
    if (depth == 0 || !type_ref_of(metadata, token, &ref)) {
        return;
    }
    bool nested = TOKEN_TABLE(ref.scope) == TABLE_TYPE_REF;
    if (nested) {
        append_reference_name(candidate, metadata, ref.scope, names, depth - 1);
    }
    append_last_name(candidate, nested ? text_of("") : ref.space, ref.name, names);
}

// -- Primitives -------------------------------------------------------------------------------------------------------

struct primitive {
    const char *name;
    enum type_kind kind;
    enum site_encoding encoding;
    uint8_t size;
};

static const struct primitive *primitive_of(uint8_t element)
{
    static const struct primitive primitives[] = {
        [ELEMENT_VOID] = {"System.Void", TYPE_PRIMITIVE, VALUE_NONE, 0},
        [ELEMENT_BOOLEAN] = {"System.Boolean", TYPE_PRIMITIVE, VALUE_BOOLEAN, 1},
        [ELEMENT_CHAR] = {"System.Char", TYPE_PRIMITIVE, VALUE_CHAR, 2},
        [ELEMENT_I1] = {"System.SByte", TYPE_PRIMITIVE, VALUE_I1, 1},
        [ELEMENT_U1] = {"System.Byte", TYPE_PRIMITIVE, VALUE_U1, 1},
        [ELEMENT_I2] = {"System.Int16", TYPE_PRIMITIVE, VALUE_I2, 2},
        [ELEMENT_U2] = {"System.UInt16", TYPE_PRIMITIVE, VALUE_U2, 2},
        [ELEMENT_I4] = {"System.Int32", TYPE_PRIMITIVE, VALUE_I4, 4},
        [ELEMENT_U4] = {"System.UInt32", TYPE_PRIMITIVE, VALUE_U4, 4},
        [ELEMENT_I8] = {"System.Int64", TYPE_PRIMITIVE, VALUE_I8, 8},
        [ELEMENT_U8] = {"System.UInt64", TYPE_PRIMITIVE, VALUE_U8, 8},
        [ELEMENT_R4] = {"System.Single", TYPE_PRIMITIVE, VALUE_R4, 4},
        [ELEMENT_R8] = {"System.Double", TYPE_PRIMITIVE, VALUE_R8, 8},
        [ELEMENT_STRING] = {"System.String", TYPE_STRING, VALUE_OBJECT, 8},
        [ELEMENT_TYPED_REFERENCE] = {"System.TypedReference", TYPE_REF_STRUCT, VALUE_STRUCT, 16},
        [ELEMENT_I] = {"System.IntPtr", TYPE_PRIMITIVE, VALUE_NATIVE_I, 8},
        [ELEMENT_U] = {"System.UIntPtr", TYPE_PRIMITIVE, VALUE_NATIVE_U, 8},
        [ELEMENT_OBJECT] = {"System.Object", TYPE_CLASS, VALUE_OBJECT, 8},
    };
    bool known = element < sizeof primitives / sizeof *primitives && primitives[element].name;
    return known ? &primitives[element] : NULL;
}

uint32_t type_primitive(uint8_t element, const struct type_report *report)
{
    const struct primitive *primitive = primitive_of(element);
    struct type_candidate candidate;
    if (!primitive) {
        return 0;
    }
    type_candidate_begin(&candidate, element, report);
    type_candidate_append_name(&candidate, text_of(primitive->name));
    candidate.type = (struct type){.kind = primitive->kind, .encoding = primitive->encoding, .size = primitive->size};
    return type_candidate_finish(&candidate);
}

// A primitive is also a class of the core library; both must get one number. 0: the class is no primitive.
static uint8_t element_of_class(const struct module *module, const struct type_def *def)
{
    if (def->outer || !text_equal(def->space, text_of("System")) || !module_is_core_library(module)) {
        return 0;
    }
    for (uint8_t element = ELEMENT_VOID; element <= ELEMENT_OBJECT; element++) {
        const struct primitive *primitive = primitive_of(element);
        if (primitive && text_equal(def->name, text_of(primitive->name + sizeof "System"))) {
            return element;
        }
    }
    return 0;
}

// -- Classes, structs and enums ---------------------------------------------------------------------------------------

static void take_members(struct type_candidate *candidate, const struct metadata *metadata, uint32_t token)
{
    enum { BESIDE_THE_NAME = 16 }; // upper bound of a member's bytes without its name
    struct enum_members members = enum_members_of(metadata, token), again = members;
    struct enum_member member;
    uint32_t count = 0;
    for (size_t size = 0; size < MEMBERS_SIZE && enum_members_next(&again, &member); count++) {
        size += member.name.size + BESIDE_THE_NAME;
    }
    candidate->members = calloc((size_t)count + 1, sizeof *candidate->members);
    for (uint32_t i = 0; candidate->members && i < count && enum_members_next(&members, &member); i++) {
        candidate->members[i] = (struct type_member){member.value, member.name};
        candidate->type.member_count = i + 1;
    }
    candidate->type.members = candidate->members;
}

static bool is_nullable(const struct type_def *def)
{
    return !def->outer && text_equal(def->name, text_of("Nullable`1")) && text_equal(def->space, text_of("System"));
}

static void describe(struct type_candidate *candidate, const struct metadata *metadata, uint32_t token,
                     const struct type_def *def, const struct type_arguments *arguments)
{
    static const uint8_t kinds[] = {
        [TYPE_DEF_CLASS] = TYPE_CLASS,   [TYPE_DEF_INTERFACE] = TYPE_CLASS,       [TYPE_DEF_DELEGATE] = TYPE_DELEGATE,
        [TYPE_DEF_STRUCT] = TYPE_STRUCT, [TYPE_DEF_REF_STRUCT] = TYPE_REF_STRUCT, [TYPE_DEF_ENUM] = TYPE_ENUM,
    };
    struct type *type = &candidate->type;
    static_assert(TYPE_DEF_CLASS < TYPE_DEF_STRUCT && TYPE_DEF_INTERFACE < TYPE_DEF_STRUCT &&
                      TYPE_DEF_DELEGATE < TYPE_DEF_STRUCT,
                  "reference types precede value types");
    CLEW_ASSERT((unsigned)def->kind < sizeof kinds);
    type->kind = (enum type_kind)kinds[def->kind];
    type->encoding = def->kind < TYPE_DEF_STRUCT ? VALUE_OBJECT : VALUE_STRUCT;
    if (is_nullable(def) && arguments->count == 1) {
        type->kind = TYPE_NULLABLE;
        type->element = arguments->numbers[0];
    }
    const struct primitive *underlying = def->kind == TYPE_DEF_ENUM ? primitive_of(def->underlying) : NULL;
    if (underlying) {
        type->encoding = underlying->encoding;
        type->size = underlying->size;
        type->is_flags = def->flags;
        take_members(candidate, metadata, token);
    }
}

static bool is_collectible(const struct module *module)
{
    return module->flags & MODULE_COLLECTIBLE;
}

static void begin_class(struct type_candidate *candidate, uint8_t element, const struct module *module, uint32_t token,
                        const struct type_arguments *arguments, const struct type_report *report)
{
    type_candidate_begin(candidate, element, report);
    candidate->collectible = is_collectible(module);
    buffer_u32(&candidate->key, module->number);
    buffer_u32(&candidate->key, token);
    for (uint32_t i = 0; i < arguments->count; i++) {
        uint32_t number = arguments->numbers[i];
        buffer_u32(&candidate->key, number);
        candidate->collectible |= number && type_entry_of(number)->collectible;
    }
}

uint32_t type_defined(struct module *module, uint32_t token, const struct type_arguments *arguments,
                      const struct type_report *report)
{
    struct type_def def;
    struct type_candidate candidate;
    if (!type_def_of(&module->metadata, token, &def)) {
        return 0;
    }
    uint8_t element = element_of_class(module, &def);
    if (element) {
        return type_primitive(element, report);
    }
    begin_class(&candidate, ELEMENT_CLASS, module, token, arguments, report);
    uint32_t reported = type_candidate_reported(&candidate);
    if (reported) {
        type_candidate_drop(&candidate);
        return reported;
    }
    candidate.module = module;
    candidate.token = token;
    candidate.flags = names_type_flags(&module->metadata, token);
    append_type_name(&candidate, &module->metadata, token, &(struct argument_names){.arguments = arguments}, DEPTH_MAX);
    describe(&candidate, &module->metadata, token, &def, arguments);
    return type_candidate_finish(&candidate);
}

bool type_definition_of(uint32_t number, struct module **module, uint32_t *token, struct type_arguments *arguments)
{
    const struct type_entry *entry = type_entry_of(number);
    struct bytes key = bytes_of(entry->key, entry->key_size);
    uint8_t element;
    uint32_t module_number;
    if (!entry->module || !bytes_u8(&key, &element) || element != ELEMENT_CLASS || !bytes_u32(&key, &module_number) ||
        !bytes_u32(&key, token)) {
        return false;
    }
    CLEW_ASSERT(module_number == entry->module->number && *token == entry->token);
    *module = entry->module;
    for (arguments->count = 0; bytes_left(&key) > 0; arguments->count++) {
        if (arguments->count == TYPE_ARGUMENTS_MAX || !bytes_u32(&key, &arguments->numbers[arguments->count])) {
            return false;
        }
    }
    return true;
}

void type_report_layout(uint32_t number, const struct type_layout *layout)
{
    struct type_arguments arguments;
    struct module *module;
    uint32_t token;
    if (type_definition_of(number, &module, &token, &arguments)) {
        (void)type_defined(module, token, &arguments, &(struct type_report){.layout = layout});
    }
}

uint32_t type_absent(const struct module *module, uint32_t token, const struct type_arguments *arguments)
{
    struct type_candidate candidate;
    // An element apart from ELEMENT_CLASS: the token is a TypeRef's and says nothing about where the type is defined.
    begin_class(&candidate, ELEMENT_MODIFIER_OPTIONAL, module, token, arguments, NULL);
    append_reference_name(&candidate, &module->metadata, token, &(struct argument_names){.arguments = arguments},
                          DEPTH_MAX);
    candidate.flags = names_type_flags(&module->metadata, token);
    candidate.type = (struct type){.kind = TYPE_CLASS, .encoding = VALUE_OBJECT};
    return type_candidate_finish(&candidate);
}

uint32_t type_unreadable(const struct type_report *report)
{
    struct type_candidate candidate;
    type_candidate_begin(&candidate, ELEMENT_MODIFIER_REQUIRED, report);
    type_candidate_append_name(&candidate, text_of("?"));
    candidate.type = (struct type){.kind = TYPE_CLASS, .encoding = VALUE_OBJECT};
    return type_candidate_finish(&candidate);
}

// -- Types around others, and type parameters -------------------------------------------------------------------------

uint32_t type_around(uint8_t element, uint32_t inner, const char *suffix, const struct type_report *report)
{
    bool pointer = element == ELEMENT_POINTER, reference = element == ELEMENT_BY_REFERENCE;
    struct type_candidate candidate;
    if (!inner) {
        return 0;
    }
    type_candidate_begin(&candidate, element, report);
    candidate.collectible = type_entry_of(inner)->collectible;
    buffer_u32(&candidate.key, inner);
    buffer_text(&candidate.key, suffix);
    type_candidate_append_name(&candidate, type_name_of(inner));
    type_candidate_append_name(&candidate, text_of(suffix));
    candidate.type = (struct type){.kind = pointer     ? TYPE_POINTER
                                           : reference ? TYPE_REFERENCE
                                                       : TYPE_ARRAY,
                                   .encoding = pointer || reference ? VALUE_POINTER : VALUE_OBJECT,
                                   .element = inner,
                                   .size = 8};
    return type_candidate_finish(&candidate);
}

uint32_t type_parameter(const struct module *module, uint32_t row)
{
    struct type_candidate candidate;
    type_candidate_begin(&candidate, ELEMENT_VAR, NULL);
    candidate.collectible = is_collectible(module);
    buffer_u32(&candidate.key, module->number);
    buffer_u32(&candidate.key, row);
    type_candidate_append_name(
        &candidate, metadata_string(&module->metadata,
                                    metadata_column(&module->metadata, TABLE_GENERIC_PARAM, row, GENERIC_PARAM_NAME)));
    candidate.type = (struct type){.kind = TYPE_PARAMETER, .encoding = VALUE_TYPED};
    return type_candidate_finish(&candidate);
}

uint32_t type_function_pointer(void)
{
    struct type_candidate candidate;
    type_candidate_begin(&candidate, ELEMENT_FUNCTION_POINTER, NULL);
    type_candidate_append_name(&candidate, text_of("delegate*"));
    candidate.type = (struct type){.kind = TYPE_POINTER, .encoding = VALUE_POINTER, .size = 8};
    return type_candidate_finish(&candidate);
}

uint32_t type_redacted(void)
{
    struct type_candidate candidate;
    type_candidate_begin(&candidate, ELEMENT_SENTINEL, NULL); // never the first element of a type
    type_candidate_append_name(&candidate, text_of("?"));
    candidate.type = (struct type){.kind = TYPE_REDACTED, .encoding = VALUE_NONE};
    return type_candidate_finish(&candidate);
}
