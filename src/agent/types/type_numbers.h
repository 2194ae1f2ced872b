// The number of each kind of type: primitives, arrays and pointers, classes and structs, type parameters. Each function
// builds the key, the name and the definition of a type and looks it up in the registry (type_table.h), which reports it
// to the collector at the first time. All need type_table_lock(). They return 0 when memory or numbers run out, or when
// the parts describe no type.
#ifndef CLEW_AGENT_TYPE_NUMBERS_H
#define CLEW_AGENT_TYPE_NUMBERS_H

#include "agent/types/type_table.h"

// A type with an enum element of its own: integers, floating point, string, object, void, TypedReference.
uint32_t type_primitive(uint8_t element, const struct type_report *report);
// An array, pointer or byref of the inner type. The suffix ends its name and distinguishes arrays by their rank.
uint32_t type_around(uint8_t element, uint32_t inner, const char *suffix, const struct type_report *report);
// A TypeDef with its type arguments. Without arguments a generic type means all its instances.
uint32_t type_defined(struct module *module, uint32_t token, const struct type_arguments *arguments,
                      const struct type_report *report);
// The parts of a number that type_defined() returned. False: another function returned it.
bool type_definition_of(uint32_t number, struct module **module, uint32_t *token, struct type_arguments *arguments);
// Reports a type that type_defined() returned once more, with its layout.
void type_report_layout(uint32_t number, const struct type_layout *layout);
// A class known by a TypeRef alone, because the module that defines it is not loaded.
uint32_t type_absent(const struct module *module, uint32_t token, const struct type_arguments *arguments);
// The type parameter in a row of GenericParam.
uint32_t type_parameter(const struct module *module, uint32_t row);
uint32_t type_function_pointer(void);
// The type that a redacted field has in a layout.
uint32_t type_redacted(void);
// A class about which the runtime gives no information.
uint32_t type_unreadable(const struct type_report *report);

#endif
