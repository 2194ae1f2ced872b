// Checksums of known texts, in one or several parts.
#include "source/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { HASH_MAX = 64 };

// Digests of "abc" from RFC 1321, RFC 3174 and FIPS 180.
static const struct {
    enum digest digest;
    const char *hash;
} known[] = {
    {DIGEST_MD5, "900150983cd24fb0d6963f7d28e17f72"},
    {DIGEST_SHA1, "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {DIGEST_SHA256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {DIGEST_SHA384, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                    "8086072ba1e7cc2358baeca134c825a7"},
    {DIGEST_SHA512, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
};
enum { KNOWN = sizeof known / sizeof *known };

static struct bytes hash_of(const char *digits, uint8_t *room)
{
    size_t size = strlen(digits) / 2;
    for (size_t i = 0; i < size; i++) {
        room[i] = 0;
        for (int k = 0; k < 2; k++) {
            char digit = digits[2 * i + (size_t)k];
            room[i] = (uint8_t)(room[i] << 4 | (digit <= '9' ? digit - '0' : digit - 'a' + 10));
        }
    }
    return bytes_of(room, size);
}

static void every_kind_has_its_known_sum(void **state)
{
    (void)state;
    uint8_t room[HASH_MAX];
    const struct bytes whole = bytes_of("abc", 3);
    const struct bytes parts[] = {bytes_of("a", 1), bytes_of(NULL, 0), bytes_of("bc", 2)};
    for (size_t i = 0; i < KNOWN; i++) {
        struct bytes hash = hash_of(known[i].hash, room);
        assert_true(digest_matches(known[i].digest, &whole, 1, hash));
        assert_true(digest_matches(known[i].digest, parts, 3, hash));
        assert_false(digest_matches(known[i].digest, parts, 2, hash));
    }
}

static void any_changed_byte_and_any_other_size_differ(void **state)
{
    (void)state;
    uint8_t room[HASH_MAX + 1] = {0};
    const struct bytes whole = bytes_of("abc", 3);
    for (size_t i = 0; i < KNOWN; i++) {
        struct bytes hash = hash_of(known[i].hash, room);
        size_t size = bytes_left(&hash);
        for (size_t at = 0; at < size; at++) {
            room[at] ^= 1;
            assert_false(digest_matches(known[i].digest, &whole, 1, hash));
            room[at] ^= 1;
        }
        assert_false(digest_matches(known[i].digest, &whole, 1, bytes_of(room, size - 1)));
        assert_false(digest_matches(known[i].digest, &whole, 1, bytes_of(room, size + 1)));
        assert_false(digest_matches(known[i].digest, &whole, 1, bytes_of(room, 0)));
        assert_false(digest_matches(known[(i + 1) % KNOWN].digest, &whole, 1, hash));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_known_sum),
        cmocka_unit_test(any_changed_byte_and_any_other_size_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
