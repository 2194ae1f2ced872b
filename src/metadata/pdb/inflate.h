// Unpacking raw deflate (RFC 1951), as embedded PDBs and sources are packed.
#ifndef CLEW_METADATA_INFLATE_H
#define CLEW_METADATA_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

// Unpacks the first `size` bytes of what `packed` holds. MALFORMED when it holds fewer or is no deflate stream up to
// there, NO_MEMORY when the 40 KiB that this takes are not to be had; `out` then holds anything.
enum clew_error inflate_raw(struct bytes packed, uint8_t *out, size_t size);

#endif
