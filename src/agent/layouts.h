// Where the fields of value types lie, as TYPE definitions tell it.
#ifndef CLEW_AGENT_LAYOUTS_H
#define CLEW_AGENT_LAYOUTS_H

#include "agent/type_table.h"

// A value type and what the runtime says of it.
struct layout_source {
    struct module *module; // where it is defined
    uint32_t token;        // TypeDef
    const struct type_arguments *arguments;
    const struct clr_field *fields; // its own instance fields
    uint32_t field_count;
    uint32_t size; // of a value
};

// Under type_table_lock(). The fields by offset, to be freed; false when memory runs out.
bool layout_make(const struct layout_source *source, struct type_layout *out);
void layout_free(struct type_layout *layout);

// Computes the layout of a struct where it follows from metadata alone, and tells it. Returns the struct's size where it
// is known and holds no references, else 0. Under type_table_lock().
uint32_t layout_compute(uint32_t number);

#endif
