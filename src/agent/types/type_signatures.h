// Types of values: numbered as they are met, the same number for the same type wherever it is named, and defined to the
// collector before the first site that uses one.
#ifndef CLEW_AGENT_TYPE_SIGNATURES_H
#define CLEW_AGENT_TYPE_SIGNATURES_H

#include "agent/types/type_table.h"

// All of these need type_table_lock().
// The number of the type that a signature in the module's scope states; VAR and MVAR are those of `method`, a MethodDef. 0: it
// is not known, as yet. *exact: no other class can be meant, wherever assemblies are found.
uint32_t types_in_method(struct module *module, uint32_t method, struct bytes signature, bool *exact);

// The number of the type of a field, as a signature in its type's module states it; VAR are what the type is given.
uint32_t types_in_instance(struct module *module, const struct type_arguments *arguments, struct bytes signature);

// Where a TypeDef or TypeRef of the module is defined. False: in no module that is loaded.
bool types_find_definition(struct module *module, uint32_t type, struct module **defines, uint32_t *token);

#endif
