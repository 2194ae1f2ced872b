// Prints text on a terminal: cut to its width, padded to columns, indented, wrapped between words, coloured. If the
// output is no terminal (view->width is 0), lines are as long as they need to be.
#ifndef CLEW_VIEW_FORMAT_TEXT_H
#define CLEW_VIEW_FORMAT_TEXT_H

#include "view/text/view.h"

// The following take text from the recording, and escape what a terminal would interpret (base/foreign.h).

// Prints all of it, even beyond the terminal's width.
void format_foreign(const struct view *view, struct text text);
// Prints it, cut to the space that is left after `used` columns.
void format_name(const struct view *view, struct text name, size_t used);
// The same for a line of source. On a terminal, tabs become blanks.
void format_source(const struct view *view, struct text line, size_t used);
// Prints a command line. If it does not fit the space left after `used` columns (without a terminal: of 100), its middle
// becomes "...": the program's name and the last arguments stay. With view->verbose all of it is printed.
void format_command(const struct view *view, struct text command, size_t used);

// The following take text that foreign_append() has already escaped.

// Prints its first `most` columns (SIZE_MAX: all), and "..." after them if that is not all of it. Returns the columns printed.
size_t format_cut(const struct view *view, struct text written, size_t most);
// Prints it, cut like format_name().
void format_written(const struct view *view, struct text written, size_t used);
// Prints all of it, padded with blanks to `width` columns.
void format_column(const struct view *view, struct text written, size_t width);
// Prints all of it, wrapped between words at the terminal's width. Further lines begin with `indent` blanks.
void format_words(const struct view *view, struct text text, size_t indent);

// Whether tables use narrow columns: the terminal has less than 100.
bool format_is_narrow(const struct view *view);
// Prints the leading cells of a row in the call tree: a share, two times, CPU time and a count, right-aligned, then two blanks.
// NULL: there is no column of CPU time. Narrow terminals have none. Returns the columns printed.
size_t format_cells(const struct view *view, const char *share, const char *time, const char *other_time,
                    const char *cpu, const char *count);
// Prints two blanks per level, up to 64 levels. Deeper levels get "(+N) " instead: at 100,000 levels, indentation would
// make the output quadratic. Returns the number of levels printed as blanks.
uint32_t format_indent(const struct view *view, uint32_t level);

// The file name in a Unix or Windows path: "Program.cs". It borrows from `path`.
struct text format_file_name(struct text path);
// Appends "Program.cs:12". The file name is cut so that it takes at most `width` columns; the line number is never cut.
void format_place(struct buffer *into, struct text path, uint32_t line, size_t width);

enum format_style { FORMAT_BOLD, FORMAT_DIM, FORMAT_WARNING, FORMAT_PLAIN };
// The escape sequence of a style; "" without colours.
const char *format_style(const struct view *view, enum format_style style);

#endif
