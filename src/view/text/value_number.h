// Writes numbers and GUIDs as .NET's invariant culture does.
#ifndef CLEW_VIEW_VALUE_NUMBER_H
#define CLEW_VIEW_VALUE_NUMBER_H

#include "base/bytes.h"

// Write the shortest text that parses back to the same number. value_half() takes the bits of a System.Half.
void value_double(struct buffer *into, double number);
void value_float(struct buffer *into, float number);
void value_half(struct buffer *into, uint16_t bits);
void value_int128(struct buffer *into, uint64_t low, uint64_t high, bool is_signed);
// Writes a System.Decimal from its bytes in memory.
void value_decimal(struct buffer *into, const uint8_t bytes[16]);
void value_guid(struct buffer *into, const uint8_t bytes[16]);

#endif
