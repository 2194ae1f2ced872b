// See source_text.h.
#include "model/source_text.h"

// Whether all of the text is well-formed. Text of Windows-1252 with letters beyond ASCII hardly ever is.
static bool is_utf8(struct text text)
{
    uint32_t point;
    for (size_t size; text.size > 0; text = text_from(text, size)) {
        size = text_character(text, &point);
        if (size == 0) {
            return false;
        }
    }
    return true;
}

// Windows-1252 differs from Latin-1 in the bytes 0x80 to 0x9F. Its five unassigned bytes map to themselves.
static uint32_t windows_1252(uint8_t byte)
{
    static const uint16_t points[32] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                        0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
    return byte >= 0x80 && byte < 0xA0 ? points[byte - 0x80] : byte;
}

// One unit of UTF-16 or UTF-32, 2 or 4 bytes, in either byte order.
static uint32_t unit_at(const char *at, size_t size, bool big_endian)
{
    uint32_t unit = 0;
    for (size_t i = 0; i < size; i++) {
        unit = unit << 8 | (uint8_t)at[big_endian ? i : size - 1 - i];
    }
    return unit;
}

static bool is_surrogate(uint32_t point)
{
    return point >= 0xD800 && point < 0xE000;
}

// Half a surrogate pair becomes U+FFFD, as in compilers.
static void decode_utf16(struct buffer *into, struct text text, bool big_endian)
{
    for (; text.size >= 2 && !into->failed; text = text_from(text, 2)) {
        uint32_t point = unit_at(text.at, 2, big_endian);
        uint32_t next = text.size >= 4 ? unit_at(text.at + 2, 2, big_endian) : 0;
        if (point >= 0xD800 && point < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            point = 0x10000 + ((point - 0xD800) << 10) + (next - 0xDC00);
            text = text_from(text, 2);
        }
        buffer_character(into, is_surrogate(point) ? 0xFFFD : point);
    }
}

static void decode_utf32(struct buffer *into, struct text text, bool big_endian)
{
    for (; text.size >= 4 && !into->failed; text = text_from(text, 4)) {
        uint32_t point = unit_at(text.at, 4, big_endian);
        buffer_character(into, point > 0x10FFFF || is_surrogate(point) ? 0xFFFD : point);
    }
}

static bool starts(struct text text, const char *mark, size_t size)
{
    return text.size >= size && memcmp(text.at, mark, size) == 0;
}

void source_text_decode(struct buffer *into, struct text file)
{
    if (starts(file, "\xEF\xBB\xBF", 3)) {
        buffer_append(into, file.at + 3, file.size - 3);
    } else if (starts(file, "\xFF\xFE\0\0", 4) || starts(file, "\0\0\xFE\xFF", 4)) {
        decode_utf32(into, text_from(file, 4), file.at[0] == 0);
    } else if (starts(file, "\xFF\xFE", 2) || starts(file, "\xFE\xFF", 2)) {
        decode_utf16(into, text_from(file, 2), (uint8_t)file.at[0] == 0xFE);
    } else if (is_utf8(file)) {
        buffer_append(into, file.at, file.size);
    } else {
        for (size_t i = 0; i < file.size && !into->failed; i++) {
            buffer_character(into, windows_1252((uint8_t)file.at[i]));
        }
    }
}

size_t source_text_break(struct text text, enum source_language language)
{
    uint32_t point;
    size_t size = text_character(text, &point);
    bool pair = size && point == '\r' && text.size > 1 && text.at[1] == '\n';
    bool separator = point == '\r' || point == 0x85 || point == 0x2028 || point == 0x2029;
    bool breaks = point == '\n' || (separator && language != LANGUAGE_FSHARP);
    return pair ? 2 : breaks ? size : 0;
}

// Whether the next eight bytes are ASCII, tested with one comparison.
static bool is_ascii(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return (bytes & 0x8080808080808080u) == 0;
}

size_t source_text_offset(struct text line, uint32_t column)
{
    uint32_t units = 1, point;
    size_t at = 0;
    for (; units + 8 <= column && at + 8 <= line.size && is_ascii(line.at + at); units += 8) {
        at += 8;
    }
    while (units < column && at < line.size) {
        bool plain = (uint8_t)line.at[at] < 0x80;
        size_t size = plain ? 1 : text_character(text_from(line, at), &point);
        units += size == 4 ? 2 : 1;
        at += size ? size : 1; // compilers read an invalid byte as one character, U+FFFD
    }
    return units < column ? SIZE_MAX : at;
}
