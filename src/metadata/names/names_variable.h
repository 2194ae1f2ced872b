// Names of variables as in the source. Compilers move locals and parameters into fields of closures and state machines, and
// values of properties into backing fields, and give them names of their own.
// Texts are borrowed from the metadata; nothing is allocated or cached, so any thread may call these functions.
#ifndef CLEW_METADATA_NAMES_VARIABLE_H
#define CLEW_METADATA_NAMES_VARIABLE_H

#include "base/text.h"
#include "metadata/tables/metadata.h"
#include "trace/kinds.h"

enum { VARIABLE_NO_SLOT = -1 };

struct variable_name {
    enum variable_role role; // never UNKNOWN
    struct text name;        // in the source; `this`; for VARIABLE_LINK and VARIABLE_GENERATED as compiled
    // Of a state machine's hoisted local: pdb_hoisted_scope() gives its scope by this number. Two hoisted locals of one
    // name differ in it. VARIABLE_NO_SLOT for all others.
    int32_t hoisted_slot;
};

// A local variable or a constant of a PDB; `hidden` as the PDB says.
struct variable_name names_local(struct text name, bool hidden);

// A field: a Field token, or a MemberRef of a field, as IL has them. False for other tokens.
bool names_field(const struct metadata *metadata, uint32_t token, struct variable_name *out);

// Whether a state machine keeps a value without a name in this field while it waits, such as the first operand of
// `user + await password()`.
bool names_is_spill(const struct metadata *metadata, uint32_t token);

// The same field, looked up in the module.
struct field_reference {
    const struct metadata *metadata;
    uint32_t token; // Field, or 0 where another module has it
    uint32_t type;  // TypeDef or TypeRef that holds it
    struct text name;
    struct bytes signature; // its type as it is declared, type parameters included; from modifiers on
};
// False for other tokens.
bool names_field_reference(const struct metadata *metadata, uint32_t token, struct field_reference *out);
// The Field token of a TypeDef's field of this name, as in metadata; 0 when there is none.
uint32_t names_find_field(const struct metadata *metadata, uint32_t type_token, struct text name);

// The property or event of an accessor: `Password` for `get_Password` and for `Shop.IUser.set_Password`. For any other method
// its own name without the interface. *sets: it is `set_`.
struct text names_member(struct text method_name, bool *sets);

// A parameter of a method, counted from 1, `this` not among them. False when it has no name.
bool names_parameter(const struct metadata *metadata, uint32_t method_token, uint32_t number,
                     struct variable_name *out);

// Whether a type is a closure or a state machine: its objects hold variables of a running method, and `this` in its
// methods is not the source's `this`.
bool names_holds_variables(const struct metadata *metadata, uint32_t type_token);

// The names of tuple elements in the type of a field, parameter, result or property (its TupleElementNamesAttribute),
// to be taken off by names_tuple_next(). False when there are none. Those of locals are in the PDB:
// PDB_CUSTOM_TUPLE_NAMES. Which element has which name: names_tuple.h.
bool names_tuple(const struct metadata *metadata, uint32_t token, struct bytes *out);
// One for each element within the type, in depth-first order; empty for one without a name.
bool names_tuple_next(struct bytes *names, struct text *out);

#endif
