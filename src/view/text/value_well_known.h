// Structs of the framework that print like primitives: numbers, dates, times, GUIDs.
#ifndef CLEW_VIEW_VALUE_WELL_KNOWN_H
#define CLEW_VIEW_VALUE_WELL_KNOWN_H

#include "base/bytes.h"
#include "view/text/value_content.h"

// Whether the value is of such a struct and has all of its bytes. Its type must be known.
bool value_is_well_known(const struct value_content *content);
// Writes the value as ToString() does under the invariant culture. False: nothing was written, because the type is not
// one of these, or its fields have unknown names.
bool value_well_known(struct buffer *into, const struct value_content *content);

#endif
