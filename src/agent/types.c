// A type is known by its parts: where a class is defined, what an array has as items, what a generic type was given. So
// the same type has one number in all modules, and its name is made once. Types of modules that are not loaded have no
// number: what they are is not in the metadata of those who name them.
#include "agent/types.h"

#include <stdlib.h>
#include <string.h>

#include "metadata/signature.h"
#include "metadata/types.h"

enum {
    DEPTH_MAX = 32,          // of types in types
    NAME_MAX_SIZE = 4096,    // bytes of a type's name
    ARGUMENTS_MAX = 64,      // of a generic type
    MEMBERS_SIZE = 64 << 10, // bytes that an enum's members may take in its definition
    FORWARDS_MAX = 8,        // from one module to the next
};

struct entry {
    size_t key, key_size; // in `keys`
    struct text name;
    enum type_kind kind;
    enum site_encoding encoding;
};

// All under the lock, which is also held while another module's metadata is looked at, so that it cannot go away.
static struct {
    pthread_mutex_t lock;
    struct map by_hash; // of the key -> number
    struct buffer keys;
    struct buffer entries; // struct entry by number - 1
    struct arena names;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct entry *entry_of(uint32_t number)
{
    return (struct entry *)(void *)table.entries.data + (number - 1);
}

static uint32_t entry_count(void)
{
    return (uint32_t)(table.entries.size / sizeof(struct entry));
}

static struct text name_of(uint32_t number)
{
    return number ? entry_of(number)->name : text_of("?");
}

// -- What a type is made of -------------------------------------------------------------------------------------------

// A key and what is told of a type that has it, while they are put together.
struct making {
    struct buffer key, name;
    struct type type; // name aside
    uint32_t module, token;
    struct type_member *members; // of an enum; freed with it
};

static void begin(struct making *making, uint8_t element)
{
    *making = (struct making){0};
    buffer_u8(&making->key, element);
}

static void drop(struct making *making)
{
    buffer_free(&making->key);
    buffer_free(&making->name);
    free(making->members);
}

static uint32_t find(const struct buffer *key)
{
    uint64_t number;
    if (!map_get(&table.by_hash, map_hash_text(key->data, key->size), &number)) {
        return 0;
    }
    const struct entry *entry = entry_of((uint32_t)number);
    bool same = entry->key_size == key->size && memcmp(table.keys.data + entry->key, key->data, key->size) == 0;
    return same ? (uint32_t)number : 0;
}

static uint32_t add(const struct making *making)
{
    struct entry entry = {
        .key = table.keys.size,
        .key_size = making->key.size,
        .kind = making->type.kind,
        .encoding = making->type.encoding,
    };
    char *name = arena_text(&table.names, (const char *)making->name.data, making->name.size);
    entry.name = (struct text){name, making->name.size};
    buffer_append(&table.keys, making->key.data, making->key.size);
    buffer_append(&table.entries, &entry, sizeof entry);
    uint32_t number = entry_count();
    bool kept = name && !table.keys.failed && !table.entries.failed &&
                map_put(&table.by_hash, map_hash_text(making->key.data, making->key.size), number);
    return kept ? number : 0;
}

// The number of the type, told of if it is new. 0 when memory runs out.
static uint32_t finish(struct making *making)
{
    uint32_t number = making->key.failed || making->name.failed ? 0 : find(&making->key);
    if (!number && !making->key.failed && !making->name.failed && (number = add(making)) > 0) {
        struct buffer blob = {0};
        making->type.number = number;
        making->type.name = name_of(number);
        type_encode(&blob, &making->type);
        report_definition(&(struct ring_definition){
            .type = RING_DEFINE_TYPE,
            .number = number,
            .module = making->module,
            .token = making->token,
            .blob = bytes_of(blob.data, blob.size),
        });
        buffer_free(&blob);
    }
    drop(making);
    return number;
}

static void append_name(struct making *making, struct text name)
{
    size_t left = making->name.size < NAME_MAX_SIZE ? NAME_MAX_SIZE - making->name.size : 0;
    buffer_append(&making->name, name.at, name.size < left ? name.size : left);
}

// -- Where a type is defined ------------------------------------------------------------------------------------------

struct place {
    const struct module *module; // NULL: nowhere, as yet
    uint32_t token;              // TypeDef
};

static struct place find_in(const struct module *module, struct place outer, struct text space, struct text name,
                            unsigned forwards);

static struct place find_in_assembly(const struct module *from, uint32_t assembly_ref, struct place outer,
                                     struct text space, struct text name, unsigned forwards)
{
    enum { NAME = 6 };
    uint32_t at = metadata_column(&from->metadata, TABLE_ASSEMBLY_REF, TOKEN_ROW(assembly_ref), NAME);
    const struct module *module = modules_find_assembly(metadata_string(&from->metadata, at));
    return module ? find_in(module, outer, space, name, forwards) : (struct place){0};
}

static struct place find_in(const struct module *module, struct place outer, struct text space, struct text name,
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
    const struct module *module;
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
    if (known && known->module && !atomic_load_explicit(&known->module->unloaded, memory_order_relaxed)) {
        return (struct place){known->module, known->token};
    }
    if (known && !known->module && known->modules == modules) {
        return (struct place){0};
    }
    struct place place = look_up(module, token, depth);
    if (known) {
        *known = (struct type_place){place.module, place.token, modules};
    }
    return place;
}

// -- Names ------------------------------------------------------------------------------------------------------------

// Type arguments still to be written: those of outer types come first.
struct arguments {
    uint32_t numbers[ARGUMENTS_MAX];
    uint32_t count, written;
};

static uint32_t arity_of(struct text name, size_t *size)
{
    const char *tick = name.size ? memrchr(name.at, '`', name.size) : NULL;
    uint32_t arity = 0;
    *size = tick ? (size_t)(tick - name.at) : name.size;
    for (const char *at = tick; at && ++at < name.at + name.size && *at >= '0' && *at <= '9' && arity < 1000;) {
        arity = arity * 10 + (uint32_t)(*at - '0');
    }
    return arity;
}

static void append_arguments(struct making *making, struct arguments *arguments, uint32_t count)
{
    for (uint32_t i = 0; i < count && arguments->written < arguments->count; i++) {
        append_name(making, text_of(i ? ", " : "<"));
        append_name(making, name_of(arguments->numbers[arguments->written++]));
        if (i + 1 == count || arguments->written == arguments->count) {
            append_name(making, text_of(">"));
        }
    }
}

// `Ns.Outer<A>.Inner<B>`; without arguments `Ns.Outer.Inner`.
static void append_type_name(struct making *making, const struct metadata *metadata, uint32_t token,
                             struct arguments *arguments, unsigned depth)
{
    struct type_def def;
    size_t size;
    if (depth == 0 || !type_def_of(metadata, token, &def)) {
        return;
    }
    if (def.outer) {
        append_type_name(making, metadata, def.outer, arguments, depth - 1);
        append_name(making, text_of("."));
    } else if (def.space.size) {
        append_name(making, def.space);
        append_name(making, text_of("."));
    }
    uint32_t arity = arity_of(def.name, &size);
    append_name(making, (struct text){def.name.at, size});
    append_arguments(making, arguments, arity);
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

static uint32_t number_of_primitive(uint8_t element)
{
    const struct primitive *primitive = primitive_of(element);
    struct making making;
    begin(&making, element);
    append_name(&making, text_of(primitive->name));
    making.type = (struct type){.kind = primitive->kind, .encoding = primitive->encoding, .size = primitive->size};
    return finish(&making);
}

// -- Classes, structs and enums ---------------------------------------------------------------------------------------

static void take_members(struct making *making, const struct metadata *metadata, uint32_t token)
{
    struct enum_members members = enum_members_of(metadata, token), again = members;
    struct enum_member member;
    uint32_t count = 0;
    for (size_t size = 0; size < MEMBERS_SIZE && enum_members_next(&again, &member); count++) {
        size += member.name.size + 16;
    }
    making->members = calloc((size_t)count + 1, sizeof *making->members);
    for (uint32_t i = 0; making->members && i < count && enum_members_next(&members, &member); i++) {
        making->members[i] = (struct type_member){member.value, member.name};
        making->type.member_count = i + 1;
    }
    making->type.members = making->members;
}

static bool is_nullable(const struct type_def *def)
{
    return !def->outer && text_equal(def->name, text_of("Nullable`1")) && text_equal(def->space, text_of("System"));
}

static void describe(struct making *making, const struct metadata *metadata, uint32_t token, const struct type_def *def,
                     const struct arguments *arguments)
{
    static const uint8_t kinds[] = {
        [TYPE_DEF_CLASS] = TYPE_CLASS,   [TYPE_DEF_INTERFACE] = TYPE_CLASS,       [TYPE_DEF_DELEGATE] = TYPE_DELEGATE,
        [TYPE_DEF_STRUCT] = TYPE_STRUCT, [TYPE_DEF_REF_STRUCT] = TYPE_REF_STRUCT, [TYPE_DEF_ENUM] = TYPE_ENUM,
    };
    struct type *type = &making->type;
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
        type->flags = def->flags;
        take_members(making, metadata, token);
    }
}

// The name as those have it who refer to the type.
static void append_reference_name(struct making *making, const struct metadata *metadata, uint32_t token,
                                  struct arguments *arguments, unsigned depth)
{
    struct type_ref ref;
    size_t size;
    if (depth == 0 || !type_ref_of(metadata, token, &ref)) {
        return;
    }
    if (TOKEN_TABLE(ref.scope) == TABLE_TYPE_REF) {
        append_reference_name(making, metadata, ref.scope, arguments, depth - 1);
        append_name(making, text_of("."));
    } else if (ref.space.size) {
        append_name(making, ref.space);
        append_name(making, text_of("."));
    }
    uint32_t arity = arity_of(ref.name, &size);
    append_name(making, (struct text){ref.name.at, size});
    append_arguments(making, arguments, arity);
}

static uint32_t number_of_absent_class(const struct module *module, uint32_t token, struct arguments *arguments)
{
    struct making making;
    begin(&making, ELEMENT_MODIFIER_OPTIONAL); // apart from those that are found
    buffer_u32(&making.key, module->number);
    buffer_u32(&making.key, token);
    for (uint32_t i = 0; i < arguments->count; i++) {
        buffer_u32(&making.key, arguments->numbers[i]);
    }
    append_reference_name(&making, &module->metadata, token, arguments, DEPTH_MAX);
    making.type = (struct type){.kind = TYPE_CLASS, .encoding = VALUE_OBJECT};
    return finish(&making);
}

// Of a type that is not loaded only what is said of it is known: that it is a class.
static uint32_t number_of_named(struct module *module, uint8_t element, uint32_t token, struct arguments *arguments)
{
    struct place place = place_of(module, token, DEPTH_MAX);
    struct type_def def;
    struct making making;
    if (!place.module || !type_def_of(&place.module->metadata, place.token, &def)) {
        return element == ELEMENT_CLASS ? number_of_absent_class(module, token, arguments) : 0;
    }
    begin(&making, ELEMENT_CLASS);
    buffer_u32(&making.key, place.module->number);
    buffer_u32(&making.key, place.token);
    for (uint32_t i = 0; i < arguments->count; i++) {
        buffer_u32(&making.key, arguments->numbers[i]);
    }
    uint32_t known = making.key.failed ? 0 : find(&making.key);
    if (known) {
        drop(&making);
        return known;
    }
    making.module = place.module->number;
    making.token = place.token;
    append_type_name(&making, &place.module->metadata, place.token, arguments, DEPTH_MAX);
    describe(&making, &place.module->metadata, place.token, &def, arguments);
    return finish(&making);
}

// -- Signatures -------------------------------------------------------------------------------------------------------

struct reading {
    struct module *module;
    uint32_t method;
    struct bytes rest;
};

static uint32_t read_type(struct reading *reading, unsigned depth);

static uint32_t number_around(uint8_t element, uint32_t inner, enum type_kind kind, enum site_encoding encoding,
                              const char *suffix)
{
    struct making making;
    if (!inner) {
        return 0;
    }
    begin(&making, element);
    buffer_u32(&making.key, inner);
    buffer_text(&making.key, suffix);
    append_name(&making, name_of(inner));
    append_name(&making, text_of(suffix));
    making.type = (struct type){.kind = kind, .encoding = encoding, .element = inner, .size = 8};
    return finish(&making);
}

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
    return number_around(ELEMENT_ARRAY, item, TYPE_ARRAY, VALUE_OBJECT, suffix);
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
    struct arguments arguments = {0};
    uint8_t element;
    uint32_t token, count;
    if (!bytes_u8(&reading->rest, &element) || !read_token(reading, &token) ||
        !bytes_compressed(&reading->rest, &count) || count > ARGUMENTS_MAX) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        arguments.numbers[i] = read_type(reading, depth);
        if (!arguments.numbers[i]) {
            return 0;
        }
    }
    arguments.count = count;
    return number_of_named(reading->module, element, token, &arguments);
}

// A type parameter is its owner's; its name is that of the owner's parameter.
static uint32_t read_parameter(struct reading *reading, bool of_method)
{
    enum { NUMBER = 0, OWNER = 2, NAME = 3 };
    const struct metadata *metadata = &reading->module->metadata;
    uint32_t owner = of_method ? reading->method : metadata_method_owner(metadata, reading->method);
    uint32_t coded = metadata_encode(CODED_TYPE_OR_METHOD_DEF, owner), number;
    struct making making;
    if (!bytes_compressed(&reading->rest, &number)) {
        return 0;
    }
    struct metadata_range rows = metadata_find_all(metadata, TABLE_GENERIC_PARAM, OWNER, coded);
    while (rows.first < rows.end && metadata_column(metadata, TABLE_GENERIC_PARAM, rows.first, NUMBER) != number) {
        rows.first++;
    }
    if (rows.first >= rows.end) {
        return 0;
    }
    begin(&making, ELEMENT_VAR);
    buffer_u32(&making.key, reading->module->number);
    buffer_u32(&making.key, owner);
    buffer_u32(&making.key, number);
    append_name(&making, metadata_string(metadata, metadata_column(metadata, TABLE_GENERIC_PARAM, rows.first, NAME)));
    making.type = (struct type){.kind = TYPE_PARAMETER, .encoding = VALUE_TYPED};
    return finish(&making);
}

static uint32_t read_function_pointer(void)
{
    struct making making;
    begin(&making, ELEMENT_FUNCTION_POINTER);
    append_name(&making, text_of("delegate*"));
    making.type = (struct type){.kind = TYPE_POINTER, .encoding = VALUE_POINTER, .size = 8};
    return finish(&making);
}

static uint32_t read_type(struct reading *reading, unsigned depth)
{
    struct arguments none = {0};
    uint8_t element;
    uint32_t token;
    if (depth == 0 || !bytes_u8(&reading->rest, &element)) {
        return 0;
    }
    switch (element) {
    case ELEMENT_MODIFIER_REQUIRED:
    case ELEMENT_MODIFIER_OPTIONAL:
        return bytes_compressed(&reading->rest, &token) ? read_type(reading, depth - 1) : 0;
    case ELEMENT_POINTER:
        return number_around(element, read_type(reading, depth - 1), TYPE_POINTER, VALUE_POINTER, "*");
    case ELEMENT_BY_REFERENCE:
        return number_around(element, read_type(reading, depth - 1), TYPE_REFERENCE, VALUE_POINTER, "&");
    case ELEMENT_SZARRAY:
        return number_around(element, read_type(reading, depth - 1), TYPE_ARRAY, VALUE_OBJECT, "[]");
    case ELEMENT_ARRAY:
        return read_array(reading, depth - 1);
    case ELEMENT_CLASS:
    case ELEMENT_VALUE_TYPE:
        return read_token(reading, &token) ? number_of_named(reading->module, element, token, &none) : 0;
    case ELEMENT_GENERIC_INSTANCE:
        return read_instance(reading, depth - 1);
    case ELEMENT_VAR:
    case ELEMENT_MVAR:
        return read_parameter(reading, element == ELEMENT_MVAR);
    case ELEMENT_FUNCTION_POINTER:
        return read_function_pointer();
    default:
        return primitive_of(element) ? number_of_primitive(element) : 0;
    }
}

// -- From outside -----------------------------------------------------------------------------------------------------

struct known_type types_of_signature(struct module *module, uint32_t method, struct bytes signature)
{
    struct reading reading = {module, method, signature};
    struct known_type known = {0};
    (void)pthread_mutex_lock(&table.lock);
    known.number = read_type(&reading, DEPTH_MAX);
    if (known.number) {
        known.kind = entry_of(known.number)->kind;
        known.encoding = entry_of(known.number)->encoding;
    }
    (void)pthread_mutex_unlock(&table.lock);
    return known;
}

void types_forget(struct module *module)
{
    (void)pthread_mutex_lock(&table.lock);
    atomic_store_explicit(&module->unloaded, true, memory_order_relaxed);
    free(module->places);
    module->places = NULL;
    (void)pthread_mutex_unlock(&table.lock);
}
