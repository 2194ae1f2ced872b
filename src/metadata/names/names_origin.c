// Finds the source's method for compiler-generated ones: state machines, lambdas, accessors. A query that would need a
// walk over a whole table is answered from an array that the first query of its kind builds. Source of facts: ECMA-335
// II.22.10, II.22.28, II.23.3; GeneratedNames of Roslyn.
#include "metadata/names/names_internal.h"

#include <stdlib.h>

#include "base/map.h"

enum { KIND_SHIFT = 24, ATTRIBUTES_MAX = 8, MACHINE_NAME_MAX = 1024 };

static struct text method_name(const struct names *names, uint32_t row)
{
    return metadata_string(names->metadata, metadata_column(names->metadata, TABLE_METHOD_DEF, row, METHOD_DEF_NAME));
}

uint32_t names_find_method(const struct names *names, uint32_t type_token, struct text name, bool dashed)
{
    struct metadata_range rows =
        metadata_list(names->metadata, TABLE_TYPE_DEF, TOKEN_ROW(type_token), TYPE_DEF_METHODS, TABLE_METHOD_DEF);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        struct text found = method_name(names, row);
        if (dashed ? generated_equal_dashed(found, name) : text_equal(found, name)) {
            return TOKEN(TABLE_METHOD_DEF, row);
        }
    }
    return 0;
}

uint32_t names_host(const struct names *names, uint32_t type_token)
{
    for (unsigned i = 0; i < NESTING_MAX && generated_is_closure(names_type_name(names, type_token)); i++) {
        uint32_t outer = metadata_enclosing_type(names->metadata, type_token);
        if (!outer) {
            break;
        }
        type_token = outer;
    }
    return type_token;
}

// The attributes that name a state machine, as the CustomAttribute table refers to their constructors.
struct machine_attribute {
    uint32_t constructor; // raw CustomAttributeType
    enum method_kind kind;
};

struct machine_attributes {
    struct machine_attribute items[ATTRIBUTES_MAX];
    unsigned count;
};

static enum method_kind attribute_kind(const struct names *names, uint32_t type_token)
{
    static const char suffix[] = "StateMachineAttribute";
    struct text name = names_type_name(names, type_token);
    if (!text_ends(name, suffix)) {
        return METHOD_KIND_PLAIN;
    }
    struct text space = metadata_string(names->metadata, metadata_column(names->metadata, TOKEN_TABLE(type_token),
                                                                         TOKEN_ROW(type_token), TYPE_NAMESPACE));
    if (!text_equal(space, text_of("System.Runtime.CompilerServices"))) {
        return METHOD_KIND_PLAIN;
    }
    name.size -= sizeof suffix - 1;
    return text_equal(name, text_of("Async"))           ? METHOD_KIND_ASYNC
           : text_equal(name, text_of("Iterator"))      ? METHOD_KIND_ITERATOR
           : text_equal(name, text_of("AsyncIterator")) ? METHOD_KIND_ASYNC_ITERATOR
                                                        : METHOD_KIND_PLAIN;
}

static void add_attribute(struct machine_attributes *attributes, uint32_t constructor, enum method_kind kind)
{
    if (attributes->count < ATTRIBUTES_MAX) {
        attributes->items[attributes->count++] = (struct machine_attribute){constructor, kind};
    }
}

// The attributes are MemberRefs to another module, or MethodDefs in System.Private.CoreLib and in programs that declare the
// attribute themselves. Rows are encoded as CustomAttributeType (II.24.2.6): tag 3 is MemberRef, 2 MethodDef.
static struct machine_attributes find_attributes(const struct names *names)
{
    struct machine_attributes attributes = {.count = 0};
    const struct metadata *metadata = names->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_MEMBER_REF); row++) {
        uint32_t parent = metadata_decode(CODED_MEMBER_REF_PARENT,
                                          metadata_column(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_PARENT));
        enum method_kind kind =
            TOKEN_TABLE(parent) == TABLE_TYPE_REF ? attribute_kind(names, parent) : METHOD_KIND_PLAIN;
        if (kind != METHOD_KIND_PLAIN) {
            add_attribute(&attributes, row << 3 | 3, kind);
        }
    }
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_DEF); row++) {
        enum method_kind kind = attribute_kind(names, TOKEN(TABLE_TYPE_DEF, row));
        uint32_t constructor = kind == METHOD_KIND_PLAIN
                                   ? 0
                                   : names_find_method(names, TOKEN(TABLE_TYPE_DEF, row), text_of(".ctor"), false);
        if (constructor) {
            add_attribute(&attributes, TOKEN_ROW(constructor) << 3 | 2, kind);
        }
    }
    return attributes;
}

static uint64_t nested_key(uint32_t outer_row, struct text name)
{
    return map_hash_text(name.at, name.size) ^ (uint64_t)outer_row * 0x9E3779B97F4A7C15u;
}

// Maps state machine classes by their enclosing type and name. False when memory runs out.
static bool map_machines(const struct names *names, struct map *map)
{
    const struct metadata *metadata = names->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_NESTED_CLASS); row++) {
        uint32_t type = metadata_column(metadata, TABLE_NESTED_CLASS, row, NESTED_CLASS_NESTED);
        struct text name = names_type_name(names, TOKEN(TABLE_TYPE_DEF, type)), method;
        if (generated_state_machine(name, &method) &&
            !map_put(map, nested_key(metadata_column(metadata, TABLE_NESTED_CLASS, row, NESTED_CLASS_ENCLOSING), name),
                     type)) {
            return false;
        }
    }
    return true;
}

// The innermost name of a type in the form of reflection: `Inner` of `Ns.Outer+Inner, Assembly`. A backslash escapes special
// characters. The blob is the attribute's: a prolog of two bytes, then the name (II.23.3).
static struct text innermost_name(struct bytes blob, char copy[MACHINE_NAME_MAX])
{
    uint32_t size;
    struct bytes text;
    size_t used = 0;
    if (!bytes_skip(&blob, 2) || !bytes_compressed(&blob, &size) || !bytes_take(&blob, size, &text)) {
        return (struct text){"", 0};
    }
    uint8_t character;
    while (used < MACHINE_NAME_MAX && bytes_u8(&text, &character) && character != ',') {
        if (character == '+') {
            used = 0;
        } else if (character != '\\' || bytes_u8(&text, &character)) {
            copy[used++] = (char)character;
        }
    }
    return (struct text){copy, used};
}

// Enters the method with this attribute as the kick-off of its state machine. Two classes may have the same hash, so
// the name of the found one is compared.
static void note_kickoff(struct names *names, const struct map *machines, uint32_t attribute_row, enum method_kind kind)
{
    const struct metadata *metadata = names->metadata;
    uint32_t parent = metadata_column(metadata, TABLE_CUSTOM_ATTRIBUTE, attribute_row, CUSTOM_ATTRIBUTE_PARENT);
    uint32_t method = metadata_decode(CODED_HAS_CUSTOM_ATTRIBUTE, parent);
    uint32_t outer = metadata_method_owner(metadata, method);
    char copy[MACHINE_NAME_MAX];
    struct text name = innermost_name(metadata_blob(metadata, metadata_column(metadata, TABLE_CUSTOM_ATTRIBUTE,
                                                                              attribute_row, CUSTOM_ATTRIBUTE_VALUE)),
                                      copy);
    uint64_t type;
    if (outer && name.size && map_get(machines, nested_key(TOKEN_ROW(outer), name), &type) && type &&
        type <= metadata_rows(metadata, TABLE_TYPE_DEF) &&
        text_equal(names_type_name(names, TOKEN(TABLE_TYPE_DEF, (uint32_t)type)), name)) {
        names->kickoffs[type] = (uint32_t)kind << KIND_SHIFT | TOKEN_ROW(method);
        names->starved |= !map_put(&names->machines, TOKEN_ROW(method), type);
    }
}

// Fills names->kickoffs from the attributes that C# and VB put on kick-off methods.
static void scan_kickoffs(struct names *names)
{
    const struct metadata *metadata = names->metadata;
    struct map machines = {0};
    names->kickoffs = calloc((size_t)metadata_rows(metadata, TABLE_TYPE_DEF) + 1, sizeof *names->kickoffs);
    if (!names->kickoffs || !map_machines(names, &machines)) {
        free(names->kickoffs);
        names->kickoffs = NULL;
        names->starved = true;
    } else if (machines.count) {
        struct machine_attributes attributes = find_attributes(names);
        for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_CUSTOM_ATTRIBUTE); row++) {
            uint32_t constructor = metadata_column(metadata, TABLE_CUSTOM_ATTRIBUTE, row, CUSTOM_ATTRIBUTE_TYPE);
            for (unsigned i = 0; i < attributes.count; i++) {
                if (attributes.items[i].constructor == constructor) {
                    note_kickoff(names, &machines, row, attributes.items[i].kind);
                }
            }
        }
    }
    map_free(&machines);
}

static bool implements(const struct names *names, uint32_t type_token, const char *name)
{
    const struct metadata *metadata = names->metadata;
    uint32_t row = metadata_find(metadata, TABLE_INTERFACE_IMPL, INTERFACE_IMPL_CLASS, TOKEN_ROW(type_token));
    while (row && metadata_column(metadata, TABLE_INTERFACE_IMPL, row, INTERFACE_IMPL_CLASS) == TOKEN_ROW(type_token)) {
        uint32_t type = metadata_decode(
            CODED_TYPE_DEF_OR_REF, metadata_column(metadata, TABLE_INTERFACE_IMPL, row++, INTERFACE_IMPL_INTERFACE));
        uint32_t token = names_definition(metadata, type);
        if (token && text_equal(names_type_name(names, token), text_of(name))) {
            return true;
        }
    }
    return false;
}

static enum method_kind machine_kind(const struct names *names, uint32_t type_token)
{
    return implements(names, type_token, "IAsyncEnumerator`1")   ? METHOD_KIND_ASYNC_ITERATOR
           : implements(names, type_token, "IAsyncStateMachine") ? METHOD_KIND_ASYNC
                                                                 : METHOD_KIND_ITERATOR;
}

// A class `name@line` of F# that runs a task or a sequence; its method may stand several closures further out.
static uint32_t fsharp_kickoff(const struct names *names, uint32_t type_token, struct text name, enum method_kind *kind)
{
    if (implements(names, type_token, "IAsyncStateMachine")) {
        *kind = METHOD_KIND_ASYNC;
    } else if (names_find_method(names, type_token, text_of("GenerateNext"), false)) {
        *kind = METHOD_KIND_ITERATOR;
    } else {
        return 0;
    }
    uint32_t found = 0;
    for (unsigned i = 0; i < NESTING_MAX && type_token && !found; i++) {
        type_token = metadata_enclosing_type(names->metadata, type_token);
        found = type_token ? names_find_method(names, type_token, name, false) : 0;
    }
    return found;
}

// Without the attribute (old targets, F#): by names and interfaces.
static uint32_t guess_kickoff(const struct names *names, uint32_t type_token, enum method_kind *kind)
{
    struct text type_name = names_type_name(names, type_token), method;
    uint32_t outer = metadata_enclosing_type(names->metadata, type_token);
    if (outer && generated_state_machine(type_name, &method)) {
        *kind = machine_kind(names, type_token);
        return names_find_method(names, outer, method, true);
    }
    return outer && generated_fsharp(type_name, &method) ? fsharp_kickoff(names, type_token, method, kind) : 0;
}

// Whether a class of this name can have a kick-off. The scan, which takes a millisecond for the core library, can wait for one.
static bool may_be_machine(struct text type_name)
{
    struct text ignored;
    return generated_state_machine(type_name, &ignored) || generated_fsharp(type_name, &ignored);
}

uint32_t names_kickoff(struct names *names, uint32_t type_token, enum method_kind *kind)
{
    uint32_t row = TOKEN_ROW(type_token);
    if (!names->kickoffs && may_be_machine(names_type_name(names, type_token))) {
        scan_kickoffs(names);
    }
    if (TOKEN_TABLE(type_token) != TABLE_TYPE_DEF || row > metadata_rows(names->metadata, TABLE_TYPE_DEF)) {
        return 0;
    }
    uint32_t known = names->kickoffs ? names->kickoffs[row] : 0;
    if (known) {
        *kind = (enum method_kind)(known >> KIND_SHIFT);
        return TOKEN(TABLE_METHOD_DEF, TOKEN_ROW(known));
    }
    uint32_t guessed = guess_kickoff(names, type_token, kind);
    if (guessed && names->kickoffs) {
        names->kickoffs[row] = (uint32_t)*kind << KIND_SHIFT | TOKEN_ROW(guessed);
    }
    return guessed;
}

uint32_t names_body(struct names *names, uint32_t method_token)
{
    uint64_t row;
    if (!names->kickoffs) {
        scan_kickoffs(names);
    }
    return map_get(&names->machines, TOKEN_ROW(method_token), &row)
               ? names_find_method(names, TOKEN(TABLE_TYPE_DEF, (uint32_t)row), text_of("MoveNext"), false)
               : 0;
}

// C# declares the members of an extension block in a nested type `<G>$hash`, without code; static methods of the same
// names in the enclosing type contain the code. So a method whose name is that of an accessor in such a type is an
// accessor, too. False when memory runs out.
static bool map_extensions(const struct names *names, struct map *map)
{
    const struct metadata *metadata = names->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_NESTED_CLASS); row++) {
        uint32_t type = metadata_column(metadata, TABLE_NESTED_CLASS, row, NESTED_CLASS_NESTED);
        uint32_t outer = metadata_column(metadata, TABLE_NESTED_CLASS, row, NESTED_CLASS_ENCLOSING);
        bool block = text_starts(names_type_name(names, TOKEN(TABLE_TYPE_DEF, type)), "<G>$");
        struct metadata_range methods = {0};
        if (block) {
            methods = metadata_list(metadata, TABLE_TYPE_DEF, type, TYPE_DEF_METHODS, TABLE_METHOD_DEF);
        }
        for (uint32_t method = methods.first; method < methods.end; method++) {
            if (names->accessors[method] &&
                !map_put(map, nested_key(outer, method_name(names, method)), names->accessors[method])) {
                return false;
            }
        }
    }
    return true;
}

static bool scan_extensions(struct names *names)
{
    struct map map = {0};
    bool mapped = map_extensions(names, &map);
    for (uint32_t row = 1; mapped && map.count && row <= metadata_rows(names->metadata, TABLE_METHOD_DEF); row++) {
        uint32_t owner = TOKEN_ROW(metadata_method_owner(names->metadata, TOKEN(TABLE_METHOD_DEF, row)));
        uint64_t accessor;
        if (!names->accessors[row] && map_get(&map, nested_key(owner, method_name(names, row)), &accessor)) {
            names->accessors[row] = (uint32_t)accessor;
        }
    }
    map_free(&map);
    return mapped;
}

// Fills names->accessors from the MethodSemantics table.
static void scan_accessors(struct names *names)
{
    const struct metadata *metadata = names->metadata;
    uint32_t methods = metadata_rows(metadata, TABLE_METHOD_DEF);
    names->accessors = calloc((size_t)methods + 1, sizeof *names->accessors);
    names->starved |= !names->accessors;
    for (uint32_t row = 1; names->accessors && row <= metadata_rows(metadata, TABLE_METHOD_SEMANTICS); row++) {
        uint32_t method = metadata_column(metadata, TABLE_METHOD_SEMANTICS, row, METHOD_SEMANTICS_METHOD);
        if (method <= methods) {
            names->accessors[method] = row;
        }
    }
    if (names->accessors && !scan_extensions(names)) {
        free(names->accessors);
        names->accessors = NULL;
        names->starved = true;
    }
}

uint32_t names_accessor(struct names *names, uint32_t method_token)
{
    if (!names->accessors) {
        scan_accessors(names);
    }
    uint32_t row = TOKEN_ROW(method_token);
    return names->accessors && row <= metadata_rows(names->metadata, TABLE_METHOD_DEF) ? names->accessors[row] : 0;
}

// The family and ordinal of a lambda; false when the method is not a lambda. All lambdas of one source method are a
// family: its name, ordinal and type are hashed into one number. Numbering a lambda needs its rank within the family.
static bool place_lambda(const struct names *names, uint32_t method_row, struct lambda *out)
{
    struct generated_lambda parts;
    struct text name = method_name(names, method_row);
    if (name.size == 0 || (*name.at != '<' && *name.at != '_') || !generated_lambda(name, &parts)) {
        return false;
    }
    uint32_t owner = metadata_method_owner(names->metadata, TOKEN(TABLE_METHOD_DEF, method_row));
    if (parts.method_ordinal < 0) {
        parts.method_ordinal = generated_closure_ordinal(names_type_name(names, owner));
    }
    uint64_t place = (uint64_t)names_host(names, owner) << 32 ^ (uint64_t)(parts.method_ordinal + 1);
    out->family = map_hash_text(parts.method.at, parts.method.size) ^ place * 0x9E3779B97F4A7C15u;
    out->ordinal = parts.ordinal;
    return true;
}

static int compare_lambdas(const void *left, const void *right)
{
    const struct lambda *a = left, *b = right;
    if (a->family != b->family) {
        return a->family < b->family ? -1 : 1;
    }
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

// Fills names->lambdas with all lambdas of the module, sorted.
static void scan_lambdas(struct names *names)
{
    struct buffer found = {0};
    for (uint32_t row = 1; row <= metadata_rows(names->metadata, TABLE_METHOD_DEF); row++) {
        struct lambda lambda = {0};
        if (place_lambda(names, row, &lambda)) {
            buffer_append(&found, &lambda, sizeof lambda);
        }
    }
    if (found.failed) {
        buffer_free(&found);
        names->starved = true;
        return;
    }
    names->lambdas_made = true;
    if (found.size == 0) {
        return;
    }
    names->lambdas = (struct lambda *)(void *)found.data;
    names->lambda_count = found.size / sizeof *names->lambdas;
    qsort(names->lambdas, names->lambda_count, sizeof *names->lambdas, compare_lambdas);
}

// The number of sorted lambdas before this one.
static size_t lambda_rank(const struct names *names, const struct lambda *lambda)
{
    size_t low = 0, high = names->lambda_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_lambdas(&names->lambdas[middle], lambda) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t names_lambda_number(struct names *names, uint32_t method_token)
{
    struct lambda lambda = {0};
    if (!place_lambda(names, TOKEN_ROW(method_token), &lambda)) {
        return 0;
    }
    if (!names->lambdas_made) {
        scan_lambdas(names);
    }
    if (!names->lambdas) {
        return lambda.ordinal + 1;
    }
    struct lambda first = {.family = lambda.family};
    return (uint32_t)(lambda_rank(names, &lambda) - lambda_rank(names, &first)) + 1;
}
