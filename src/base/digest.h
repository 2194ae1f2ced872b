// The hashes that symbols name sources by: to see whether a file is the one that was compiled, not to keep secrets.
// Source of facts: RFC 1321 (MD5), FIPS 180-4 (SHA-1, SHA-256).
#ifndef CLEW_BASE_DIGEST_H
#define CLEW_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum digest_kind { DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA256 };
enum { DIGEST_SIZE_MAX = 32 };

// Writes the digest of content and returns its size in bytes.
size_t digest(enum digest_kind kind, struct bytes content, uint8_t out[DIGEST_SIZE_MAX]);

#endif
