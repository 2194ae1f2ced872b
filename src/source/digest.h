// Checksums of sources and symbols, with the algorithms that .NET compilers use in portable PDBs and in module headers.
#ifndef CLEW_SOURCE_DIGEST_H
#define CLEW_SOURCE_DIGEST_H

#include <stdbool.h>

#include "base/bytes.h"

enum digest { DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA256, DIGEST_SHA384, DIGEST_SHA512 };

// Whether `hash` is the digest of the parts, one after the other.
bool digest_matches(enum digest digest, const struct bytes *parts, unsigned part_count, struct bytes hash);

#endif
