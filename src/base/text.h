// Borrowed text: comparison, patterns, conversions. All text is UTF-8; bytes from outside may be malformed UTF-8.
#ifndef CLEW_BASE_TEXT_H
#define CLEW_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

// Borrowed; not NUL-terminated.
struct text {
    const char *at;
    size_t size;
};

static inline struct text text_of(const char *terminated)
{
    return (struct text){terminated, terminated ? strlen(terminated) : 0};
}

// The content of a buffer; empty if the buffer has failed.
static inline struct text text_in(const struct buffer *buffer)
{
    return (struct text){(const char *)buffer->data, buffer->failed ? 0 : buffer->size};
}

// The rest of the text from `start` on, which is at most its size.
static inline struct text text_from(struct text text, size_t start)
{
    CLEW_ASSERT(start <= text.size);
    return (struct text){start ? text.at + start : text.at, text.size - start}; // NULL + 0 is undefined
}

bool text_equal(struct text a, struct text b);
// By bytes: less than, equal to or more than 0. A text comes after its own beginning.
int text_compare(struct text a, struct text b);
bool text_starts(struct text text, const char *prefix);
bool text_ends(struct text text, const char *suffix);

// `*` matches any run of characters (dots too), `?` exactly one character; everything else itself.
bool text_matches(struct text text, struct text pattern);

// Without spaces, tabs and carriage returns at both ends.
struct text text_trimmed(struct text text);
// Removes the first line from the text, and returns it without its line break; false at the end.
bool text_take_line(struct text *text, struct text *line);
// Removes and returns the text before the first blank, and removes the blank; all of it if there is no blank.
struct text text_take_word(struct text *text);

// Decodes the character at the start of the text. Returns its size in bytes; 0 when the text is empty or malformed there.
size_t text_character(struct text text, uint32_t *point);

void buffer_text(struct buffer *buffer, const char *terminated);
// Appends one character as UTF-8.
void buffer_character(struct buffer *buffer, uint32_t point);
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Appends UTF-16 (native order) as UTF-8; lone surrogates become U+FFFD.
void buffer_utf16(struct buffer *buffer, const uint16_t *units, size_t count);
// The same as WTF-8, for texts that need not be text: a lone surrogate becomes the three bytes that its value asks for.
void buffer_wtf16(struct buffer *buffer, const uint16_t *units, size_t count);

// Length-prefixed (varint) text, and back as a borrowed view.
void buffer_sized_text(struct buffer *buffer, struct text text);
bool bytes_sized_text(struct bytes *bytes, struct text *out);

#endif
