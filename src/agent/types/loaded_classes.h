// The value types that the runtime has loaded and will never unload, by the TypeDef that defines them. Two facts are looked
// up here that the runtime does not answer by type: which classes are instances of a TypeDef, and whether probes expect to
// find their method tables. Guarded by a lock of its own, LOCK_LOADS.
#ifndef CLEW_AGENT_LOADED_CLASSES_H
#define CLEW_AGENT_LOADED_CLASSES_H

#include "agent/types/type_table.h"

// Adds a class that is an instance of a TypeDef of the module. Returns whether loaded_class_expect() was called for that
// TypeDef.
bool loaded_class_add(clr_id class, clr_id module, uint32_t token);
// Enumerates the classes that may be instances of the type's TypeDef, the newest first. *position is 0 before the first
// call. Returns 0 after the last. The caller checks the number of each: hashes may collide, and type arguments differ.
clr_id loaded_class_next(const struct type_entry *type, uint32_t *position);
// From now on loaded_class_add() returns true for this TypeDef. False: memory ran out.
bool loaded_class_expect(clr_id module, uint32_t token);

#endif
