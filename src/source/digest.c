// Checksums by libmd; no other file uses it.
#include "source/digest.h"

#include <md5.h>
#include <sha1.h>
#include <sha2.h>
#include <string.h>

union context {
    MD5_CTX md5;
    SHA1_CTX sha1;
    SHA2_CTX sha2;
};

// libmd has the same three functions for each digest, on different types.
#define STEPS(X)                                         \
    X(DIGEST_MD5, MD5, md5, MD5_DIGEST_LENGTH)           \
    X(DIGEST_SHA1, SHA1, sha1, SHA1_DIGEST_LENGTH)       \
    X(DIGEST_SHA256, SHA256, sha2, SHA256_DIGEST_LENGTH) \
    X(DIGEST_SHA384, SHA384, sha2, SHA384_DIGEST_LENGTH) \
    X(DIGEST_SHA512, SHA512, sha2, SHA512_DIGEST_LENGTH)

static void begin(enum digest digest, union context *context)
{
    switch (digest) {
#define X(which, prefix, member, length) \
    case which:                          \
        prefix##Init(&context->member);  \
        break;
        STEPS(X)
#undef X
    }
}

static void add(enum digest digest, union context *context, struct bytes part)
{
    size_t size = bytes_left(&part);
    switch (digest) {
#define X(which, prefix, member, length)                 \
    case which:                                          \
        prefix##Update(&context->member, part.at, size); \
        break;
        STEPS(X)
#undef X
    }
}

static size_t finish(enum digest digest, union context *context, uint8_t *out)
{
    switch (digest) {
#define X(which, prefix, member, length)      \
    case which:                               \
        prefix##Final(out, &context->member); \
        return length;
        STEPS(X)
#undef X
    }
    return 0;
}

bool digest_matches(enum digest digest, const struct bytes *parts, unsigned part_count, struct bytes hash)
{
    union context context;
    uint8_t result[SHA512_DIGEST_LENGTH];
    begin(digest, &context);
    for (unsigned i = 0; i < part_count; i++) {
        if (bytes_left(&parts[i])) {
            add(digest, &context, parts[i]);
        }
    }
    size_t size = finish(digest, &context, result);
    return size == bytes_left(&hash) && memcmp(result, hash.at, size) == 0;
}
