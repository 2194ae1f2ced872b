// The numbers of types that signatures name (ECMA-335 II.23.2). A type is defined to the collector when it is first met,
// so before any site that has it.
#ifndef CLEW_AGENT_TYPE_SIGNATURES_H
#define CLEW_AGENT_TYPE_SIGNATURES_H

#include "agent/types/type_table.h"

// All of these need type_table_lock().

// The number of the type that a signature of the module states; VAR and MVAR are the type parameters of `method`, a
// MethodDef. 0: not known, or not before another module is loaded. *exact: only one class can match, in whatever load
// contexts assemblies are found.
uint32_t types_in_method(struct module *module, uint32_t method, struct bytes signature, bool *exact);

// The number of a field's type, as a signature of the module that declares the field states it; VAR are the type arguments.
uint32_t types_in_instance(struct module *module, const struct type_arguments *arguments, struct bytes signature);

// The module that defines a TypeDef or TypeRef of `module`, and the TypeDef there. False: no loaded module does.
bool types_find_definition(struct module *module, uint32_t type, struct module **defines, uint32_t *token);

#endif
