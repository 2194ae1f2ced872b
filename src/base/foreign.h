// Prints text from outside (names, paths, sources, values, command lines, the environment) safely: it cannot move the
// cursor, change the terminal's title, reorder the text that a reader sees, or end a line. All text formats use these
// functions, on a terminal or not; JSON has escapes of its own (view/json/json.h).
//
// Control characters, line and paragraph separators and marks of direction become \u001B, bytes that are no UTF-8 become
// \x9B. A tab stays.
#ifndef CLEW_BASE_FOREIGN_H
#define CLEW_BASE_FOREIGN_H

#include <stdio.h>

#include "base/text.h"

enum foreign_style {
    FOREIGN_TEXT,      // a backslash is doubled only where it would read as the start of one of these escapes
    FOREIGN_VALUE,     // every backslash is doubled; line breaks are \n and \r; half of a surrogate pair is U+FFFD
    FOREIGN_STRING,    // FOREIGN_VALUE for text between double quotes: \" and \t too
    FOREIGN_CHARACTER, // the same between single quotes
};

// Whether the character is one of those that FOREIGN_TEXT escapes.
bool foreign_is_forbidden(uint32_t point);

// Appends the text as the style writes it.
void foreign_append(struct buffer *into, struct text text, enum foreign_style style);
// The same to a stream. Errors show in ferror(); when memory runs out, a "?" is written instead of the text.
void foreign_write(FILE *out, struct text text, enum foreign_style style);

// Prints a formatted sentence that contains text from outside, all of it as FOREIGN_TEXT. The format must not contain line
// breaks: they would be escaped.
void foreign_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void foreign_vprint(FILE *out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#endif
