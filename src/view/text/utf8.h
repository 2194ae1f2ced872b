// Text from outside for formats that must be UTF-8.
#ifndef CLEW_VIEW_UTF8_H
#define CLEW_VIEW_UTF8_H

#include "base/text.h"

// Appends the text; each byte that is not part of a character becomes U+FFFD.
void utf8_append(struct buffer *into, struct text text);

#endif
