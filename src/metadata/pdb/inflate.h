// Unpacking raw deflate (RFC 1951), as embedded PDBs and sources are packed.
#ifndef CLEW_METADATA_INFLATE_H
#define CLEW_METADATA_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

// Unpacks the first `size` bytes of the stream. MALFORMED: it is shorter or not a deflate stream up to there. NO_MEMORY: the
// 40 KiB of working memory could not be allocated. On failure the content of `out` is undefined.
enum clew_error inflate_raw(struct bytes packed, uint8_t *out, size_t size);

#endif
