// Text from outside (names, paths, sources, values, command lines, the environment) as it may be printed: nothing in it
// can move a cursor, change a title, reorder what is read, or end a line. All text formats write it through here, on a
// terminal or not; JSON has escapes of its own (view/json/json.h).
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
// The same to a stream. Errors show in ferror(); without memory a "?" stands for the text.
void foreign_write(FILE *out, struct text text, enum foreign_style style);

// A sentence with foreign words in it, all of it written as FOREIGN_TEXT: it has no line breaks of its own.
void foreign_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void foreign_vprint(FILE *out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#endif
