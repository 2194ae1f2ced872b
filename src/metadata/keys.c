// See keys.h.
#include "metadata/keys.h"

#include <string.h>

// A public key is told by the eight bytes of its modulus that come first in the blob; references name it by its token.
struct known_key {
    const char *token;
    uint8_t modulus[8];
    uint8_t key;
};

enum { MODULUS_AT = 32, TOKEN_SIZE = 8 };

static const struct known_key keys[] = {
    {"b03f5f7f11d50a3a", {0x07, 0xD1, 0xFA, 0x57, 0xC4, 0xAE, 0xD9, 0xF0}, KEY_FRAMEWORK},
    {"cc7b13ffcd2ddd51", {0x4B, 0x86, 0xC4, 0xCB, 0x78, 0x54, 0x9B, 0x34}, KEY_FRAMEWORK}, // .NET Foundation
    {"7cec85d7bea7798e", {0}, KEY_FRAMEWORK},                                              // the core library
    {"b77a5c561934e089", {0}, KEY_FRAMEWORK},                                              // ECMA: mscorlib, System
    {"31bf3856ad364e35", {0xB5, 0xFC, 0x90, 0xE7, 0x02, 0x7F, 0x67, 0x87}, KEY_MICROSOFT},
    {"adb9793829ddae60", {0xF3, 0x3A, 0x29, 0x04, 0x4F, 0xA9, 0xD7, 0x40}, KEY_MICROSOFT}, // ASP.NET Core
    {"8d05b1bb7a6fdb6c", {0x25, 0x2E, 0x04, 0x9A, 0xDD, 0xEA, 0x87, 0xF3}, KEY_XUNIT},
    {"2638cd05610744eb", {0x31, 0xEE, 0xA3, 0x70, 0xB1, 0x98, 0x4B, 0xFA}, KEY_NUNIT},
    {"4cb40d35494691ac", {0x29, 0xB9, 0x7D, 0xEA, 0x81, 0x62, 0x72, 0xCC}, KEY_NUNIT}, // its adapter
    {"6fe0a02d2036aa1d", {0x51, 0x71, 0xB5, 0x9E, 0x93, 0x2A, 0xA5, 0x3A}, KEY_NUNIT}, // its engine
};

static bool is_token(struct bytes blob, const char *token)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < TOKEN_SIZE; i++) {
        if (token[2 * i] != digits[blob.at[i] >> 4] || token[2 * i + 1] != digits[blob.at[i] & 0xF]) {
            return false;
        }
    }
    return true;
}

// Of a public key, or of a token, which has its size.
static unsigned key_of(struct bytes blob)
{
    static const uint8_t none[sizeof keys->modulus];
    size_t size = bytes_left(&blob);
    if (size == 0) {
        return KEY_UNSIGNED;
    }
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        const uint8_t *modulus = keys[i].modulus;
        bool told = memcmp(modulus, none, sizeof none) != 0 && size >= MODULUS_AT + sizeof none;
        if ((size == TOKEN_SIZE && is_token(blob, keys[i].token)) ||
            (told && memcmp(blob.at + MODULUS_AT, modulus, sizeof none) == 0)) {
            return keys[i].key;
        }
    }
    return 0;
}

unsigned key_of_assembly(const struct metadata *metadata)
{
    return key_of(metadata_blob(metadata, metadata_column(metadata, TABLE_ASSEMBLY, 1, ASSEMBLY_KEY)));
}

unsigned key_of_reference(const struct metadata *metadata, uint32_t row)
{
    return key_of(metadata_blob(metadata, metadata_column(metadata, TABLE_ASSEMBLY_REF, row, ASSEMBLY_REF_KEY)));
}
