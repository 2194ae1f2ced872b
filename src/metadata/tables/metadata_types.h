// Types as the tables of one module describe them: names, kinds, the members of enums, and the scope of types of other
// modules. Texts are borrowed from the metadata. A type of another module cannot be described from here: the caller has
// to resolve it.
#ifndef CLEW_METADATA_METADATA_TYPES_H
#define CLEW_METADATA_METADATA_TYPES_H

#include "metadata/tables/metadata.h"

enum type_def_kind {
    TYPE_DEF_CLASS,
    TYPE_DEF_INTERFACE,
    TYPE_DEF_DELEGATE,
    TYPE_DEF_STRUCT,
    TYPE_DEF_REF_STRUCT,
    TYPE_DEF_ENUM,
};

struct type_def {
    struct text space, name; // of a nested type no space; the name as in metadata, with its arity
    uint32_t outer;          // TypeDef that it is nested in, or 0
    enum type_def_kind kind;
    uint8_t underlying; // of an enum: enum element of its integer type; 0 when malformed
    bool flags;         // of an enum: it has [Flags]
};

// False for a token that is no TypeDef of the module.
bool type_def_of(const struct metadata *metadata, uint32_t token, struct type_def *out);
// Finds a TypeDef by its enclosing type (0: none), namespace and name; 0 when there is none. Linear in the number of types.
uint32_t type_def_find(const struct metadata *metadata, uint32_t outer, struct text space, struct text name);
// Finds a method of a TypeDef (0: none) by its name and the beginning of its signature, which may be empty; 0 when there is none.
uint32_t type_def_find_method(const struct metadata *metadata, uint32_t type, struct text name, struct bytes signature);
// The AssemblyRef that this assembly forwards a top-level type to (ECMA-335 II.22.14); 0 when it is not forwarded.
uint32_t type_def_forwarded(const struct metadata *metadata, struct text space, struct text name);

// The number behind the backtick in a type's name: how many type parameters the type declares in addition to those of its
// enclosing types. *own (may be NULL): the name before the backtick.
uint32_t type_name_arity(struct text name, struct text *own);

struct type_ref {
    struct text space, name;
    uint32_t scope; // AssemblyRef, ModuleRef or Module, or the TypeRef that it is nested in; 0 when it is not known
};

bool type_ref_of(const struct metadata *metadata, uint32_t token, struct type_ref *out);

// The constants of an enum, in the order of their rows. Values are sign-extended where the underlying type is signed.
struct enum_members {
    const struct metadata *metadata;
    struct metadata_range fields; // still to come
};
struct enum_member {
    struct text name;
    int64_t value;
};
struct enum_members enum_members_of(const struct metadata *metadata, uint32_t type_token);
bool enum_members_next(struct enum_members *members, struct enum_member *out);

#endif
