// Digests against known ones, at every length around the borders of blocks.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <string.h>

#include "base/digest.h"

static const char *hex(enum digest_kind kind, const void *text, size_t size)
{
    static char out[2 * DIGEST_SIZE_MAX + 1];
    uint8_t raw[DIGEST_SIZE_MAX];
    size_t length = digest(kind, bytes_of(text, size), raw);
    for (size_t i = 0; i < length; i++) {
        (void)snprintf(out + 2 * i, 3, "%02x", raw[i]);
    }
    return out;
}

// The examples of RFC 1321 and of FIPS 180.
static void standards_examples(void **state)
{
    (void)state;
    static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_string_equal(hex(DIGEST_MD5, NULL, 0), "d41d8cd98f00b204e9800998ecf8427e");
    assert_string_equal(hex(DIGEST_MD5, "abc", 3), "900150983cd24fb0d6963f7d28e17f72");
    assert_string_equal(
        hex(DIGEST_MD5, "12345678901234567890123456789012345678901234567890123456789012345678901234567890", 80),
        "57edf4a22be3c955ac49da2e2107b67a");
    assert_string_equal(hex(DIGEST_SHA1, "abc", 3), "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_string_equal(hex(DIGEST_SHA1, long_text, 56), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    assert_string_equal(hex(DIGEST_SHA256, NULL, 0),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hex(DIGEST_SHA256, "abc", 3),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(hex(DIGEST_SHA256, long_text, 56),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// The digest of the digests of 0, 1, 2 ... 199 bytes, as Python's hashlib says.
static void every_length(void **state)
{
    (void)state;
    static const char *const expected[] = {[DIGEST_MD5] = "5888db5e2708288c2a7748f58c083d7f",
                                           [DIGEST_SHA1] = "65a89e3aacfbd0b7df374e2e2eba2705f2b60cbd",
                                           [DIGEST_SHA256] =
                                               "c35f81543da6e2384825e12b996f63d2d2a652971625973989db4ef4660e027b"};
    uint8_t text[200], all[200 * DIGEST_SIZE_MAX];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)(i * 7 + 1);
    }
    for (enum digest_kind kind = DIGEST_MD5; kind <= DIGEST_SHA256; kind++) {
        size_t size = 0;
        for (size_t length = 0; length < sizeof text; length++) {
            size += digest(kind, bytes_of(text, length), all + size);
        }
        assert_string_equal(hex(kind, all, size), expected[kind]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standards_examples),
        cmocka_unit_test(every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
