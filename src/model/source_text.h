// Reads the bytes of a source file as compilers do: which encoding they have, and where lines and columns begin.
// Sequence points give lines and columns (Portable PDB specification), so a difference would cut statements in wrong
// places.
#ifndef CLEW_MODEL_SOURCE_TEXT_H
#define CLEW_MODEL_SOURCE_TEXT_H

#include "base/text.h"
#include "trace/kinds.h"

// Appends the file as UTF-8 without a byte order mark. A mark selects UTF-8, UTF-16 or UTF-32. Without one, the file is
// UTF-8 if all of it is well-formed, and Windows-1252 otherwise.
void source_text_decode(struct buffer *into, struct text file);

// The size of the line break at the start of UTF-8 text; 0: there is none. Lines of C# and Visual Basic break at CR, LF,
// CR LF, NEL, LS and PS, those of F# at LF and CR LF alone. Other languages are taken for C#.
size_t source_text_break(struct text text, enum source_language language);

// The byte in a line of UTF-8 at which a column of a sequence point begins. Columns count UTF-16 units from 1.
// SIZE_MAX: the line is shorter.
size_t source_text_offset(struct text line, uint32_t column);

#endif
