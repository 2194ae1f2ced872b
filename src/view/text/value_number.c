// See value_number.h. Implements the rules of .NET's Number.Formatting.cs. The tests compare it with the output of real
// programs.
#include "view/text/value_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/text.h"

enum { DIGITS_ROOM = 40 };

static_assert(DIGITS_ROOM > 39, "2^128 has 39 digits");

// -- Floating point ---------------------------------------------------------------------------------------------------

// Decimal digits and an exponent: the number is 0.digits x 10^scale.
struct digits {
    char text[DIGITS_ROOM];
    int count, scale;
};

// Parses "d.ddde+xx", which printf writes, and drops trailing zeros.
static struct digits split(const char *scientific)
{
    struct digits digits = {0};
    const char *at = scientific;
    for (; *at && *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9' && digits.count < DIGITS_ROOM - 1) {
            digits.text[digits.count++] = *at;
        }
    }
    digits.scale = *at == 'e' ? (int)strtol(at + 1, NULL, 10) + 1 : 1;
    while (digits.count > 1 && digits.text[digits.count - 1] == '0') {
        digits.count--;
    }
    CLEW_ASSERT(digits.count > 0 && "a number has a digit");
    return digits;
}

static void write_exponent(struct buffer *into, const struct digits *digits)
{
    int exponent = digits->scale - 1;
    buffer_append(into, digits->text, 1);
    if (digits->count > 1) {
        buffer_u8(into, '.');
        buffer_append(into, digits->text + 1, (size_t)digits->count - 1);
    }
    buffer_printf(into, "E%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

// Writes digits without an exponent, with zeros where the digits do not reach the point.
static void write_plain(struct buffer *into, const struct digits *digits)
{
    if (digits->scale <= 0) {
        buffer_append(into, "0.", 2);
        for (int i = digits->scale; i < 0; i++) {
            buffer_u8(into, '0');
        }
        buffer_append(into, digits->text, (size_t)digits->count);
        return;
    }
    for (int i = 0; i < digits->scale || i < digits->count; i++) {
        if (i == digits->scale) {
            buffer_u8(into, '.');
        }
        buffer_u8(into, i < digits->count ? (uint8_t)digits->text[i] : '0');
    }
}

// .NET uses an exponent for numbers below 10^-4, and for those with more digits before the point than the type holds.
static void write_digits(struct buffer *into, const struct digits *digits, int digits_max)
{
    int most = digits->count > digits_max ? digits->count : digits_max;
    if (digits->scale > most || digits->scale < -4 + 1) {
        write_exponent(into, digits);
    } else {
        write_plain(into, digits);
    }
}

// Writes numbers without digits: NaN, the infinities, zero. False: the number has digits; only its sign was written.
static bool write_special(struct buffer *into, double number)
{
    if (isnan(number)) {
        buffer_append(into, "NaN", 3);
        return true;
    }
    if (signbit(number)) {
        buffer_u8(into, '-');
    }
    if (isinf(number)) {
        buffer_append(into, "Infinity", 8);
    } else if (number == 0) {
        buffer_u8(into, '0');
    }
    return isinf(number) || number == 0;
}

// Tries increasing precisions until the text parses back to the same number.
void value_double(struct buffer *into, double number)
{
    enum { MOST = 17 };
    char room[DIGITS_ROOM];
    if (write_special(into, number)) {
        return;
    }
    for (int precision = 0; precision < MOST; precision++) {
        (void)snprintf(room, sizeof room, "%.*e", precision, fabs(number));
        if (strtod(room, NULL) == fabs(number)) {
            break;
        }
    }
    struct digits digits = split(room);
    write_digits(into, &digits, MOST);
}

void value_float(struct buffer *into, float number)
{
    enum { MOST = 9 };
    char room[DIGITS_ROOM];
    if (write_special(into, (double)number)) {
        return;
    }
    for (int precision = 0; precision < MOST; precision++) {
        (void)snprintf(room, sizeof room, "%.*e", precision, fabs((double)number));
        if (strtof(room, NULL) == fabsf(number)) {
            break;
        }
    }
    struct digits digits = split(room);
    write_digits(into, &digits, MOST);
}

// IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 fraction bits.
static double half_of(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1F;
    double fraction = bits & 0x3FF;
    double size = exponent == 0x1F ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                  : exponent       ? ldexp(1024 + fraction, exponent - 25)
                                   : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

// The bits of the half-precision number nearest to a positive number.
static uint16_t half_bits(double number)
{
    int exponent;
    CLEW_ASSERT(number > 0);
    (void)frexp(number, &exponent);
    int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    double steps = nearbyint(ldexp(number, -unit));
    double rounded = ldexp(steps, unit);
    (void)frexp(rounded, &exponent);
    if (rounded < ldexp(1, -14)) {
        return (uint16_t)ldexp(rounded, 24);
    }
    return (uint16_t)((exponent + 14) << 10 | ((int)ldexp(rounded, 11 - exponent) & 0x3FF));
}

void value_half(struct buffer *into, uint16_t bits)
{
    enum { MOST = 5 };
    char room[DIGITS_ROOM];
    double number = half_of(bits);
    if (write_special(into, number)) {
        return;
    }
    for (int precision = 0; precision < MOST; precision++) {
        (void)snprintf(room, sizeof room, "%.*e", precision, fabs(number));
        if (half_bits(strtod(room, NULL)) == (bits & 0x7FFF)) {
            break;
        }
    }
    struct digits digits = split(room);
    write_digits(into, &digits, MOST);
}

// -- Wide integers ----------------------------------------------------------------------------------------------------

__extension__ typedef unsigned __int128 wide;

// Converts to decimal digits, last digit first. Returns how many there are.
static int wide_digits(wide number, char room[DIGITS_ROOM])
{
    int count = 0;
    do {
        room[count++] = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number);
    CLEW_ASSERT(count < DIGITS_ROOM);
    return count; // least significant first
}

void value_int128(struct buffer *into, uint64_t low, uint64_t high, bool is_signed)
{
    char room[DIGITS_ROOM];
    wide number = (wide)high << 64 | low;
    if (is_signed && high >> 63) {
        buffer_u8(into, '-');
        number = -number;
    }
    for (int i = wide_digits(number, room); i-- > 0;) {
        buffer_u8(into, (uint8_t)room[i]);
    }
}

static uint64_t word_at(const uint8_t *bytes)
{
    return read_u32(bytes) | (uint64_t)read_u32(bytes + 4) << 32;
}

// The layout of System.Decimal since .NET Core: flags (sign in bit 31, scale in bits 16 to 23), upper 32 bits, lower 64
// bits.
void value_decimal(struct buffer *into, const uint8_t bytes[16])
{
    char room[DIGITS_ROOM];
    uint32_t flags = read_u32(bytes);
    int scale = (int)(flags >> 16 & 0xFF);
    int count = wide_digits((wide)read_u32(bytes + 4) << 64 | word_at(bytes + 8), room);
    if (scale > 28) {
        buffer_printf(into, "?"); // a decimal has at most 28 decimals
        return;
    }
    while (count <= scale) {
        room[count++] = '0';
    }
    if (flags >> 31) {
        buffer_u8(into, '-');
    }
    for (int i = count; i-- > 0;) {
        buffer_u8(into, (uint8_t)room[i]);
        if (i == scale && i > 0) {
            buffer_u8(into, '.');
        }
    }
}

// -- Identifiers ------------------------------------------------------------------------------------------------------

void value_guid(struct buffer *into, const uint8_t bytes[16])
{
    buffer_printf(into, "%08x-%04x-%04x-", read_u32(bytes), read_u16(bytes + 4), read_u16(bytes + 6));
    for (int i = 8; i < 16; i++) {
        buffer_printf(into, i == 10 ? "-%02x" : "%02x", bytes[i]);
    }
}
