// The bytes of a value together with its type, borrowed from an event, a box or a struct. The files value_*.c read
// values through this.
#ifndef CLEW_VIEW_VALUE_CONTENT_H
#define CLEW_VIEW_VALUE_CONTENT_H

#include "trace/site.h"

// A damaged recording can hold fewer bytes than the type needs, so access them through value_has() and
// value_number_at().
struct value_content {
    enum site_encoding encoding;
    const struct type *type; // NULL: unknown
    const uint8_t *bytes;
    uint32_t size;
    struct text tuple_names; // from the declaration of the value's place (trace/tuple_names.h)
};

// The size of a value of this encoding or type in memory. 0: the encoding alone does not determine it.
uint32_t value_encoding_size(enum site_encoding encoding);
uint32_t value_type_size(const struct type *type);

// Whether the value has `size` bytes at `offset`.
bool value_has(const struct value_content *content, uint32_t offset, uint32_t size);
// Reads the little-endian number of `size` bytes (at most 8) at `offset`. False: the value does not have all of them.
bool value_number_at(const struct value_content *content, uint32_t offset, uint32_t size, uint64_t *out);
// The value's first 8 bytes as a number, or all of them if there are fewer.
uint64_t value_bits(const struct value_content *content);

// Finds a field by name; NULL: the type has none.
const struct type_field *value_field_named(const struct type *type, const char *name);

#endif
