// The map is a small JSON document, {"documents": {"/src/*": "https://host/*"}}. One pass over it keeps the best entry
// so far. Source of facts: source-link.md of dotnet/designs; RFC 8259 (JSON); RFC 3986 (escapes in addresses).
#include "collector/sources/source_link.h"

#include <strings.h>

enum { DEPTH_MAX = 32, HEX_DIGITS = 4 };

static void skip_space(struct bytes *at)
{
    while (bytes_left(at) && memchr(" \t\r\n", *at->at, 4)) {
        (void)bytes_skip(at, 1); // there is one
    }
}

// Skips white space, then takes the wanted character of the grammar.
static bool take(struct bytes *at, char wanted)
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

static bool take_string(struct bytes *at, struct buffer *out)
{
    uint8_t byte;
    buffer_clear(out);
    if (!take(at, '"')) {
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
    if (take(at, end)) {
        return true;
    }
    do {
        if (object && (!take_string(at, scratch) || !take(at, ':'))) {
            return false;
        }
        if (!skip_value(at, scratch, depth)) {
            return false;
        }
    } while (take(at, ','));
    return take(at, end);
}

static bool skip_value(struct bytes *at, struct buffer *scratch, unsigned depth)
{
    skip_space(at);
    if (bytes_left(at) == 0 || depth == DEPTH_MAX) {
        return false;
    }
    if (*at->at == '"') {
        return take_string(at, scratch);
    }
    bool object = take(at, '{');
    if (object || take(at, '[')) {
        return skip_items(at, object, scratch, depth + 1);
    }
    size_t before = bytes_left(at);
    while (bytes_left(at) && !memchr(",]} \t\r\n", *at->at, 7)) { // a number, true, false or null
        (void)bytes_skip(at, 1);                                  // there is one
    }
    return bytes_left(at) < before;
}

// The search for the address of one document.
struct search {
    struct text document;
    struct buffer key, value; // the current entry
    size_t best;              // 1 + length of the best key so far; 0: no key fits yet
    struct buffer *address;   // the address by the best key is appended here
    size_t start;             // its offset in *address
};

static bool fits(struct text document, struct text key, bool prefix)
{
    return (prefix ? document.size >= key.size : document.size == key.size) &&
           strncasecmp(document.at, key.at, key.size) == 0;
}

// Appends the part of the path that the asterisk matches, with the separators and escapes of an address.
static void append_escaped(struct text rest, struct buffer *out)
{
    for (size_t i = 0; i < rest.size; i++) {
        char c = rest.at[i];
        bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
        if (plain || c == '\\') {
            buffer_u8(out, c == '\\' ? '/' : (uint8_t)c);
        } else {
            buffer_printf(out, "%%%02X", (unsigned)(uint8_t)c);
        }
    }
}

static void note_entry(struct search *search)
{
    struct text key = {(const char *)search->key.data, search->key.size};
    struct text value = {(const char *)search->value.data, search->value.size};
    bool prefix = key.size && key.at[key.size - 1] == '*';
    size_t specific = key.size + 1;
    key.size -= prefix;
    const char *star = value.size ? memchr(value.at, '*', value.size) : NULL;
    if (specific <= search->best || prefix != (star != NULL) || !fits(search->document, key, prefix)) {
        return;
    }
    search->best = specific;
    search->address->size = search->start;
    if (!star) {
        buffer_append(search->address, value.at, value.size);
        return;
    }
    size_t before = (size_t)(star - value.at);
    buffer_append(search->address, value.at, before);
    append_escaped((struct text){search->document.at + key.size, search->document.size - key.size}, search->address);
    buffer_append(search->address, star + 1, value.size - before - 1);
}

static bool read_documents(struct bytes *at, struct search *search)
{
    if (!take(at, '{')) {
        return false;
    }
    if (take(at, '}')) {
        return true;
    }
    do {
        if (!take_string(at, &search->key) || !take(at, ':') || !take_string(at, &search->value)) {
            return false;
        }
        note_entry(search);
    } while (take(at, ','));
    return take(at, '}');
}

static bool read_map(struct bytes *at, struct search *search)
{
    if (bytes_left(at) >= 3 && memcmp(at->at, "\xEF\xBB\xBF", 3) == 0) {
        (void)bytes_skip(at, 3); // a byte order mark
    }
    if (!take(at, '{')) {
        return false;
    }
    do {
        if (!take_string(at, &search->key) || !take(at, ':')) {
            return false;
        }
        struct text key = {(const char *)search->key.data, search->key.size};
        if (!(text_equal(key, text_of("documents")) ? read_documents(at, search) : skip_value(at, &search->value, 0))) {
            return false;
        }
    } while (take(at, ','));
    return take(at, '}');
}

bool source_link_find(struct bytes map, struct text document, struct buffer *out)
{
    struct search search = {.document = document, .address = out, .start = out->size};
    bool good = read_map(&map, &search) && search.best;
    out->failed |= search.key.failed || search.value.failed;
    good = good && !out->failed;
    if (!good) {
        out->size = search.start;
    }
    buffer_free(&search.key);
    buffer_free(&search.value);
    return good;
}
