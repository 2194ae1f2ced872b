// Reads signatures and resolves the types that they name.
//
// A signature names a type by a token of its own module. A TypeRef leads to another module by the name of an assembly, so it
// can be resolved only while that module is loaded. A class that cannot be resolved gets a number all the same: a value of
// it is a reference, whatever else it is. A value type that cannot be resolved has none, since nothing in this module states
// how large it is or whether it is an enum.
#include "agent/types/type_signatures.h"

#include <stdlib.h>
#include <string.h>

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"
#include "agent/types/type_numbers.h"
#include "agent/types/type_table.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

enum {
    DEPTH_MAX = 32,   // of types nested in types
    FORWARDS_MAX = 8, // from one facade assembly to the next
    RANK_MAX = 32,    // of an array; the runtime allows no more
};

// -- Resolving tokens -------------------------------------------------------------------------------------------------

struct definition {
    struct module *module; // NULL: in no module that is loaded
    uint32_t token;        // TypeDef
};

static struct definition search_module(struct module *module, struct definition outer, struct text space,
                                       struct text name, unsigned forwards);

static struct definition search_assembly(const struct module *from, uint32_t assembly_ref, struct definition outer,
                                         struct text space, struct text name, unsigned forwards)
{
    uint32_t at = metadata_column(&from->metadata, TABLE_ASSEMBLY_REF, TOKEN_ROW(assembly_ref), ASSEMBLY_REF_NAME);
    struct module *module = modules_find_assembly(metadata_string(&from->metadata, at));
    return module ? search_module(module, outer, space, name, forwards) : (struct definition){0};
}

static struct definition search_module(struct module *module, struct definition outer, struct text space,
                                       struct text name, unsigned forwards)
{
    uint32_t token = type_def_find(&module->metadata, outer.token, space, name);
    if (token) {
        return (struct definition){module, token};
    }
    uint32_t elsewhere = outer.token ? 0 : type_def_forwarded(&module->metadata, space, name);
    return elsewhere && forwards ? search_assembly(module, elsewhere, outer, space, name, forwards - 1)
                                 : (struct definition){0};
}

static struct definition resolve(struct module *module, uint32_t token, unsigned depth);

static struct definition resolve_reference(struct module *module, uint32_t token, unsigned depth)
{
    struct type_ref ref;
    struct definition outer = {0};
    if (depth == 0 || !type_ref_of(&module->metadata, token, &ref)) {
        return outer;
    }
    switch (TOKEN_TABLE(ref.scope)) {
    case TABLE_TYPE_REF:
        outer = resolve(module, ref.scope, depth - 1);
        return outer.module ? search_module(outer.module, outer, ref.space, ref.name, 0) : outer;
    case TABLE_ASSEMBLY_REF:
        return search_assembly(module, ref.scope, outer, ref.space, ref.name, FORWARDS_MAX);
    case TABLE_MODULE:
        return search_module(module, outer, ref.space, ref.name, 0);
    default:
        return outer;
    }
}

// The cached resolution of a TypeRef, one for each row. A reference that was not found is resolved again once more modules
// have been loaded.
struct resolved_reference {
    clr_id id;       // of the defining module; 0: not found
    uint32_t number; // of that module: the runtime may give its id to another one after it is unloaded
    uint32_t token;
    uint32_t modules; // agent.next_module at the time; 0: never resolved
};

static struct resolved_reference *cache_of(struct module *module, uint32_t token)
{
    uint32_t rows = metadata_rows(&module->metadata, TABLE_TYPE_REF);
    if (TOKEN_TABLE(token) != TABLE_TYPE_REF || TOKEN_ROW(token) < 1 || TOKEN_ROW(token) > rows) {
        return NULL;
    }
    if (!module->resolved) {
        module->resolved = calloc((size_t)rows + 1, sizeof *module->resolved);
    }
    return module->resolved ? &module->resolved[TOKEN_ROW(token)] : NULL;
}

static struct definition resolve(struct module *module, uint32_t token, unsigned depth)
{
    struct resolved_reference *known = cache_of(module, token);
    uint32_t modules = atomic_load_explicit(&agent.next_module, memory_order_relaxed);
    if (TOKEN_TABLE(token) == TABLE_TYPE_DEF) {
        return (struct definition){module, token};
    }
    struct module *there = known ? module_find(known->id) : NULL;
    if (there && there->number == known->number) {
        return (struct definition){there, known->token};
    }
    if (known && !known->id && known->modules == modules) {
        return (struct definition){0};
    }
    struct definition found = resolve_reference(module, token, depth);
    if (known) {
        *known = (struct resolved_reference){.token = found.token, .modules = modules};
        known->id = found.module ? found.module->id : 0;
        known->number = found.module ? found.module->number : 0;
    }
    return found;
}

// -- Signatures -------------------------------------------------------------------------------------------------------

struct reading {
    struct module *module;
    uint32_t method;
    const struct type_arguments *instance; // arguments of the type that declares the field; NULL: open type parameters
    bool inexact; // several classes may match: type parameters, or an assembly found by its name
    struct bytes rest;
};

// Whether the definition is the only one that the runtime can mean. Two load contexts can hold assemblies of one name, and
// only the runtime knows which of them a reference resolves to.
static bool is_exact(const struct reading *reading, const struct definition *definition)
{
    return definition->module && !(definition->module->flags & MODULE_COLLECTIBLE) &&
           (definition->module == reading->module || module_is_core_library(definition->module));
}

// Of a type that cannot be resolved only ELEMENT_CLASS or ELEMENT_VALUE_TYPE is known.
static uint32_t number_of_named(struct reading *reading, uint8_t element, uint32_t token,
                                const struct type_arguments *arguments)
{
    struct definition found = resolve(reading->module, token, DEPTH_MAX);
    uint32_t number = found.module ? type_defined(found.module, found.token, arguments, NULL) : 0;
    reading->inexact |= !is_exact(reading, &found);
    return number || element != ELEMENT_CLASS ? number : type_absent(reading->module, token, arguments);
}

static uint32_t read_type(struct reading *reading, unsigned depth);

// Skips sizes and lower bounds, which follow the rank in an ArrayShape (ECMA-335 II.23.2.13).
static bool read_rank(struct bytes *rest, uint32_t *rank)
{
    uint32_t count, size;
    int32_t bound;
    if (!bytes_compressed(rest, rank) || *rank == 0 || *rank > RANK_MAX || !bytes_compressed(rest, &count)) {
        return false;
    }
    while (count-- > 0) {
        if (!bytes_compressed(rest, &size)) {
            return false;
        }
    }
    if (!bytes_compressed(rest, &count)) {
        return false;
    }
    while (count-- > 0) {
        if (!bytes_compressed_signed(rest, &bound)) {
            return false;
        }
    }
    return true;
}

static uint32_t read_array(struct reading *reading, unsigned depth)
{
    uint32_t item = read_type(reading, depth), rank;
    char suffix[RANK_MAX + 8] = "[";
    if (!item || !read_rank(&reading->rest, &rank)) {
        return 0;
    }
    CLEW_ASSERT(rank >= 1 && rank + 2 <= sizeof suffix);
    memset(suffix + 1, ',', rank - 1);
    suffix[rank] = rank == 1 ? '*' : ']'; // one dimension that need not begin at 0, unlike SZARRAY
    suffix[rank + 1] = rank == 1 ? ']' : 0;
    return type_around(ELEMENT_ARRAY, item, suffix, NULL);
}

static bool read_token(struct reading *reading, uint32_t *token)
{
    uint32_t coded;
    if (!bytes_compressed(&reading->rest, &coded)) {
        return false;
    }
    *token = metadata_decode(CODED_TYPE_DEF_OR_REF, coded);
    return TOKEN_TABLE(*token) != TABLE_TYPE_SPEC && TOKEN_ROW(*token) != 0;
}

static uint32_t read_instance(struct reading *reading, unsigned depth)
{
    struct type_arguments arguments = {0};
    uint8_t element;
    uint32_t token, count;
    if (!bytes_u8(&reading->rest, &element) || !read_token(reading, &token) ||
        !bytes_compressed(&reading->rest, &count) || count > TYPE_ARGUMENTS_MAX) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        arguments.numbers[i] = read_type(reading, depth);
        if (!arguments.numbers[i]) {
            return 0;
        }
    }
    arguments.count = count;
    return number_of_named(reading, element, token, &arguments);
}

// A type parameter is a row of GenericParam, found by its owner and its index. In an instance it is the type argument.
static uint32_t read_parameter(struct reading *reading, bool of_method)
{
    const struct metadata *metadata = &reading->module->metadata;
    const struct type_arguments *given = reading->instance;
    uint32_t number;
    if (!bytes_compressed(&reading->rest, &number)) {
        return 0;
    }
    if (given) {
        return !of_method && number < given->count ? given->numbers[number] : 0;
    }
    uint32_t owner = of_method ? reading->method : metadata_method_owner(metadata, reading->method);
    uint32_t coded = metadata_encode(CODED_TYPE_OR_METHOD_DEF, owner);
    struct metadata_range rows = metadata_find_all(metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, coded);
    while (rows.first < rows.end &&
           metadata_column(metadata, TABLE_GENERIC_PARAM, rows.first, GENERIC_PARAM_NUMBER) != number) {
        rows.first++;
    }
    return rows.first < rows.end ? type_parameter(reading->module, rows.first) : 0;
}

// Whether the runtime's class of such a type certainly gets the same number as the signature. Modifiers do not exist in a
// class, pointers have no class, and a type parameter can be any class.
static bool is_plain(uint8_t element)
{
    switch (element) {
    case ELEMENT_MODIFIER_REQUIRED:
    case ELEMENT_MODIFIER_OPTIONAL:
    case ELEMENT_POINTER:
    case ELEMENT_BY_REFERENCE:
    case ELEMENT_ARRAY:
    case ELEMENT_VAR:
    case ELEMENT_MVAR:
    case ELEMENT_FUNCTION_POINTER:
        return false;
    default:
        return true;
    }
}

static uint32_t read_type(struct reading *reading, unsigned depth)
{
    struct type_arguments none = {0};
    uint8_t element;
    uint32_t token;
    if (depth == 0 || !bytes_u8(&reading->rest, &element)) {
        return 0;
    }
    reading->inexact |= !is_plain(element);
    switch (element) {
    case ELEMENT_MODIFIER_REQUIRED:
    case ELEMENT_MODIFIER_OPTIONAL:
        return bytes_compressed(&reading->rest, &token) ? read_type(reading, depth - 1) : 0;
    case ELEMENT_POINTER:
        return type_around(element, read_type(reading, depth - 1), "*", NULL);
    case ELEMENT_BY_REFERENCE:
        return type_around(element, read_type(reading, depth - 1), "&", NULL);
    case ELEMENT_SZARRAY:
        return type_around(element, read_type(reading, depth - 1), "[]", NULL);
    case ELEMENT_ARRAY:
        return read_array(reading, depth - 1);
    case ELEMENT_CLASS:
    case ELEMENT_VALUE_TYPE:
        return read_token(reading, &token) ? number_of_named(reading, element, token, &none) : 0;
    case ELEMENT_GENERIC_INSTANCE:
        return read_instance(reading, depth - 1);
    case ELEMENT_VAR:
    case ELEMENT_MVAR:
        return read_parameter(reading, element == ELEMENT_MVAR);
    case ELEMENT_FUNCTION_POINTER:
        return type_function_pointer();
    default:
        return type_primitive(element, NULL);
    }
}

// -- Queries ----------------------------------------------------------------------------------------------------------

uint32_t types_in_method(struct module *module, uint32_t method, struct bytes signature, bool *exact)
{
    struct reading reading = {.module = module, .method = method, .rest = signature};
    uint32_t number = read_type(&reading, DEPTH_MAX);
    *exact = !reading.inexact;
    return number;
}

uint32_t types_in_instance(struct module *module, const struct type_arguments *arguments, struct bytes signature)
{
    struct reading reading = {.module = module, .instance = arguments, .rest = signature};
    return read_type(&reading, DEPTH_MAX);
}

bool types_find_definition(struct module *module, uint32_t type, struct module **defines, uint32_t *token)
{
    struct definition found = resolve(module, type, DEPTH_MAX);
    *defines = found.module;
    *token = found.token;
    return found.module != NULL;
}
