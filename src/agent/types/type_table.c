#include "agent/types/type_table.h"

#include <stdlib.h>
#include <string.h>

#include "agent/loaded/modules.h"
#include "agent/probe/probe_classes.h"
#include "agent/session/locks.h"
#include "agent/session/pages.h"
#include "agent/session/report.h"
#include "base/assert.h"
#include "base/locked.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

enum {
    DEPTH_MAX = 32,          // of types in types
    NAME_MAX_SIZE = 4096,    // bytes of a type's name
    MEMBERS_SIZE = 64 << 10, // bytes that an enum's members may take in its definition
};

static struct {
    pthread_mutex_t lock;
    struct map by_hash;          // of the key -> number
    struct type_entry **entries; // by number, in pages that exist once touched; NULL: another one's alias, or none's
    struct buffer passing;       // uint32_t: numbers of those that go away with a module
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void type_table_lock(void)
{
    lock_take(&table.lock, LOCK_TYPES);
}

void type_table_unlock(void)
{
    lock_release(&table.lock, LOCK_TYPES);
}

static struct type_entry *entry_of(uint32_t number)
{
    CLEW_ASSERT_LOCKED(&table.lock);
    CLEW_ASSERT(table.entries[number]);
    return table.entries[number];
}

const struct type_entry *type_entry_of(uint32_t number)
{
    return entry_of(number);
}

static struct text name_of(uint32_t number)
{
    return number ? entry_of(number)->name : text_of("?");
}

// -- What a type is made of -------------------------------------------------------------------------------------------

// A key and what is told of a type that has it, while they are put together.
struct making {
    const struct type_telling *telling;
    struct buffer key, name;
    struct type type;     // name aside
    struct module *where; // NULL: nowhere
    uint32_t token;
    bool passing;
    struct type_member *members; // of an enum; freed with it
};

static void begin(struct making *making, uint8_t element, const struct type_telling *telling)
{
    static const struct type_telling plain = {0};
    *making = (struct making){.telling = telling ? telling : &plain};
    buffer_u8(&making->key, element);
}

static bool is_passing(const struct module *module)
{
    return module->flags & MODULE_COLLECTIBLE;
}

static void drop(struct making *making)
{
    buffer_free(&making->key);
    buffer_free(&making->name);
    free(making->members);
}

static uint64_t hash_of(const struct type_entry *entry)
{
    return map_hash_text(entry->key, entry->key_size);
}

static uint32_t find(const struct buffer *key)
{
    uint64_t number;
    CLEW_ASSERT_LOCKED(&table.lock);
    if (key->failed || !map_get(&table.by_hash, map_hash_text(key->data, key->size), &number)) {
        return 0;
    }
    const struct type_entry *entry = entry_of((uint32_t)number);
    bool same = entry->key_size == key->size && memcmp(entry->key, key->data, key->size) == 0;
    return same ? (uint32_t)number : 0;
}

// Whether a type that is known must be told of again.
static bool has_news(const struct making *making, uint32_t number)
{
    uint32_t wanted = making->telling->wanted;
    return (wanted && wanted != number) || (making->telling->layout && !entry_of(number)->has_layout);
}

// With its key and its name behind it. NULL when memory runs out.
static struct type_entry *new_entry(const struct making *making)
{
    const struct buffer *key = &making->key, *name = &making->name;
    struct type_entry *entry = malloc(sizeof *entry + key->size + name->size);
    char *texts = (char *)(entry + 1);
    if (!entry) {
        return NULL;
    }
    memcpy(texts, key->data, key->size);
    if (name->size) {
        memcpy(texts + key->size, name->data, name->size);
    }
    *entry = (struct type_entry){
        .key = (const uint8_t *)texts,
        .key_size = key->size,
        .name = {texts + key->size, name->size},
        .passing = making->passing,
        .kind = making->type.kind,
        .encoding = making->type.encoding,
        .module = making->where,
        .token = making->token,
    };
    return entry;
}

// Without memory for them there are no numbers.
static uint32_t take_number(const struct making *making)
{
    if (!table.entries) {
        table.entries = pages_new(sizeof *table.entries << CLASS_NUMBER_BITS);
    }
    uint32_t wanted = making->telling->wanted;
    return !table.entries ? 0 : wanted ? wanted : class_take_number();
}

static uint32_t add(const struct making *making)
{
    uint32_t number = take_number(making);
    struct type_entry *entry = number ? new_entry(making) : NULL;
    if (making->passing) {
        buffer_append(&table.passing, &number, sizeof number);
    }
    if (!entry || table.passing.failed || !map_put(&table.by_hash, hash_of(entry), number)) {
        free(entry);
        return 0;
    }
    table.entries[number] = entry;
    return number;
}

// Names of fields that are longer than all definitions together stay unknown, and the fields with them.
static void tell(struct making *making, uint32_t number)
{
    enum { BESIDE_THE_BLOB = 256 };
    struct buffer blob = {0};
    struct type type = making->type;
    type.number = making->type.number = number;
    type_encode(&blob, &type);
    if (!ring_definition_fits(blob.size + BESIDE_THE_BLOB)) {
        buffer_clear(&blob);
        type.field_count = 0;
        type_encode(&blob, &type);
    }
    (void)report_definition(&(struct ring_definition){
        .type = RING_DEFINE_TYPE,
        .number = number,
        .module = making->where ? making->where->number : 0,
        .token = making->token,
        .blob = bytes_of(blob.data, blob.size),
    });
    buffer_free(&blob);
}

static void take_layout(struct making *making, uint32_t number)
{
    const struct type_layout *layout = making->telling->layout;
    struct type_entry *entry = entry_of(number);
    if (layout && entry->has_layout && layout->size != entry->size) {
        report_note("the layout of %.*s is not as it was computed: values of it are not right", (int)entry->name.size,
                    entry->name.at);
    }
    if (layout) {
        making->type.size = layout->size;
        making->type.fields = layout->fields;
        making->type.field_count = layout->field_count;
        entry->has_layout = true;
    }
    entry->size = making->type.size ? making->type.size : entry->size;
}

// The number of the type, told of if there is news of it. 0 when memory runs out.
static uint32_t finish(struct making *making)
{
    bool failed = making->key.failed || making->name.failed;
    uint32_t known = failed ? 0 : find(&making->key), number = known, wanted = making->telling->wanted;
    if (!failed && !known) {
        number = add(making);
    }
    if (number) {
        bool news = !known || (making->telling->layout && !entry_of(number)->has_layout);
        making->type.name = name_of(number);
        take_layout(making, number);
        if (news) {
            tell(making, number);
        }
        if (wanted && wanted != number) {
            tell(making, wanted);
        }
    }
    drop(making);
    return number;
}

static void append_name(struct making *making, struct text name)
{
    size_t left = making->name.size < NAME_MAX_SIZE ? NAME_MAX_SIZE - making->name.size : 0;
    buffer_append(&making->name, name.at, name.size < left ? name.size : left);
}

// -- Names ------------------------------------------------------------------------------------------------------------

// Type arguments still to be written.
struct unwritten {
    const struct type_arguments *arguments;
    uint32_t written;
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

static void append_arguments(struct making *making, struct unwritten *unwritten, uint32_t count)
{
    CLEW_ASSERT(unwritten->arguments->count <= TYPE_ARGUMENTS_MAX);
    for (uint32_t i = 0; i < count && unwritten->written < unwritten->arguments->count; i++) {
        append_name(making, text_of(i ? ", " : "<"));
        append_name(making, name_of(unwritten->arguments->numbers[unwritten->written++]));
        if (i + 1 == count || unwritten->written == unwritten->arguments->count) {
            append_name(making, text_of(">"));
        }
    }
}

// Behind the types that it is in, which are written; those have the namespace.
static void append_last_name(struct making *making, struct text space, struct text name, struct unwritten *unwritten)
{
    size_t size;
    uint32_t arity = arity_of(name, &size);
    append_name(making, space);
    append_name(making, text_of(making->name.size ? "." : ""));
    append_name(making, (struct text){name.at, size});
    append_arguments(making, unwritten, arity);
}

// `Ns.Outer<A>.Inner<B>`; without arguments `Ns.Outer.Inner`.
static void append_type_name(struct making *making, const struct metadata *metadata, uint32_t token,
                             struct unwritten *unwritten, unsigned depth)
{
    struct type_def def;
    if (depth == 0 || !type_def_of(metadata, token, &def)) {
        return;
    }
    if (def.outer) {
        append_type_name(making, metadata, def.outer, unwritten, depth - 1);
    }
    append_last_name(making, def.outer ? text_of("") : def.space, def.name, unwritten);
}

// The name as those have it who refer to the type.
static void append_reference_name(struct making *making, const struct metadata *metadata, uint32_t token,
                                  struct unwritten *unwritten, unsigned depth)
{
    struct type_ref ref;
    if (depth == 0 || !type_ref_of(metadata, token, &ref)) {
        return;
    }
    bool nested = TOKEN_TABLE(ref.scope) == TABLE_TYPE_REF;
    if (nested) {
        append_reference_name(making, metadata, ref.scope, unwritten, depth - 1);
    }
    append_last_name(making, nested ? text_of("") : ref.space, ref.name, unwritten);
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

uint32_t type_primitive(uint8_t element, const struct type_telling *telling)
{
    const struct primitive *primitive = primitive_of(element);
    struct making making;
    if (!primitive) {
        return 0;
    }
    begin(&making, element, telling);
    append_name(&making, text_of(primitive->name));
    making.type = (struct type){.kind = primitive->kind, .encoding = primitive->encoding, .size = primitive->size};
    return finish(&making);
}

// What is a type of its own in signatures is a class of the core library, too.
static uint8_t element_of_class(const struct module *module, const struct type_def *def)
{
    if (def->outer || !text_equal(def->space, text_of("System")) ||
        !text_equal(module->assembly, text_of("System.Private.CoreLib"))) {
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
                     const struct type_arguments *arguments)
{
    static const uint8_t kinds[] = {
        [TYPE_DEF_CLASS] = TYPE_CLASS,   [TYPE_DEF_INTERFACE] = TYPE_CLASS,       [TYPE_DEF_DELEGATE] = TYPE_DELEGATE,
        [TYPE_DEF_STRUCT] = TYPE_STRUCT, [TYPE_DEF_REF_STRUCT] = TYPE_REF_STRUCT, [TYPE_DEF_ENUM] = TYPE_ENUM,
    };
    struct type *type = &making->type;
    static_assert(TYPE_DEF_CLASS < TYPE_DEF_STRUCT && TYPE_DEF_INTERFACE < TYPE_DEF_STRUCT &&
                      TYPE_DEF_DELEGATE < TYPE_DEF_STRUCT,
                  "what comes before structs is an object");
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
        type->flags = def->flags;
        take_members(making, metadata, token);
    }
}

static void begin_class(struct making *making, uint8_t element, const struct module *module, uint32_t token,
                        const struct type_arguments *arguments, const struct type_telling *telling)
{
    begin(making, element, telling);
    making->passing = is_passing(module);
    buffer_u32(&making->key, module->number);
    buffer_u32(&making->key, token);
    for (uint32_t i = 0; i < arguments->count; i++) {
        buffer_u32(&making->key, arguments->numbers[i]);
        making->passing |= arguments->numbers[i] && entry_of(arguments->numbers[i])->passing;
    }
}

uint32_t type_defined(struct module *module, uint32_t token, const struct type_arguments *arguments,
                      const struct type_telling *telling)
{
    struct type_def def;
    struct making making;
    if (!type_def_of(&module->metadata, token, &def)) {
        return 0;
    }
    uint8_t element = element_of_class(module, &def);
    if (element) {
        return type_primitive(element, telling);
    }
    begin_class(&making, ELEMENT_CLASS, module, token, arguments, telling);
    uint32_t known = find(&making.key);
    if (known && !has_news(&making, known)) {
        drop(&making);
        return known;
    }
    making.where = module;
    making.token = token;
    append_type_name(&making, &module->metadata, token, &(struct unwritten){.arguments = arguments}, DEPTH_MAX);
    describe(&making, &module->metadata, token, &def, arguments);
    return finish(&making);
}

bool type_definition_of(uint32_t number, struct module **module, uint32_t *token, struct type_arguments *arguments)
{
    const struct type_entry *entry = entry_of(number);
    struct bytes key = bytes_of(entry->key, entry->key_size);
    uint8_t element;
    uint32_t module_number;
    if (!entry->module || !bytes_u8(&key, &element) || element != ELEMENT_CLASS || !bytes_u32(&key, &module_number) ||
        !bytes_u32(&key, token)) {
        return false;
    }
    *module = entry->module;
    for (arguments->count = 0; bytes_left(&key) > 0; arguments->count++) {
        if (arguments->count == TYPE_ARGUMENTS_MAX || !bytes_u32(&key, &arguments->numbers[arguments->count])) {
            return false;
        }
    }
    return true;
}

void type_tell_layout(uint32_t number, const struct type_layout *layout)
{
    struct type_arguments arguments;
    struct module *module;
    uint32_t token;
    if (type_definition_of(number, &module, &token, &arguments)) {
        (void)type_defined(module, token, &arguments, &(struct type_telling){.layout = layout});
    }
}

void type_computed(uint32_t number, uint32_t plain_size)
{
    entry_of(number)->plain_size = plain_size;
    entry_of(number)->not_computed = plain_size == 0;
}

void type_set_hiding(uint32_t number, enum hiding hiding)
{
    entry_of(number)->hiding = (uint8_t)hiding;
}

uint32_t type_absent(const struct module *module, uint32_t token, const struct type_arguments *arguments)
{
    struct making making;
    begin_class(&making, ELEMENT_MODIFIER_OPTIONAL, module, token, arguments, NULL); // apart from those that are found
    append_reference_name(&making, &module->metadata, token, &(struct unwritten){.arguments = arguments}, DEPTH_MAX);
    making.type = (struct type){.kind = TYPE_CLASS, .encoding = VALUE_OBJECT};
    return finish(&making);
}

uint32_t type_unreadable(const struct type_telling *telling)
{
    struct making making;
    begin(&making, ELEMENT_MODIFIER_REQUIRED, telling);
    append_name(&making, text_of("?"));
    making.type = (struct type){.kind = TYPE_CLASS, .encoding = VALUE_OBJECT};
    return finish(&making);
}

// -- Types around others, and type parameters -------------------------------------------------------------------------

uint32_t type_around(uint8_t element, uint32_t inner, const char *suffix, const struct type_telling *telling)
{
    bool pointer = element == ELEMENT_POINTER, reference = element == ELEMENT_BY_REFERENCE;
    struct making making;
    if (!inner) {
        return 0;
    }
    begin(&making, element, telling);
    making.passing = entry_of(inner)->passing;
    buffer_u32(&making.key, inner);
    buffer_text(&making.key, suffix);
    append_name(&making, name_of(inner));
    append_name(&making, text_of(suffix));
    making.type = (struct type){.kind = pointer     ? TYPE_POINTER
                                        : reference ? TYPE_REFERENCE
                                                    : TYPE_ARRAY,
                                .encoding = pointer || reference ? VALUE_POINTER : VALUE_OBJECT,
                                .element = inner,
                                .size = 8};
    return finish(&making);
}

uint32_t type_parameter(const struct module *module, uint32_t row)
{
    enum { NAME = 3 };
    struct making making;
    begin(&making, ELEMENT_VAR, NULL);
    making.passing = is_passing(module);
    buffer_u32(&making.key, module->number);
    buffer_u32(&making.key, row);
    append_name(&making,
                metadata_string(&module->metadata, metadata_column(&module->metadata, TABLE_GENERIC_PARAM, row, NAME)));
    making.type = (struct type){.kind = TYPE_PARAMETER, .encoding = VALUE_TYPED};
    return finish(&making);
}

uint32_t type_function_pointer(void)
{
    struct making making;
    begin(&making, ELEMENT_FUNCTION_POINTER, NULL);
    append_name(&making, text_of("delegate*"));
    making.type = (struct type){.kind = TYPE_POINTER, .encoding = VALUE_POINTER, .size = 8};
    return finish(&making);
}

uint32_t type_redacted(void)
{
    struct making making;
    begin(&making, ELEMENT_SENTINEL, NULL); // no type's
    append_name(&making, text_of("?"));
    making.type = (struct type){.kind = TYPE_REDACTED, .encoding = VALUE_NONE};
    return finish(&making);
}

// -- Types that go away -----------------------------------------------------------------------------------------------

// Whether one of the numbers that a key ends in is that of a type that has gone.
static bool has_gone_part(struct bytes numbers)
{
    uint32_t part;
    while (bytes_u32(&numbers, &part)) {
        if (part && !table.entries[part]) {
            return true;
        }
    }
    return false;
}

static bool goes_with(const struct type_entry *entry, const struct module *module)
{
    struct bytes key = bytes_of(entry->key, entry->key_size);
    uint8_t element = 0;
    uint32_t first = 0, token_or_row;
    (void)bytes_u8(&key, &element);
    switch (element) {
    case ELEMENT_CLASS:
    case ELEMENT_MODIFIER_OPTIONAL:
    case ELEMENT_VAR:
        (void)bytes_u32(&key, &first);
        (void)bytes_u32(&key, &token_or_row);
        return first == module->number || has_gone_part(key);
    case ELEMENT_POINTER:
    case ELEMENT_BY_REFERENCE:
    case ELEMENT_SZARRAY:
    case ELEMENT_ARRAY:
        return bytes_u32(&key, &first) && !table.entries[first];
    default:
        return false;
    }
}

static void remove_entry(uint32_t number)
{
    struct type_entry *entry = table.entries[number];
    uint64_t hash = hash_of(entry), found;
    if (map_get(&table.by_hash, hash, &found) && found == number) {
        map_remove(&table.by_hash, hash);
    }
    table.entries[number] = NULL;
    free(entry);
}

// Types may have lower numbers than what they are made of, so each pass finds those that are made of what the last one has
// dropped.
void type_table_forget(const struct module *module)
{
    uint32_t *numbers = (uint32_t *)(void *)table.passing.data;
    size_t count = table.passing.size / sizeof *numbers, before;
    do {
        before = count;
        count = 0;
        for (size_t i = 0; i < before; i++) {
            const struct type_entry *entry = table.entries[numbers[i]];
            if (entry && goes_with(entry, module)) {
                remove_entry(numbers[i]);
            } else if (entry) {
                numbers[count++] = numbers[i];
            }
        }
    } while (count != before);
    table.passing.size = count * sizeof *numbers;
}
