// The bytes of a value where they lie, with its type: what the files of values read from.
#ifndef CLEW_VIEW_VALUE_CONTENT_H
#define CLEW_VIEW_VALUE_CONTENT_H

#include "trace/site.h"

// Borrowed. A damaged recording may hold fewer bytes than the type wants: ask value_has() or read by value_number_at().
struct value_content {
    enum site_encoding encoding;
    const struct type *type; // NULL: not known
    const uint8_t *bytes;
    uint32_t size;
    struct text tuple_names; // as declared where the value is (trace/tuple_names.h)
};

// How many bytes a value takes in memory; 0: its type knows.
uint32_t value_encoding_size(enum site_encoding encoding);
uint32_t value_type_size(const struct type *type);

// Whether the value has `size` bytes from `offset` on.
bool value_has(const struct value_content *content, uint32_t offset, uint32_t size);
// The little-endian number in `size` bytes, at most 8, from `offset` on; false: the value does not have them all.
bool value_number_at(const struct value_content *content, uint32_t offset, uint32_t size, uint64_t *out);
// The value as a number: its first 8 bytes, or all where it has fewer.
uint64_t value_bits(const struct value_content *content);

// NULL: the type has no field of that name.
const struct type_field *value_field_named(const struct type *type, const char *name);

#endif
