// What the sites of a value need to know of its type.
#ifndef CLEW_AGENT_VALUE_TYPES_H
#define CLEW_AGENT_VALUE_TYPES_H

#include "agent/types/type_table.h"

// What is known of a type by its signature.
struct known_type {
    uint32_t number; // 0: not known, as yet: of another module that is not loaded
    enum type_kind kind;
    enum site_encoding encoding; // of a value of it
    uint32_t size;               // of a struct without references whose layout is known; 0: of no such one
    bool wide;                   // a struct of more fields than the JIT keeps apart from each other
    bool exact; // a struct for which no other class can have this number, in whatever context assemblies are loaded
};

// The type that a signature in the module's scope states; VAR and MVAR are those of `method`, a MethodDef.
struct known_type types_of_signature(struct module *module, uint32_t method, struct bytes signature);

// Appends what the source calls the items of tuples in a field's type (trace/tuple_names.h), where the module names the field
// in IL and any loaded module defines it; nothing when there is nothing to say.
void types_tuple_names(struct module *module, uint32_t token, struct buffer *out);

#endif
