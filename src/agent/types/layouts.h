// Where the fields of value types lie, as TYPE definitions tell it.
#ifndef CLEW_AGENT_LAYOUTS_H
#define CLEW_AGENT_LAYOUTS_H

#include "agent/types/type_table.h"

// A value type and what the runtime says of it.
struct layout_source {
    struct module *module; // where it is defined
    uint32_t token;        // TypeDef
    const struct type_arguments *arguments;
    const struct clr_field *fields; // its own instance fields
    uint32_t field_count;
    uint32_t size; // of a value
};

// Under type_table_lock(). The fields as declared, to be freed; false when memory runs out.
bool layout_make(const struct layout_source *source, struct type_layout *out);
void layout_free(struct type_layout *layout);

// Whether a value of the type has a field whose name says that it is left out (settings_redact()), or a struct with such a
// field. Under type_table_lock().
bool layout_hides(uint32_t number);
// Whether it may, by what the type's own metadata says: quick, for a type that has no number. Under no lock.
bool layout_may_hide(const struct module *module, uint32_t token);
// The bytes of a value that hold what is left out, a bit each, low bits first. A struct within is left out as a whole.
// Under type_table_lock().
enum { LAYOUT_MASK_BYTES = 256 };
void layout_mask(const struct layout_source *source, uint64_t mask[LAYOUT_MASK_BYTES / 64]);

// Computes the layout of a struct where it follows from metadata alone, and tells it. Returns the struct's size where it
// is known and holds neither references nor what is left out, else 0. Under type_table_lock().
uint32_t layout_compute(uint32_t number);

#endif
