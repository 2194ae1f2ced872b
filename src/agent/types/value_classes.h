// Value types as the runtime loads them. Probes that meet a struct need two facts beforehand: which of its bytes are
// redacted (class_masks), and, since a value carries no type, which method table belongs to the type number at the site
// (class_tables). Both are set in the runtime's callback, before any code that uses the class can run.
#ifndef CLEW_AGENT_VALUE_CLASSES_H
#define CLEW_AGENT_VALUE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "clr/profiling.h"

// ClassLoadFinished, in preemptive mode. Publishes the redacted bytes of a value type, and the method table of a ref struct
// and of each type that value_classes_expect() was called for. Remembers value types that are never unloaded, because the
// layouts of structs around them are reported with theirs.
void value_classes_loaded(clr_id class);

// From now on the method table of the struct with this number, for which known_type.exact holds, is in class_tables before
// code that uses the struct runs. False: classes have no numbers in this session, or memory ran out. Must not be called
// under type_table_lock().
bool value_classes_expect(uint32_t number);

#endif
