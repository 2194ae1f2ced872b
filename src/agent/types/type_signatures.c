// Types by their signatures: where a class is, a module says in its own terms. Those of modules that are not loaded have no
// number, but for classes: what they are is not in the metadata of those who name them.
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
    DEPTH_MAX = 32,   // of types in types
    FORWARDS_MAX = 8, // from one module to the next
};

// -- Where a type is defined ------------------------------------------------------------------------------------------

struct place {
    struct module *module; // NULL: nowhere, as yet
    uint32_t token;        // TypeDef
};

static struct place find_in(struct module *module, struct place outer, struct text space, struct text name,
                            unsigned forwards);

static struct place find_in_assembly(const struct module *from, uint32_t assembly_ref, struct place outer,
                                     struct text space, struct text name, unsigned forwards)
{
    enum { NAME = 6 };
    uint32_t at = metadata_column(&from->metadata, TABLE_ASSEMBLY_REF, TOKEN_ROW(assembly_ref), NAME);
    struct module *module = modules_find_assembly(metadata_string(&from->metadata, at));
    return module ? find_in(module, outer, space, name, forwards) : (struct place){0};
}

static struct place find_in(struct module *module, struct place outer, struct text space, struct text name,
                            unsigned forwards)
{
    uint32_t token = type_def_find(&module->metadata, outer.token, space, name);
    if (token) {
        return (struct place){module, token};
    }
    uint32_t elsewhere = outer.token ? 0 : type_def_forwarded(&module->metadata, space, name);
    return elsewhere && forwards ? find_in_assembly(module, elsewhere, outer, space, name, forwards - 1)
                                 : (struct place){0};
}

static struct place place_of(struct module *module, uint32_t token, unsigned depth);

static struct place look_up(struct module *module, uint32_t token, unsigned depth)
{
    struct type_ref ref;
    struct place outer = {0};
    if (depth == 0 || !type_ref_of(&module->metadata, token, &ref)) {
        return outer;
    }
    switch (TOKEN_TABLE(ref.scope)) {
    case TABLE_TYPE_REF:
        outer = place_of(module, ref.scope, depth - 1);
        return outer.module ? find_in(outer.module, outer, ref.space, ref.name, 0) : outer;
    case TABLE_ASSEMBLY_REF:
        return find_in_assembly(module, ref.scope, outer, ref.space, ref.name, FORWARDS_MAX);
    case TABLE_MODULE:
        return find_in(module, outer, ref.space, ref.name, 0);
    default:
        return outer;
    }
}

// Looked up once: again only when it was not found and more modules have been loaded since.
struct type_place {
    clr_id id;       // of the module; 0: not found
    uint32_t number; // likewise: another one may have its id by now
    uint32_t token;
    uint32_t modules; // loaded when it was looked up; 0: never
};

static struct type_place *remembered(struct module *module, uint32_t token)
{
    uint32_t rows = metadata_rows(&module->metadata, TABLE_TYPE_REF);
    if (TOKEN_TABLE(token) != TABLE_TYPE_REF || TOKEN_ROW(token) < 1 || TOKEN_ROW(token) > rows) {
        return NULL;
    }
    if (!module->places) {
        module->places = calloc((size_t)rows + 1, sizeof *module->places);
    }
    return module->places ? &module->places[TOKEN_ROW(token)] : NULL;
}

static struct place place_of(struct module *module, uint32_t token, unsigned depth)
{
    struct type_place *known = remembered(module, token);
    uint32_t modules = atomic_load_explicit(&agent.next_module, memory_order_relaxed);
    if (TOKEN_TABLE(token) == TABLE_TYPE_DEF) {
        return (struct place){module, token};
    }
    struct module *there = known ? module_find(known->id) : NULL;
    if (there && there->number == known->number) {
        return (struct place){there, known->token};
    }
    if (known && !known->id && known->modules == modules) {
        return (struct place){0};
    }
    struct place place = look_up(module, token, depth);
    if (known) {
        *known = (struct type_place){.token = place.token, .modules = modules};
        known->id = place.module ? place.module->id : 0;
        known->number = place.module ? place.module->number : 0;
    }
    return place;
}

// -- Signatures -------------------------------------------------------------------------------------------------------

struct reading {
    struct module *module;
    uint32_t method;
    const struct type_arguments *instance; // of the type whose fields these are; NULL: of none in particular
    bool inexact; // another class may be meant: it depends on type parameters or on where assemblies are found
    struct bytes rest;
};

// Other modules are found by the name of their assembly, of which there may be several.
static bool is_exact(const struct reading *reading, const struct place *place)
{
    return place->module && !(place->module->flags & MODULE_COLLECTIBLE) &&
           (place->module == reading->module || module_is_core_library(place->module));
}

// Of a type that is not loaded only what is said of it is known: that it is a class.
static uint32_t number_of_named(struct reading *reading, uint8_t element, uint32_t token,
                                const struct type_arguments *arguments)
{
    struct place place = place_of(reading->module, token, DEPTH_MAX);
    uint32_t number = place.module ? type_defined(place.module, place.token, arguments, NULL) : 0;
    reading->inexact |= !is_exact(reading, &place);
    return number || element != ELEMENT_CLASS ? number : type_absent(reading->module, token, arguments);
}

static uint32_t read_type(struct reading *reading, unsigned depth);

// Rank, sizes and lower bounds behind the item's type; II.23.2.13.
static bool read_rank(struct bytes *rest, uint32_t *rank)
{
    uint32_t count, size;
    int32_t bound;
    if (!bytes_compressed(rest, rank) || *rank == 0 || *rank > 32 || !bytes_compressed(rest, &count)) {
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
    char suffix[40] = "[";
    if (!item || !read_rank(&reading->rest, &rank)) {
        return 0;
    }
    memset(suffix + 1, ',', rank - 1);
    suffix[rank] = rank == 1 ? '*' : ']'; // an array of one dimension that is none of SZARRAY's
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

// A type parameter is its owner's; its name is that of the owner's parameter. In an instance it is what that was given.
static uint32_t read_parameter(struct reading *reading, bool of_method)
{
    enum { NUMBER = 0, OWNER = 2 };
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
    struct metadata_range rows = metadata_find_all(metadata, TABLE_GENERIC_PARAM, OWNER, coded);
    while (rows.first < rows.end && metadata_column(metadata, TABLE_GENERIC_PARAM, rows.first, NUMBER) != number) {
        rows.first++;
    }
    return rows.first < rows.end ? type_parameter(reading->module, rows.first) : 0;
}

// Whether the class of such a type certainly gets the number that the signature gets.
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

// -- From outside -----------------------------------------------------------------------------------------------------

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
    struct place place = place_of(module, type, DEPTH_MAX);
    *defines = place.module;
    *token = place.token;
    return place.module != NULL;
}
