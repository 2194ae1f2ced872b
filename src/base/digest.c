#include "base/digest.h"

#include <stdbool.h>
#include <string.h>

// All three work on blocks of 64 bytes and end with a one bit, zeros, and the length in bits.
enum { BLOCK = 64, LENGTH = 8 };

struct form {
    size_t size; // of the digest
    bool big_endian;
    uint32_t start[8];
    void (*mix)(uint32_t state[8], const uint32_t words[16]);
};

static uint32_t rotate_left(uint32_t value, uint32_t by)
{
    return value << by | value >> (32 - by);
}

static uint32_t rotate_right(uint32_t value, uint32_t by)
{
    return rotate_left(value, 32 - by);
}

static void mix_md5(uint32_t state[8], const uint32_t words[16])
{
    static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint32_t sines[64] = {
        // 2^32 times the sine of 1, 2, 3 ...
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t round = i / 16;
        uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                         : round == 1 ? (b & d) | (c & ~d)
                         : round == 2 ? b ^ c ^ d
                                      : c ^ (b | ~d);
        uint32_t word = words[(round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i) % 16];
        uint32_t next = b + rotate_left(a + mixed + sines[i] + word, turns[round][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

static void mix_sha1(uint32_t state[8], const uint32_t words[16])
{
    static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t wide[80];
    memcpy(wide, words, 16 * sizeof *wide);
    for (uint32_t i = 16; i < 80; i++) {
        wide[i] = rotate_left(wide[i - 3] ^ wide[i - 8] ^ wide[i - 14] ^ wide[i - 16], 1);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (uint32_t i = 0; i < 80; i++) {
        uint32_t round = i / 20;
        uint32_t mixed = round == 0 ? (b & c) | (~b & d) : round == 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        uint32_t next = rotate_left(a, 5) + mixed + e + constants[round] + wide[i];
        e = d;
        d = c;
        c = rotate_left(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

static void mix_sha256(uint32_t state[8], const uint32_t words[16])
{
    static const uint32_t constants[64] = {
        // fractions of the cube roots of the first primes
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t wide[64], now[8];
    memcpy(wide, words, 16 * sizeof *wide);
    for (uint32_t i = 16; i < 64; i++) {
        uint32_t early = wide[i - 15], late = wide[i - 2];
        wide[i] = wide[i - 16] + (rotate_right(early, 7) ^ rotate_right(early, 18) ^ early >> 3) + wide[i - 7] +
                  (rotate_right(late, 17) ^ rotate_right(late, 19) ^ late >> 10);
    }
    memcpy(now, state, sizeof now);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t e = now[4], a = now[0];
        uint32_t first = now[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                         ((e & now[5]) ^ (~e & now[6])) + constants[i] + wide[i];
        uint32_t second = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                          ((a & now[1]) ^ (a & now[2]) ^ (now[1] & now[2]));
        memmove(now + 1, now, 7 * sizeof *now);
        now[4] += first;
        now[0] = first + second;
    }
    for (uint32_t i = 0; i < 8; i++) {
        state[i] += now[i];
    }
}

static const struct form forms[] = {
    [DIGEST_MD5] = {16, false, {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, mix_md5},
    [DIGEST_SHA1] = {20, true, {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, mix_sha1},
    [DIGEST_SHA256] = {32,
                       true,
                       {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                       mix_sha256},
};

static void mix_block(const struct form *form, uint32_t state[8], const uint8_t *block)
{
    uint32_t words[16];
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t word = read_u32(block + i * 4);
        words[i] = form->big_endian ? __builtin_bswap32(word) : word;
    }
    form->mix(state, words);
}

size_t digest(enum digest_kind kind, struct bytes content, uint8_t out[DIGEST_SIZE_MAX])
{
    const struct form *form = &forms[kind];
    uint64_t bits = (uint64_t)bytes_left(&content) * 8;
    uint8_t last[2 * BLOCK] = {0};
    uint32_t state[8];
    struct bytes block;
    memcpy(state, form->start, sizeof state);
    while (bytes_take(&content, BLOCK, &block)) {
        mix_block(form, state, block.at);
    }
    size_t left = bytes_left(&content), end = left + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK;
    if (left > 0) {
        memcpy(last, content.at, left);
    }
    last[left] = 0x80;
    for (uint32_t i = 0; i < LENGTH; i++) {
        last[end - LENGTH + i] = (uint8_t)(bits >> 8 * (form->big_endian ? LENGTH - 1 - i : i));
    }
    for (size_t at = 0; at < end; at += BLOCK) {
        mix_block(form, state, last + at);
    }
    for (uint32_t i = 0; i < form->size; i++) {
        out[i] = (uint8_t)(state[i / 4] >> 8 * (form->big_endian ? 3 - i % 4 : i % 4));
    }
    return form->size;
}
