// Answers the questions of the planner about the type of a value: how its sites encode it, and how woven code stores it.
#ifndef CLEW_AGENT_VALUE_TYPES_H
#define CLEW_AGENT_VALUE_TYPES_H

#include "agent/types/type_table.h"

// A type by its signature.
struct known_type {
    uint32_t number; // 0: not known, or not before another module is loaded
    enum type_kind kind;
    enum site_encoding encoding; // of a value of it
    uint32_t size;               // bytes of a struct that woven code can store by itself (layout_compute()), else 0
    bool wide;                   // a struct with more fields than the JIT holds in registers
    bool exact;                  // a struct whose number belongs to one class only, in whatever load context
};

// The type that a signature of the module states; VAR and MVAR are the type parameters of `method`, a MethodDef. Takes
// type_table_lock().
struct known_type types_of_signature(struct module *module, uint32_t method, struct bytes signature);

// Appends the names that the source code gives to tuple items in a field's type (trace/tuple_names.h). `token` is the Field
// or MemberRef by which the module's IL refers to the field; the names are found in any loaded module that defines it.
// Appends nothing if there are none. Takes type_table_lock().
void types_tuple_names(struct module *module, uint32_t token, struct buffer *out);

#endif
