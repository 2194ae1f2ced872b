// How wide text is on a terminal, where characters of East Asian scripts take two columns and combining ones none.
#ifndef CLEW_VIEW_COLUMNS_H
#define CLEW_VIEW_COLUMNS_H

#include "base/text.h"

// Of UTF-8 that has been through foreign_append(). A character that the C library does not know takes one column.
size_t columns_of(struct text text);
// As much of the text's start as takes at most `most` columns, never half a character.
struct text columns_cut(struct text text, size_t most);

#endif
