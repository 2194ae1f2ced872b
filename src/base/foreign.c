// Escapes text from outside. An escaped text can be read back without doubt: a backslash of the text itself is doubled
// wherever a single one could be taken for the start of an escape.
#include "base/foreign.h"

#include <stdlib.h>

// The control characters C0 and C1, DEL, line and paragraph separators, and the marks that change the direction of text
// (Unicode Standard Annex 9).
bool foreign_is_forbidden(uint32_t point)
{
    return (point < 0x20 && point != '\t') || (point >= 0x7F && point < 0xA0) || point == 0x061C || point == 0x200E ||
           point == 0x200F || (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

// The number of leading characters that no style escapes. Most texts consist of these, and are copied in one piece.
static size_t plain_size(struct text text)
{
    size_t size = 0;
    while (size < text.size && text.at[size] >= ' ' && text.at[size] < 0x7F && text.at[size] != '\\' &&
           text.at[size] != '"' && text.at[size] != '\'') {
        size++;
    }
    return size;
}

static bool is_hexadecimal(struct text text, size_t digits)
{
    for (size_t i = 0; i < digits; i++) {
        if (i >= text.size || !memchr("0123456789abcdefABCDEF", text.at[i], 22)) {
            return false;
        }
    }
    return true;
}

// Whether a single backslash before this text could be taken for an escape.
static bool reads_as_escape(struct text after)
{
    uint32_t point;
    if (after.size == 0) {
        return false;
    }
    if (*after.at == 'u' || *after.at == 'x') {
        return is_hexadecimal(text_from(after, 1), *after.at == 'u' ? 4 : 2);
    }
    return text_character(after, &point) == 0 || foreign_is_forbidden(point);
}

// Appends the backslashes at the start of the text, either all doubled or none: in a run, a single doubled one would be
// ambiguous. Returns their number.
static size_t append_backslashes(struct buffer *into, struct text text, bool all)
{
    size_t count = 0;
    while (count < text.size && text.at[count] == '\\') {
        count++;
    }
    bool twice = all || count > 1 || reads_as_escape(text_from(text, count));
    for (size_t i = 0; i < count; i++) {
        buffer_text(into, twice ? "\\\\" : "\\");
    }
    return count;
}

// Whether the text begins with an unpaired surrogate in WTF-8, as strings of the program may contain.
static bool lone_surrogate(struct text text)
{
    return text.size >= 3 && (uint8_t)text.at[0] == 0xED && (uint8_t)text.at[1] >= 0xA0;
}

// Appends the escape of the style for a character, if the style has one beyond those of FOREIGN_TEXT; else false.
static bool append_quoted(struct buffer *into, uint32_t point, enum foreign_style style)
{
    bool quoted = style == FOREIGN_STRING || style == FOREIGN_CHARACTER;
    uint32_t mark = style == FOREIGN_STRING ? '"' : '\'';
    char letter = style == FOREIGN_TEXT     ? 0
                  : point == '\n'           ? 'n'
                  : point == '\r'           ? 'r'
                  : quoted && point == '\t' ? 't'
                  : quoted && point == mark ? (char)mark
                                            : 0;
    if (letter) {
        buffer_u8(into, '\\');
        buffer_u8(into, (uint8_t)letter);
    }
    return letter != 0;
}

// Appends the next character, or a malformed byte. Returns the number of bytes consumed.
static size_t append_character(struct buffer *into, struct text text, enum foreign_style style)
{
    uint32_t point;
    size_t size = text_character(text, &point);
    if (*text.at == '\\') {
        return append_backslashes(into, text, style != FOREIGN_TEXT);
    }
    if (size == 0 && style != FOREIGN_TEXT && lone_surrogate(text)) {
        buffer_text(into, "\xEF\xBF\xBD");
        return 3;
    }
    if (size == 0) {
        buffer_printf(into, "\\x%02X", (uint8_t)*text.at);
        return 1;
    }
    if (!append_quoted(into, point, style)) {
        if (foreign_is_forbidden(point)) {
            buffer_printf(into, "\\u%04X", point);
        } else {
            buffer_append(into, text.at, size);
        }
    }
    return size;
}

void foreign_append(struct buffer *into, struct text text, enum foreign_style style)
{
    while (text.size > 0 && !into->failed) {
        size_t plain = plain_size(text);
        buffer_append(into, text.at, plain);
        text = text_from(text, plain);
        if (text.size > 0) {
            text = text_from(text, append_character(into, text, style));
        }
    }
}

void foreign_write(FILE *out, struct text text, enum foreign_style style)
{
    size_t plain = plain_size(text);
    struct buffer rest = {0};
    if (text.size == 0) {
        return; // it may be nowhere
    }
    (void)fwrite(text.at, 1, plain, out); // errors show in ferror()
    if (plain == text.size) {
        return;
    }
    foreign_append(&rest, text_from(text, plain), style);
    if (rest.failed) {
        (void)fputc('?', out);
    } else {
        (void)fwrite(rest.data, 1, rest.size, out);
    }
    buffer_free(&rest);
}

void foreign_vprint(FILE *out, const char *format, va_list arguments)
{
    char *sentence;
    int size = vasprintf(&sentence, format, arguments);
    if (size < 0) {
        (void)fputc('?', out);
        return;
    }
    foreign_write(out, (struct text){sentence, (size_t)size}, FOREIGN_TEXT);
    free(sentence);
}

void foreign_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    foreign_vprint(out, format, arguments);
    va_end(arguments);
}
