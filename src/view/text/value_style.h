// The three ways in which names, strings and characters are written into a value.
#ifndef CLEW_VIEW_VALUE_STYLE_H
#define CLEW_VIEW_VALUE_STYLE_H

#include "base/bytes.h"
#include "base/text.h"

enum value_style {
    VALUE_STYLE_JSON,  // line breaks and backslashes escaped; JSON's own escapes are added later
    VALUE_STYLE_LINE,  // as FOREIGN_VALUE (base/foreign.h) writes it
    VALUE_STYLE_STORY, // for people, as C# writes it
};

// A name from the program.
void value_style_name(struct buffer *into, enum value_style style, struct text name);
// The name of a type: in a story without namespaces.
void value_style_type(struct buffer *into, enum value_style style, struct text name);
// The text of a string (mark '"') or a character (mark '\''), in a story between marks and with C#'s escapes. It stays on one
// line; half of a surrogate pair becomes U+FFFD. Text that is cut is followed by "...".
void value_style_quoted(struct buffer *into, enum value_style style, struct text text, char mark, bool cut);

#endif
