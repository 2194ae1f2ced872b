// Text on a terminal, in as many columns as it has: cut, padded, indented, broken between words, in colour.
#ifndef CLEW_VIEW_FORMAT_TEXT_H
#define CLEW_VIEW_FORMAT_TEXT_H

#include "view/text/view.h"

// Text from outside (base/foreign.h):

// The whole of it, however wide the terminal is.
void format_foreign(const struct view *view, struct text text);
// Cut to what is left of the terminal's width after `used` columns.
void format_name(const struct view *view, struct text name, size_t used);
// The same of a line of a source: tabs are widened where there is an edge.
void format_source(const struct view *view, struct text line, size_t used);

// Text that has been through foreign_append() already:

// Cut as format_name() does.
void format_written(const struct view *view, struct text written, size_t used);
// The whole of it, and blanks up to `width` columns.
void format_column(const struct view *view, struct text written, size_t width);
// The whole of it, broken between words where the terminal ends; further lines begin with `indent` blanks.
void format_words(const struct view *view, struct text text, size_t indent);

// Whether tables get narrower columns: a terminal of less than 100.
bool format_is_narrow(const struct view *view);
// The cells of a row of the tree and of the hot methods, right-aligned, and two blanks: a share, two times, a count. Returns the
// columns taken.
size_t format_cells(const struct view *view, const char *share, const char *time, const char *other_time,
                    const char *count);
// Two spaces a level. Beyond 64 levels it is "(+N) " instead, so that what is 100,000 levels deep stays readable and smaller
// than its levels squared. Returns the levels that are spaces.
uint32_t format_indent(const struct view *view, uint32_t level);

// The end of a path of Unix or Windows: "Program.cs".
struct text format_file_name(struct text path);
// Appends "Program.cs:12" as it is printed, in at most `width` columns: the file's name is cut.
void format_place(struct buffer *into, struct text path, uint32_t line, size_t width);

enum format_style { FORMAT_BOLD, FORMAT_DIM, FORMAT_WARNING, FORMAT_PLAIN };
// An escape sequence where colours are on, else "".
const char *format_style(const struct view *view, enum format_style style);

#endif
