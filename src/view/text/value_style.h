// The three styles in which the names and texts within a value are written.
#ifndef CLEW_VIEW_VALUE_STYLE_H
#define CLEW_VIEW_VALUE_STYLE_H

#include "base/bytes.h"
#include "base/text.h"

enum value_style {
    VALUE_STYLE_JSON,  // escapes line breaks and backslashes; the JSON writer adds its own escapes
    VALUE_STYLE_LINE,  // as FOREIGN_VALUE (base/foreign.h): for the format `lines`
    VALUE_STYLE_STORY, // as in C# source: for people
};

// Writes a name from the program.
void value_style_name(struct buffer *into, enum value_style style, struct text name);
// Writes a type's name, in a story without namespaces.
void value_style_type(struct buffer *into, enum value_style style, struct text name);
// Writes the text of a string (mark '"') or a character (mark '\''). In a story it is quoted, with C#'s escapes. The
// result is one line; half of a surrogate pair becomes U+FFFD. `cut` appends "...".
void value_style_quoted(struct buffer *into, enum value_style style, struct text text, char mark, bool cut);

#endif
