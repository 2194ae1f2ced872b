// Layouts of value types as TYPE definitions report them: name, offset and type of each field.
#ifndef CLEW_AGENT_LAYOUTS_H
#define CLEW_AGENT_LAYOUTS_H

#include "agent/types/instance_fields.h"

// Lists the fields in the order of the source code. A redacted field has type_redacted() as its type; the single field of
// a buffer is repeated for each item. The caller ends the layout by layout_free(). False: memory ran out. Needs
// type_table_lock().
bool layout_make(const struct layout_source *source, struct type_layout *out);
void layout_free(struct type_layout *layout);

// How many items the InlineArrayAttribute of the type declares; 0: it has none.
uint32_t layout_inline_count(const struct layout_source *source);

#endif
