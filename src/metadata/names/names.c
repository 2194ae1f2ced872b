// Composes a method's display name in two steps: place_of() finds the source's method that the compiled method belongs
// to, then the name is written: declaring type, name, generic parameters, parameters, and a suffix for the kind.
#include "metadata/names/names.h"

#include <stdlib.h>

#include "metadata/names/names_internal.h"
#include "metadata/names/names_variable.h"

// Bounds recursion over hostile metadata. Real chains (the state machine of a lambda within a lambda) are much shorter.
enum { ORIGIN_DEPTH_MAX = 16 };

// II.23.1.12
enum { SEMANTICS_SETTER = 1, SEMANTICS_GETTER = 2, SEMANTICS_ADD = 8, SEMANTICS_REMOVE = 0x10, SEMANTICS_FIRE = 0x20 };

enum form {
    FORM_PLAIN,
    FORM_LAMBDA,
    FORM_LOCAL,
    FORM_BODY,    // the method of a state machine that contains the source's statements
    FORM_MACHINE, // its other members
};

// A compiled method as the source has it.
struct place {
    enum form form;
    enum method_kind kind;
    uint32_t token;
    uint32_t owner;    // type that holds the token
    uint32_t origin;   // the source's method, 0 where it was not found
    uint32_t kickoff;  // of a state machine
    struct text name;  // of the method, as in metadata
    struct text outer; // name of the source's method as the compiler wrote it, or empty: lambdas and local functions
    struct text local; // name of a local function
};

struct names *names_new(const struct metadata *metadata)
{
    struct names *names = calloc(1, sizeof *names);
    if (names) {
        names->metadata = metadata;
    }
    return names;
}

void names_free(struct names *names)
{
    if (names) {
        free(names->kickoffs);
        map_free(&names->machines);
        free(names->accessors);
        free(names->makers);
        free(names->lambdas);
        free(names);
    }
}

void names_use_bodies(struct names *names, const struct image *image)
{
    names->image = image;
}

static struct place place_of(struct names *names, uint32_t token, unsigned depth);

// The source's method that contains the creation of lambda or closure `made`; 0 when it is not known.
static uint32_t maker_origin(struct names *names, uint32_t made, unsigned depth)
{
    uint32_t maker = made && depth < ORIGIN_DEPTH_MAX ? names_maker(names, made) : 0;
    return maker ? place_of(names, maker, depth + 1).origin : 0;
}

// C# and VB state machines run in MoveNext, F# sequences in GenerateNext.
static bool is_body(struct text name)
{
    return text_equal(name, text_of("MoveNext")) || text_equal(name, text_of("GenerateNext"));
}

static enum method_kind plain_kind(struct names *names, const struct place *place)
{
    return text_equal(place->name, text_of(".ctor"))    ? METHOD_KIND_CONSTRUCTOR
           : text_equal(place->name, text_of(".cctor")) ? METHOD_KIND_STATIC_CONSTRUCTOR
           : names_accessor(names, place->token)        ? METHOD_KIND_ACCESSOR
                                                        : METHOD_KIND_PLAIN;
}

// The method that contains the source of F# closure class `name@line`: the method that creates it, else one of that
// name in the closest enclosing type.
static uint32_t fsharp_origin(struct names *names, uint32_t type_token, unsigned depth)
{
    struct text name;
    if (!generated_fsharp(names_type_name(names, type_token), &name)) {
        return 0;
    }
    uint32_t found = maker_origin(names, names_find_method(names, type_token, text_of(".ctor"), false), depth);
    struct metadata_method maker;
    if (metadata_method(names->metadata, found, &maker) && text_starts(maker.name, "<")) {
        found = 0; // a debug build's copy of an inlined function: `<Bind>__debug@6`
    }
    for (unsigned i = 0; i < NESTING_MAX && type_token && !found; i++) {
        type_token = metadata_enclosing_type(names->metadata, type_token);
        found = type_token ? names_find_method(names, type_token, name, false) : 0;
    }
    return found;
}

// A method with a name of its own. F# closures and the entry point that C# makes for an async Main have such names, too.
static struct place plain_place(struct names *names, struct place place, unsigned depth)
{
    place.form = FORM_PLAIN;
    place.kind = plain_kind(names, &place);
    place.origin = place.token;
    struct text ignored;
    uint32_t source = fsharp_origin(names, place.owner, depth);
    if (generated_fsharp(names_type_name(names, place.owner), &ignored) && text_equal(place.name, text_of("Invoke"))) {
        place.kind = METHOD_KIND_LAMBDA;
    }
    if (text_equal(place.name, text_of("<Main>"))) {
        source = names_find_method(names, place.owner, text_of("Main"), false);
        source = source ? source : names_find_method(names, place.owner, text_of("<Main>$"), false);
    }
    place.origin = source ? source : place.token;
    return place;
}

// `depth` counts the compiled methods on the way to the source's method.
static struct place place_of(struct names *names, uint32_t token, unsigned depth)
{
    struct place place = {.token = token, .owner = metadata_method_owner(names->metadata, token)};
    struct metadata_method method;
    if (metadata_method(names->metadata, token, &method)) {
        place.name = method.name;
    }
    struct generated_lambda lambda;
    place.kickoff = depth < ORIGIN_DEPTH_MAX ? names_kickoff(names, place.owner, &place.kind) : 0;
    if (place.kickoff) {
        place.form = is_body(place.name) ? FORM_BODY : FORM_MACHINE;
        place.kind = place.form == FORM_BODY ? place.kind : METHOD_KIND_PLAIN;
        place.origin = place_of(names, place.kickoff, depth + 1).origin;
    } else if (generated_lambda(place.name, &lambda)) {
        place.form = FORM_LAMBDA;
        place.kind = METHOD_KIND_LAMBDA;
        place.outer = lambda.method;
    } else if (generated_local(place.name, &place.outer, &place.local)) {
        place.form = FORM_LOCAL;
        place.kind = METHOD_KIND_LOCAL;
    } else {
        return plain_place(names, place, depth);
    }
    if (place.outer.size) {
        place.origin = names_find_method(names, names_host(names, place.owner), place.outer, false);
    } else if (place.form == FORM_LAMBDA) {
        place.origin = maker_origin(names, token, depth);
    }
    return place;
}

// The member's own name in the qualified name of an explicit interface implementation: the part behind the last separator.
static struct text member_name(struct text name)
{
    for (size_t i = name.size; i-- > 0 && name.at[i] != '>';) {
        if (name.at[i] == '.' || name.at[i] == '-') {
            return (struct text){name.at + i + 1, name.size - i - 1};
        }
    }
    return name;
}

static bool is_explicit(struct text name)
{
    return name.size > 1 && *name.at != '.' && *name.at != '<' && member_name(name).size < name.size;
}

// `IFoo.` for an explicit implementation of IFoo's member.
static bool append_interface(const struct names *names, uint32_t owner, uint32_t method_token, struct buffer *out)
{
    const struct metadata *metadata = names->metadata;
    uint32_t row = metadata_find(metadata, TABLE_METHOD_IMPL, METHOD_IMPL_CLASS, TOKEN_ROW(owner));
    for (; row && metadata_column(metadata, TABLE_METHOD_IMPL, row, METHOD_IMPL_CLASS) == TOKEN_ROW(owner); row++) {
        uint32_t body = metadata_decode(CODED_METHOD_DEF_OR_REF,
                                        metadata_column(metadata, TABLE_METHOD_IMPL, row, METHOD_IMPL_BODY));
        if (body != method_token) {
            continue;
        }
        uint32_t declaration = metadata_decode(
            CODED_METHOD_DEF_OR_REF, metadata_column(metadata, TABLE_METHOD_IMPL, row, METHOD_IMPL_DECLARATION));
        uint32_t parent = metadata_column(metadata, TABLE_MEMBER_REF, TOKEN_ROW(declaration), MEMBER_REF_PARENT);
        uint32_t type = TOKEN_TABLE(declaration) == TABLE_METHOD_DEF ? metadata_method_owner(metadata, declaration)
                                                                     : metadata_decode(CODED_MEMBER_REF_PARENT, parent);
        size_t before = out->size;
        names_append_short_type(names, type, owner, out);
        if (out->size > before) {
            buffer_u8(out, '.');
            return true;
        }
    }
    return false;
}

static const char *accessor_word(uint32_t semantics)
{
    switch (semantics) {
    case SEMANTICS_GETTER:
        return ".get";
    case SEMANTICS_SETTER:
        return ".set";
    case SEMANTICS_ADD:
        return ".add";
    case SEMANTICS_REMOVE:
        return ".remove";
    case SEMANTICS_FIRE:
        return ".raise";
    default:
        return ".other";
    }
}

// The member's name within its type: `Add`, `Total`, `IFoo.Bar`, `.ctor`. Returns names_accessor().
static uint32_t append_member_name(struct names *names, uint32_t token, struct buffer *out)
{
    const struct metadata *metadata = names->metadata;
    struct metadata_method method;
    if (!metadata_method(metadata, token, &method)) {
        return 0;
    }
    struct text name = method.name;
    uint32_t accessor = names_accessor(names, token);
    if (accessor) {
        uint32_t member = metadata_decode(CODED_HAS_SEMANTICS, metadata_column(metadata, TABLE_METHOD_SEMANTICS,
                                                                               accessor, METHOD_SEMANTICS_ASSOCIATION));
        // Event and Property both have the name in column 1.
        name =
            metadata_string(metadata, metadata_column(metadata, TOKEN_TABLE(member), TOKEN_ROW(member), PROPERTY_NAME));
    }
    if (is_explicit(name) && append_interface(names, metadata_method_owner(metadata, token), token, out)) {
        name = member_name(name);
    }
    generated_append(name, out);
    return accessor;
}

// The same with type parameters and what an accessor does: `Add<T>`, `Total.get`.
static void append_member(struct names *names, uint32_t token, struct buffer *out)
{
    uint32_t accessor = append_member_name(names, token, out);
    if (accessor) {
        buffer_text(out, accessor_word(metadata_column(names->metadata, TABLE_METHOD_SEMANTICS, accessor,
                                                       METHOD_SEMANTICS_SEMANTICS)));
    }
    names_append_generics(names, token, 0, out);
}

// `Ns.Type.Member` of the source's method.
static void append_source(struct names *names, const struct place *place, struct buffer *out)
{
    if (place->origin) {
        names_append_type(names, metadata_method_owner(names->metadata, place->origin), out);
        buffer_u8(out, '.');
        append_member(names, place->origin, out);
    } else {
        names_append_type(names, names_host(names, place->owner), out);
        buffer_text(out, place->outer.size ? "." : "");
        generated_append(place->outer, out);
    }
}

static void append_local(struct names *names, const struct place *place, struct buffer *out)
{
    append_source(names, place, out);
    buffer_u8(out, '.');
    generated_append(place->local, out);
    // Beside its method, a local function repeats the method's type parameters before its own.
    bool beside = place->origin && metadata_method_owner(names->metadata, place->origin) == place->owner;
    names_append_generics(names, place->token, beside ? names_generic_count(names, place->origin) : 0, out);
    names_append_parameters(names, place->token, true, out);
}

static const char *kind_suffix(enum method_kind kind)
{
    return kind == METHOD_KIND_ASYNC            ? " (async)"
           : kind == METHOD_KIND_ITERATOR       ? " (iterator)"
           : kind == METHOD_KIND_ASYNC_ITERATOR ? " (async iterator)"
                                                : "";
}

static void append_method(struct names *names, uint32_t token, unsigned depth, struct buffer *out)
{
    struct place place = place_of(names, token, depth);
    enum method_kind kind = METHOD_KIND_PLAIN;
    switch (place.form) {
    case FORM_LAMBDA:
        append_source(names, &place, out);
        buffer_printf(out, ".lambda#%u", names_lambda_number(names, token));
        names_append_parameters(names, token, false, out);
        break;
    case FORM_LOCAL:
        append_local(names, &place, out);
        break;
    case FORM_BODY:
    case FORM_MACHINE:
        (void)names_kickoff(names, place.owner, &kind);
        append_method(names, place.kickoff, depth + 1, out);
        buffer_text(out, kind_suffix(kind));
        if (place.form == FORM_MACHINE) {
            buffer_u8(out, '.');
            append_member(names, token, out);
            names_append_parameters(names, token, false, out);
        }
        break;
    case FORM_PLAIN:
        names_append_type(names, place.owner, out);
        buffer_u8(out, '.');
        append_member(names, token, out);
        names_append_parameters(names, token, false, out);
        break;
    }
}

// METHOD_FLAG_GENERATED, UNCERTAIN, or 0.
static uint32_t made_by_compiler(const struct names *names, const struct place *place)
{
    struct generated_name parts;
    struct text type = names_type_name(names, place->owner), ignored;
    if (place->form != FORM_PLAIN) {
        return place->form == FORM_MACHINE ? METHOD_FLAG_GENERATED : 0;
    }
    bool fsharp = generated_fsharp(type, &ignored);
    bool value = place->kind == METHOD_KIND_ACCESSOR && generated_fsharp(place->name, &ignored);
    bool made_type = generated_is_closure(type) || text_starts(type, "VB$Anonymous") ||
                     (generated_parse(type, &parts) && parts.kind != 'F') ||
                     (fsharp && place->kind == METHOD_KIND_CONSTRUCTOR);
    bool made_method = generated_parse(place->name, &parts) && !text_equal(place->name, text_of("<Main>$"));
    return made_type || made_method ? METHOD_FLAG_GENERATED : fsharp || value ? METHOD_FLAG_UNCERTAIN : 0;
}

enum clew_error names_method(struct names *names, uint32_t method_token, struct buffer *out, struct method_name *about)
{
    struct metadata_method method;
    if (!metadata_method(names->metadata, method_token, &method)) {
        return CLEW_MALFORMED;
    }
    names->starved = false;
    struct place place = place_of(names, method_token, 0);
    *about = (struct method_name){.kind = place.kind,
                                  .origin = place.origin ? place.origin : method_token,
                                  .flags = names_method_flags(names, method_token) | made_by_compiler(names, &place)};
    append_method(names, method_token, 0, out);
    return out->failed || names->starved ? CLEW_NO_MEMORY : CLEW_OK;
}

// `Type.Member`, or `Method.Local` for what is declared within a method.
static void append_called(struct names *names, uint32_t token, struct buffer *out)
{
    struct place place = place_of(names, token, 0);
    bool within = place.form == FORM_LAMBDA || place.form == FORM_LOCAL;
    size_t before = out->size;
    if (!within) {
        generated_append(names_type_name(names, names_host(names, place.owner)), out);
    } else if (place.origin) {
        (void)append_member_name(names, place.origin, out);
    } else {
        generated_append(place.outer, out);
    }
    buffer_text(out, out->size > before ? "." : "");
    if (place.form == FORM_LAMBDA) {
        buffer_printf(out, "lambda#%u", names_lambda_number(names, token));
    } else if (place.form == FORM_LOCAL) {
        generated_append(place.local, out);
    } else {
        (void)append_member_name(names, token, out);
    }
}

enum clew_error names_call(struct names *names, uint32_t token, struct buffer *out)
{
    struct method_reference called;
    bool sets;
    if (!names_method_reference(names->metadata, token, &called)) {
        return CLEW_OK;
    }
    names->starved = false;
    if (!called.token && TOKEN_TABLE(called.type) == TABLE_TYPE_DEF) { // of overloads any: they have one name
        called.token = names_find_method(names, called.type, called.name, false);
    }
    if (called.token) {
        append_called(names, called.token, out);
    } else {
        size_t before = out->size;
        generated_append(called.type ? names_type_name(names, called.type) : (struct text){"", 0}, out);
        buffer_text(out, out->size > before ? "." : "");
        generated_append(names_member(called.name, &sets), out);
    }
    return out->failed || names->starved ? CLEW_NO_MEMORY : CLEW_OK;
}

enum clew_error names_scope(struct names *names, uint32_t method_token, struct buffer *out)
{
    struct metadata_method method;
    if (!metadata_method(names->metadata, method_token, &method)) {
        return CLEW_MALFORMED;
    }
    struct text assembly = metadata_assembly_name(names->metadata);
    names->starved = false;
    struct place place = place_of(names, method_token, 0);
    buffer_u8(out, '[');
    buffer_append(out, assembly.at, assembly.size);
    buffer_u8(out, ']');
    if (!place.origin && place.kickoff) {
        place = place_of(names, place.kickoff, 1);
    }
    append_source(names, &place, out);
    if (!place.origin && place.outer.size == 0) {
        buffer_printf(out, ".lambda#%u", names_lambda_number(names, place.token));
    }
    return out->failed || names->starved ? CLEW_NO_MEMORY : CLEW_OK;
}

void names_source_class(const struct names *names, uint32_t origin, struct buffer *out)
{
    names_append_class(names, names_host(names, metadata_method_owner(names->metadata, origin)), out);
}
