// Unpacking raw deflate (RFC 1951), as embedded PDBs and sources are packed.
#ifndef CLEW_METADATA_INFLATE_H
#define CLEW_METADATA_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

// Unpacks the first `size` bytes of what `packed` holds. False when it holds fewer, when it is no deflate stream up to
// there, or when memory runs out (40 KiB are needed); `out` then holds anything.
bool inflate_raw(struct bytes packed, uint8_t *out, size_t size);

#endif
