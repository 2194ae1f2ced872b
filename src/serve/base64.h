// Base64 (RFC 4648, section 4).
#ifndef CLEW_SERVE_BASE64_H
#define CLEW_SERVE_BASE64_H

#include "base/bytes.h"

// Appends the bytes as base64, padded. Pieces whose sizes are multiples of 3 can be appended one after the other.
void base64_append(struct buffer *into, const void *data, size_t size);

#endif
