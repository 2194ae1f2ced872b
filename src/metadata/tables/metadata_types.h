// What a module's tables say of its types: names, kinds, the members of enums, and where other modules' types are to be
// found. One module at a time; texts are borrowed from the metadata.
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
    uint8_t underlying; // of an enum: enum element; 0 when its tables say nothing that may be one
    bool flags;         // of an enum: it has [Flags]
};

// False for a token that is no TypeDef of the module.
bool type_def_of(const struct metadata *metadata, uint32_t token, struct type_def *out);
// A TypeDef by the one it is nested in (0: none), its namespace and its name; 0 when there is none. Looks at all rows.
uint32_t type_def_find(const struct metadata *metadata, uint32_t outer, struct text space, struct text name);
// Whether an instance of it is in this module's assembly or elsewhere: the AssemblyRef that a top-level type is forwarded
// to (ECMA-335 II.22.14), or 0.
uint32_t type_def_forwarded(const struct metadata *metadata, struct text space, struct text name);

// The number behind the backtick of a type's name: how many type parameters the type declares beside those of its outer
// types. *own is the name in front of the backtick; NULL where it is not wanted.
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
