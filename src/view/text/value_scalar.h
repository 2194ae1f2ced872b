// Writes values that are a single number: primitives, characters, enums.
#ifndef CLEW_VIEW_VALUE_SCALAR_H
#define CLEW_VIEW_VALUE_SCALAR_H

#include "trace/site.h"
#include "view/text/value_style.h"

// `bits` is the value as a little-endian number. Bits above the encoding's size are ignored for signed encodings, and
// must be 0 otherwise.
void value_primitive(struct buffer *into, enum value_style style, enum site_encoding encoding, uint64_t bits);
// Writes the names of an enum's members, or else its number. `encoding` is that of the underlying type.
void value_enum(struct buffer *into, enum value_style style, const struct type *type, enum site_encoding encoding,
                uint64_t bits);

#endif
