#include "base/text.h"

#include <stdio.h>

#include "base/assert.h"

bool text_equal(struct text a, struct text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

int text_compare(struct text a, struct text b)
{
    size_t shorter = a.size < b.size ? a.size : b.size;
    int order = shorter ? memcmp(a.at, b.at, shorter) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct text text_trimmed(struct text text)
{
    while (text.size && is_blank(text.at[0])) {
        text = text_from(text, 1);
    }
    while (text.size && is_blank(text.at[text.size - 1])) {
        text.size--;
    }
    return text;
}

bool text_starts(struct text text, const char *prefix)
{
    size_t size = strlen(prefix);
    return text.size >= size && memcmp(text.at, prefix, size) == 0;
}

bool text_ends(struct text text, const char *suffix)
{
    size_t size = strlen(suffix);
    return text.size >= size && memcmp(text.at + text.size - size, suffix, size) == 0;
}

bool text_matches(struct text text, struct text pattern)
{
    // Greedy with one point of return: the last star swallows one character more each time the rest fails.
    size_t t = 0, p = 0, star = SIZE_MAX, resume = 0;
    while (t < text.size) {
        if (p < pattern.size && pattern.at[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size && (pattern.at[p] == '?' || pattern.at[p] == text.at[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.at[p] == '*') {
        p++;
    }
    return p == pattern.size;
}

static struct text take_until(struct text *text, char end)
{
    const char *at = text->size ? memchr(text->at, end, text->size) : NULL;
    struct text taken = {text->at, at ? (size_t)(at - text->at) : text->size};
    size_t used = taken.size + (at != NULL);
    CLEW_ASSERT(used <= text->size);
    *text = text_from(*text, used);
    return taken;
}

bool text_take_line(struct text *text, struct text *line)
{
    bool any = text->size > 0;
    *line = take_until(text, '\n');
    return any;
}

struct text text_take_word(struct text *text)
{
    return take_until(text, ' ');
}

size_t text_character(struct text text, uint32_t *point)
{
    // Well-formed UTF-8 (Unicode Standard, table 3-7): the first byte determines the size and the range of the second
    // byte, which excludes overlong forms, surrogates and code points above U+10FFFF.
    static const struct {
        uint8_t first_low, first_high, second_low, second_high;
        uint8_t size;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                 {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    const uint8_t *at = (const uint8_t *)text.at;
    *point = text.size ? at[0] : 0;
    if (text.size == 0 || at[0] < 0x80) {
        return text.size > 0;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (at[0] < forms[i].first_low || at[0] > forms[i].first_high || text.size < forms[i].size) {
            continue;
        }
        bool whole = at[1] >= forms[i].second_low && at[1] <= forms[i].second_high;
        *point = at[0] & (0x7Fu >> forms[i].size);
        for (size_t j = 1; j < forms[i].size; j++) {
            whole = whole && (at[j] & 0xC0) == 0x80;
            *point = *point << 6 | (at[j] & 0x3F);
        }
        return whole ? forms[i].size : 0;
    }
    return 0;
}

void buffer_text(struct buffer *buffer, const char *terminated)
{
    buffer_append(buffer, terminated, strlen(terminated));
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size > 0) {
        // vsnprintf() writes a NUL behind the text, which does not become part of it.
        uint8_t *start = buffer_extend(buffer, (size_t)size + 1);
        if (start) {
            (void)vsnprintf((char *)start, (size_t)size + 1, format, again);
            buffer->size--;
        }
    }
    va_end(again);
}

void buffer_character(struct buffer *buffer, uint32_t point)
{
    CLEW_ASSERT(point <= 0x10FFFF);
    if (point < 0x80) {
        buffer_u8(buffer, (uint8_t)point);
    } else if (point < 0x800) {
        buffer_u8(buffer, (uint8_t)(0xC0 | point >> 6));
        buffer_u8(buffer, (uint8_t)(0x80 | (point & 0x3F)));
    } else if (point < 0x10000) {
        buffer_u8(buffer, (uint8_t)(0xE0 | point >> 12));
        buffer_u8(buffer, (uint8_t)(0x80 | (point >> 6 & 0x3F)));
        buffer_u8(buffer, (uint8_t)(0x80 | (point & 0x3F)));
    } else {
        buffer_u8(buffer, (uint8_t)(0xF0 | point >> 18));
        buffer_u8(buffer, (uint8_t)(0x80 | (point >> 12 & 0x3F)));
        buffer_u8(buffer, (uint8_t)(0x80 | (point >> 6 & 0x3F)));
        buffer_u8(buffer, (uint8_t)(0x80 | (point & 0x3F)));
    }
}

// `strict`: an unpaired surrogate becomes U+FFFD; else it is encoded like any other number (WTF-8).
static void append_units(struct buffer *buffer, const uint16_t *units, size_t count, bool strict)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t point = units[i];
        if (point >= 0xD800 && point < 0xE000) {
            bool pair = point < 0xDC00 && i + 1 < count && units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000;
            uint32_t lone = strict ? 0xFFFD : point;
            point = pair ? 0x10000 + ((point - 0xD800) << 10) + (units[++i] - 0xDC00u) : lone;
        }
        buffer_character(buffer, point);
    }
}

void buffer_utf16(struct buffer *buffer, const uint16_t *units, size_t count)
{
    append_units(buffer, units, count, true);
}

void buffer_wtf16(struct buffer *buffer, const uint16_t *units, size_t count)
{
    append_units(buffer, units, count, false);
}

void buffer_sized_text(struct buffer *buffer, struct text text)
{
    buffer_varint(buffer, text.size);
    buffer_append(buffer, text.at, text.size);
}

bool bytes_sized_text(struct bytes *bytes, struct text *out)
{
    struct bytes before = *bytes;
    struct bytes content;
    uint64_t size;
    if (!bytes_varint(bytes, &size) || !bytes_take(bytes, size, &content)) {
        *bytes = before;
        return false;
    }
    *out = (struct text){(const char *)content.at, bytes_left(&content)};
    return true;
}
