// The map is a small JSON document, {"documents": {"/src/*": "https://host/*"}}. One pass over it keeps the best entry
// so far. Source of facts: source-link.md of dotnet/designs; RFC 3986 (escapes in addresses).
#include "collector/sources/source_link.h"

#include <strings.h>

#include "base/json_scan.h"

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
    if (!json_scan_take(at, '{')) {
        return false;
    }
    if (json_scan_take(at, '}')) {
        return true;
    }
    do {
        if (!json_scan_string(at, &search->key) || !json_scan_take(at, ':') || !json_scan_string(at, &search->value)) {
            return false;
        }
        note_entry(search);
    } while (json_scan_take(at, ','));
    return json_scan_take(at, '}');
}

static bool read_map(struct bytes *at, struct search *search)
{
    json_scan_skip_mark(at);
    if (!json_scan_take(at, '{')) {
        return false;
    }
    do {
        if (!json_scan_string(at, &search->key) || !json_scan_take(at, ':')) {
            return false;
        }
        struct text key = {(const char *)search->key.data, search->key.size};
        if (!(text_equal(key, text_of("documents")) ? read_documents(at, search)
                                                    : json_scan_skip(at, &search->value))) {
            return false;
        }
    } while (json_scan_take(at, ','));
    return json_scan_take(at, '}');
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
