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

// The same with dates as ISO 8601 has them: "2024-12-31T23:59:59Z" (UTC), "2024-12-31T23:59:59+01:00", "2024-12-31".
bool value_well_known_iso(struct buffer *into, const struct value_content *content);

#endif
