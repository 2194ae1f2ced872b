// Values that are a number: primitives, characters and enums.
#ifndef CLEW_VIEW_VALUE_SCALAR_H
#define CLEW_VIEW_VALUE_SCALAR_H

#include "trace/site.h"
#include "view/text/value_style.h"

// `bits` is the value's little-endian number; those above its size do not count, except where it has no sign.
void value_primitive(struct buffer *into, enum value_style style, enum site_encoding encoding, uint64_t bits);
// The names of an enum's members, else its number. `encoding` is that of the type under the enum.
void value_enum(struct buffer *into, enum value_style style, const struct type *type, enum site_encoding encoding,
                uint64_t bits);

#endif
