// The width of text on a terminal, where East Asian characters take two columns and combining characters none. Tables
// align by it.
#ifndef CLEW_VIEW_COLUMNS_H
#define CLEW_VIEW_COLUMNS_H

#include "base/text.h"

// The width of UTF-8 text that foreign_append() has produced. A character unknown to the C library counts as one
// column.
size_t columns_of(struct text text);
// The longest prefix that takes at most `most` columns, never half a character. It borrows from `text`.
struct text columns_cut(struct text text, size_t most);

#endif
