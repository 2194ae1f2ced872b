// See page_query.h. The text comes from a client: every byte of it may be wrong.
#include "view/page/page_query.h"

#include "base/assert.h"

static int hexadecimal(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    char letter = (char)(digit | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// Appends a part of the text to `decoded`, which has room for it. False: a '%' without two digits.
static bool decode(struct buffer *decoded, struct text part, struct text *out)
{
    size_t begin = decoded->size;
    for (size_t i = 0; i < part.size; i++) {
        char byte = part.at[i];
        if (byte == '%') {
            int high = i + 2 < part.size ? hexadecimal(part.at[i + 1]) : -1;
            int low = i + 2 < part.size ? hexadecimal(part.at[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            byte = (char)(high << 4 | low);
            i += 2;
        }
        buffer_u8(decoded, (uint8_t)byte);
    }
    *out = (struct text){(const char *)decoded->data + begin, decoded->size - begin};
    return !decoded->failed;
}

bool page_query_text(const struct page_query *query, const char *key, struct text *out)
{
    for (uint32_t i = 0; i < query->count; i++) {
        if (text_equal(query->list[i].key, text_of(key))) {
            *out = query->list[i].value;
            return true;
        }
    }
    return false;
}

static bool is_known(const struct page_query *query, struct text key)
{
    bool known = false;
    for (uint32_t i = 0; i < query->count; i++) {
        known = known || text_equal(query->list[i].key, key);
    }
    return known;
}

static bool take_parameter(struct page_query *query, struct text part)
{
    const char *equals = memchr(part.at, '=', part.size);
    if (!equals || query->count == PAGE_PARAMETERS_MAX) {
        return false;
    }
    size_t size = (size_t)(equals - part.at);
    struct text key, value;
    if (!decode(&query->decoded, (struct text){part.at, size}, &key) ||
        !decode(&query->decoded, (struct text){equals + 1, part.size - size - 1}, &value) || is_known(query, key)) {
        return false;
    }
    query->list[query->count].key = key;
    query->list[query->count++].value = value;
    return true;
}

bool page_query_parse(struct page_query *query, struct text text)
{
    *query = (struct page_query){0};
    if (text.size == 0) {
        return true;
    }
    // The decoded texts are no longer than the encoded ones: with this room, they do not move.
    if (!buffer_extend(&query->decoded, text.size)) {
        return false;
    }
    buffer_clear(&query->decoded);
    while (text.size > 0) {
        const char *end = memchr(text.at, '&', text.size);
        size_t size = end ? (size_t)(end - text.at) : text.size;
        if (!take_parameter(query, (struct text){text.at, size})) {
            return false;
        }
        size += end != NULL;
        text = (struct text){text.at + size, text.size - size};
    }
    CLEW_ASSERT(query->decoded.size <= query->decoded.capacity && query->count > 0);
    return true;
}

void page_query_free(struct page_query *query)
{
    buffer_free(&query->decoded);
}

bool page_query_digits(struct text *text, uint64_t *out)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < text->size && text->at[i] >= '0' && text->at[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(text->at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *text = (struct text){text->at + i, text->size - i};
    *out = value;
    return i > 0;
}

uint64_t page_query_number(const struct page_query *query, const char *key, uint64_t otherwise, uint64_t most,
                           bool *bad)
{
    struct text text;
    uint64_t value;
    if (!page_query_text(query, key, &text)) {
        return otherwise;
    }
    if (!page_query_digits(&text, &value) || text.size > 0 || value > most) {
        *bad = true;
        return otherwise;
    }
    return value;
}

bool page_query_means(struct text sent, struct text recorded)
{
    static const struct text replacement = {"\xEF\xBF\xBD", 3};
    while (recorded.size > 0) {
        uint32_t point;
        size_t size = text_character(recorded, &point);
        struct text wanted = size ? (struct text){recorded.at, size} : replacement;
        if (sent.size < wanted.size || memcmp(sent.at, wanted.at, wanted.size) != 0) {
            return false;
        }
        sent = (struct text){sent.at + wanted.size, sent.size - wanted.size};
        recorded = (struct text){recorded.at + (size ? size : 1), recorded.size - (size ? size : 1)};
    }
    return sent.size == 0;
}

const struct text *page_query_unknown(const struct page_query *query, const char *keys)
{
    for (uint32_t i = 0; i < query->count; i++) {
        struct text words = text_of(keys);
        bool known = false;
        while (words.size > 0 && !known) {
            known = text_equal(text_take_word(&words), query->list[i].key);
        }
        if (!known) {
            return &query->list[i].key;
        }
    }
    return NULL;
}
