// See json_scan.h. Source of facts: RFC 8259.
#include "base/json_scan.h"

#include "base/text.h"

enum { DEPTH_MAX = 32, HEX_DIGITS = 4 };

static void skip_space(struct bytes *at)
{
    while (bytes_left(at) && memchr(" \t\r\n", *at->at, 4)) {
        (void)bytes_skip(at, 1); // there is one
    }
}

bool json_scan_take(struct bytes *at, char wanted)
{
    skip_space(at);
    return bytes_left(at) && *at->at == (uint8_t)wanted && bytes_skip(at, 1);
}

static bool take_hex(struct bytes *at, uint16_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < HEX_DIGITS; i++) {
        static const char digits[] = "0123456789abcdef";
        uint8_t byte;
        const char *digit =
            bytes_u8(at, &byte) && byte ? strchr(digits, byte >= 'A' && byte <= 'F' ? byte | 0x20 : byte) : NULL;
        if (!digit) {
            return false;
        }
        *out = (uint16_t)(*out << 4 | (digit - digits));
    }
    return true;
}

// Takes the rest of an escape sequence, behind its backslash.
static bool take_escape(struct bytes *at, struct buffer *out)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    uint16_t units[2];
    uint8_t letter;
    if (!bytes_u8(at, &letter)) {
        return false;
    }
    const char *known = letter ? strchr(letters, letter) : NULL;
    if (known) {
        buffer_u8(out, (uint8_t)values[known - letters]);
        return true;
    }
    if (letter != 'u' || !take_hex(at, &units[0])) {
        return false;
    }
    struct bytes second = *at;
    bool pair = (units[0] & 0xFC00) == 0xD800 && bytes_left(at) > 2 && memcmp(at->at, "\\u", 2) == 0 &&
                bytes_skip(&second, 2) && take_hex(&second, &units[1]);
    if (pair) {
        *at = second;
    }
    buffer_utf16(out, units, pair ? 2 : 1);
    return true;
}

bool json_scan_string(struct bytes *at, struct buffer *out)
{
    uint8_t byte;
    buffer_clear(out);
    if (!json_scan_take(at, '"')) {
        return false;
    }
    while (bytes_u8(at, &byte)) {
        if (byte == '"') {
            return !out->failed;
        }
        if (byte != '\\') {
            buffer_u8(out, byte);
        } else if (!take_escape(at, out)) {
            return false;
        }
    }
    return false;
}

static bool skip_value(struct bytes *at, struct buffer *scratch, unsigned depth);

// Skips the members of an object or the items of an array, behind its opening bracket.
static bool skip_items(struct bytes *at, bool object, struct buffer *scratch, unsigned depth)
{
    char end = object ? '}' : ']';
    if (json_scan_take(at, end)) {
        return true;
    }
    do {
        if (object && (!json_scan_string(at, scratch) || !json_scan_take(at, ':'))) {
            return false;
        }
        if (!skip_value(at, scratch, depth)) {
            return false;
        }
    } while (json_scan_take(at, ','));
    return json_scan_take(at, end);
}

static bool skip_value(struct bytes *at, struct buffer *scratch, unsigned depth)
{
    skip_space(at);
    if (bytes_left(at) == 0 || depth == DEPTH_MAX) {
        return false;
    }
    if (*at->at == '"') {
        return json_scan_string(at, scratch);
    }
    bool object = json_scan_take(at, '{');
    if (object || json_scan_take(at, '[')) {
        return skip_items(at, object, scratch, depth + 1);
    }
    size_t before = bytes_left(at);
    while (bytes_left(at) && !memchr(",]} \t\r\n", *at->at, 7)) { // a number, true, false or null
        (void)bytes_skip(at, 1);                                  // there is one
    }
    return bytes_left(at) < before;
}

bool json_scan_skip(struct bytes *at, struct buffer *scratch)
{
    return skip_value(at, scratch, 0);
}

void json_scan_skip_mark(struct bytes *at)
{
    if (bytes_left(at) >= 3 && memcmp(at->at, "\xEF\xBB\xBF", 3) == 0) {
        (void)bytes_skip(at, 3);
    }
}

bool json_scan_member(struct bytes *at, struct buffer *key)
{
    return (json_scan_take(at, '{') || json_scan_take(at, ',')) && json_scan_string(at, key) && json_scan_take(at, ':');
}

bool json_scan_find(struct bytes *at, const char *wanted, struct buffer *scratch)
{
    while (json_scan_member(at, scratch)) {
        if (text_equal(text_in(scratch), text_of(wanted))) {
            return true;
        }
        if (!json_scan_skip(at, scratch)) {
            return false;
        }
    }
    return false;
}
