// Shared by names*.c alone. A display name is composed of the declaring type (names_type.c), the source's method
// (names_origin.c, names_maker.c) and identifiers without the decoration that compilers add (names_generated.c).
#ifndef CLEW_METADATA_NAMES_INTERNAL_H
#define CLEW_METADATA_NAMES_INTERNAL_H

#include "base/map.h"
#include "metadata/names/names.h"

// Limits against hostile metadata; the runtime itself allows identifiers of 1,023 bytes.
enum { NAME_SIZE_MAX = 8192, IDENTIFIER_SIZE_MAX = 1024, NESTING_MAX = 32 };

struct lambda {
    uint64_t family; // of the lambdas of one source method
    uint32_t ordinal;
};

struct names {
    const struct metadata *metadata;
    const struct image *image; // NULL: bodies are not looked at
    // Made on first need; NULL before, and while memory runs out.
    uint32_t *kickoffs;     // by TypeDef row: enum method_kind << 24 | MethodDef row of the kick-off, or 0
    struct map machines;    // by MethodDef row of a kick-off with an attribute: TypeDef row
    uint32_t *accessors;    // by MethodDef row: row of MethodSemantics, or 0
    uint32_t *makers;       // by MethodDef row: row of the method whose body makes it, or 0
    struct lambda *lambdas; // sorted by family and ordinal
    size_t lambda_count;
    bool lambdas_made; // there may be none
    bool starved;      // memory ran out for one of them: the current answer may be wrong and must not be used
};

// names_generated.c: identifiers that compilers make, as text alone.

// `<original>kind__suffix` of Roslyn, with any brackets inside `original` balanced. kind is 0 where nothing follows.
struct generated_name {
    struct text original;
    char kind;
    struct text suffix;
};
bool generated_parse(struct text name, struct generated_name *out);
// Class that holds captured variables or static lambdas, of Roslyn (C#, VB).
bool generated_is_closure(struct text type_name);
// Class `name@line` that the F# compiler makes of a closure, a sequence or a task; gives `name`.
bool generated_fsharp(struct text type_name, struct text *original);
// The name of the method whose state machine class `type_name` is; C# replaces dots in it by dashes.
bool generated_state_machine(struct text type_name, struct text *method);
// The numbers that identify a lambda: of its method within the type (-1: the closure's name contains it), and its own.
struct generated_lambda {
    struct text method; // empty in VB
    int64_t method_ordinal;
    uint32_t ordinal;
};
bool generated_lambda(struct text method_name, struct generated_lambda *out);
// The method ordinal in the name of a closure; -1 when there is none.
int64_t generated_closure_ordinal(struct text type_name);
// The name of a local function, and of the method that contains it.
bool generated_local(struct text method_name, struct text *method, struct text *local);
// Appends an identifier in readable form: without arity and without the decoration of compilers.
void generated_append(struct text name, struct buffer *out);
// Whether two names are equal if '-' counts as '.'.
bool generated_equal_dashed(struct text a, struct text b);

// names_type.c

struct text names_type_name(const struct names *names, uint32_t type_token); // without namespace, as in metadata
uint32_t names_outer_type(const struct names *names,
                          uint32_t type_token); // of a TypeDef or TypeRef; 0: it is not nested
// Full name with namespace, outer types and generic parameters.
void names_append_type(const struct names *names, uint32_t type_token, struct buffer *out);
// The same with `/` before nested types.
void names_append_class(const struct names *names, uint32_t type_token, struct buffer *out);
// The name of the type that a method was declared in, short: of a TypeDef, TypeRef or TypeSpec.
void names_append_short_type(const struct names *names, uint32_t type_token, uint32_t context_type, struct buffer *out);
// `<T, U>` of a method, leaving out the first `skip`; nothing when none remain.
void names_append_generics(const struct names *names, uint32_t method_token, uint32_t skip, struct buffer *out);
uint32_t names_generic_count(const struct names *names, uint32_t token);
// `(int, string)`; `local`: leaves out the closures that a compiler hands to local functions.
void names_append_parameters(const struct names *names, uint32_t method_token, bool local, struct buffer *out);

// names_origin.c: from compiler-generated types and methods back to the source's method.

// The first method of that name in a type; 0 when there is none.
uint32_t names_find_method(const struct names *names, uint32_t type_token, struct text name, bool dashed);
// The type that declares the method in the source: the closest enclosing type that is not a closure.
uint32_t names_host(const struct names *names, uint32_t type_token);
// The number of a lambda among those of its method, from 1.
uint32_t names_lambda_number(struct names *names, uint32_t method_token);

// names_flags.c

// enum method_flag of a MethodDef, without GENERATED and UNCERTAIN.
uint32_t names_method_flags(const struct names *names, uint32_t method_token);

// names_lookup.c

// The value blob (II.23.3) of an attribute of System.Runtime.CompilerServices; false when the token does not bear it.
bool names_attribute(const struct metadata *metadata, uint32_t token, const char *name, struct bytes *value);

// names_maker.c

// MethodDef whose body loads the address of a VB lambda, or creates an F# closure, given by its constructor; 0 when it
// is not known.
uint32_t names_maker(struct names *names, uint32_t method_token);

#endif
