// The bytes of a source file as the compiler reads them: which encoding they are in, and where lines and columns begin.
#ifndef CLEW_MODEL_SOURCE_TEXT_H
#define CLEW_MODEL_SOURCE_TEXT_H

#include "base/text.h"

// Appends the file as UTF-8 without byte order mark. A mark says UTF-8, UTF-16 or UTF-32; without one a file is UTF-8 if all
// of it is well-formed, else Windows-1252.
void source_text_decode(struct buffer *into, struct text file);

// The size of the line break at the start of UTF-8 text; 0: there is none. Compilers break lines at CR, LF, CR LF, NEL, LS
// and PS.
size_t source_text_break(struct text text);

// Where a column of symbols begins in a line of UTF-8, in bytes. Columns count from 1 and are units of UTF-16. SIZE_MAX: the
// line ends before it.
size_t source_text_offset(struct text line, uint32_t column);

#endif
