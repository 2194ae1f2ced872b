// Flags of types and methods, from metadata: the forms of identifiers are those of names_generated.c, which no source can
// have. CompilerGeneratedAttribute does not help here: source generators and designers put it on types that have sources.
#include "metadata/names/names_internal.h"

static bool is_anonymous(struct text name)
{
    return text_starts(name, "<>f__Anonymous") || text_starts(name, "VB$Anonymous");
}

// A method that moves the class from one state to the next: of F# sequences and tasks, whose classes are named like its
// closures.
static bool has_step(const struct names *names, uint32_t type_token)
{
    return TOKEN_TABLE(type_token) == TABLE_TYPE_DEF &&
           (names_find_method(names, type_token, text_of("GenerateNext"), false) ||
            names_find_method(names, type_token, text_of("MoveNext"), false));
}

// Flags that follow from the type's own name, without the types around it.
static uint32_t flags_of_name(const struct names *names, uint32_t type_token)
{
    struct text name = names_type_name(names, type_token), ignored;
    struct generated_name parts;
    if (generated_is_closure(name)) {
        return TYPE_FLAG_GENERATED | TYPE_FLAG_CLOSURE;
    }
    if (generated_state_machine(name, &ignored)) {
        return TYPE_FLAG_GENERATED | TYPE_FLAG_STATE_MACHINE;
    }
    if (generated_fsharp(name, &ignored)) {
        return TYPE_FLAG_GENERATED | (has_step(names, type_token) ? TYPE_FLAG_STATE_MACHINE : TYPE_FLAG_CLOSURE);
    }
    if (is_anonymous(name)) {
        return TYPE_FLAG_GENERATED | TYPE_FLAG_ANONYMOUS;
    }
    bool fsharp = name.size && memchr(name.at, '@', name.size); // `Circle@DebugTypeProxy`, `T_16Bytes@`
    // 'F': a type that is local to its file, which the source does have.
    return fsharp || (generated_parse(name, &parts) && parts.kind != 'F') ? TYPE_FLAG_GENERATED : 0;
}

static struct text space_of(const struct names *names, uint32_t type_token)
{
    return metadata_string(names->metadata, metadata_column(names->metadata, TOKEN_TABLE(type_token),
                                                            TOKEN_ROW(type_token), TYPE_NAMESPACE));
}

bool names_is_class(const struct metadata *metadata, struct bytes signature, struct text full_name)
{
    struct names names = {.metadata = metadata};
    uint32_t token = names_class_of(signature);
    struct text space = token ? space_of(&names, token) : (struct text){0};
    if (!token || names_outer_type(&names, token) || space.size == 0 || full_name.size <= space.size ||
        full_name.at[space.size] != '.') {
        return false;
    }
    return text_equal((struct text){full_name.at, space.size}, space) &&
           text_equal(text_from(full_name, space.size + 1), names_type_name(&names, token));
}

// A type within a generated type is generated as well.
static bool is_within_generated(const struct names *names, uint32_t type_token)
{
    bool generated = false;
    for (unsigned i = 0; i < NESTING_MAX && type_token && !generated; i++) {
        generated = flags_of_name(names, type_token) & TYPE_FLAG_GENERATED ||
                    text_starts(space_of(names, type_token), "<StartupCode$"); // F#: values of modules
        type_token = names_outer_type(names, type_token);
    }
    return generated;
}

uint32_t names_type_flags(const struct metadata *metadata, uint32_t type_token)
{
    struct names names = {.metadata = metadata};
    if (TOKEN_TABLE(type_token) != TABLE_TYPE_DEF && TOKEN_TABLE(type_token) != TABLE_TYPE_REF) {
        return 0;
    }
    bool tuple = text_starts(names_type_name(&names, type_token), "ValueTuple`") &&
                 text_equal(space_of(&names, type_token), text_of("System"));
    return TYPE_FLAG_STATED | flags_of_name(&names, type_token) | (tuple ? TYPE_FLAG_TUPLE : 0) |
           (is_within_generated(&names, type_token) ? TYPE_FLAG_GENERATED : 0);
}

// Whether a class contains only functions and data of the compiler. Other classes that the source does not have are used
// by what it does have: anonymous types, the collections behind collection expressions.
static bool is_helper(const struct names *names, uint32_t type_token)
{
    struct generated_name parts;
    return flags_of_name(names, type_token) & (TYPE_FLAG_CLOSURE | TYPE_FLAG_STATE_MACHINE) ||
           (generated_parse(names_type_name(names, type_token), &parts) && parts.kind != 'F' &&
            text_equal(parts.original, text_of("PrivateImplementationDetails")));
}

uint32_t names_method_flags(const struct names *names, uint32_t method_token)
{
    uint32_t type = metadata_method_owner(names->metadata, method_token);
    struct metadata_method method;
    bool known = metadata_method(names->metadata, method_token, &method);
    bool constructor = known && text_equal(method.name, text_of(".ctor"));
    bool async = known && method.impl_flags & METHOD_ASYNC;
    return METHOD_FLAG_STATED | (is_helper(names, type) ? METHOD_FLAG_HELPER : 0) |
           (constructor ? METHOD_FLAG_CONSTRUCTOR : 0) | (async ? METHOD_FLAG_ASYNC : 0);
}
