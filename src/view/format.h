// Pieces that text views share: numbers with units, names, the lines above and about a report.
#ifndef CLEW_VIEW_FORMAT_H
#define CLEW_VIEW_FORMAT_H

#include "view/view.h"

enum { FORMAT_CELL = 32, FORMAT_LOST = 64 };

// "1.234 ms"; "-" where times are unknown. Return room.
const char *format_ns(char room[FORMAT_CELL], uint64_t ns);
const char *format_ticks(char room[FORMAT_CELL], const struct model *model, uint64_t ticks);
// By the clock that took the time: what is below the tick word's resolution reads "< 100 us".
const char *format_by_clock(char room[FORMAT_CELL], enum clock_kind clock, uint64_t ns);
// Of an ended activation's extreme: "-" while none has ended.
const char *format_extreme(char room[FORMAT_CELL], const struct model *model, uint64_t ticks, bool known);
const char *format_mean(char room[FORMAT_CELL], const struct model *model, const struct table_method *row);
// "12,345"
const char *format_count(char room[FORMAT_CELL], uint64_t count);
// "56.8 %"; "-" of nothing
const char *format_share(char room[FORMAT_CELL], uint64_t part, uint64_t whole);
const char *format_size(char room[FORMAT_CELL], uint64_t bytes);
// "7 lost"; where the session was not closed in order, what was lost at its end is not known.
const char *format_lost(char room[FORMAT_LOST], const struct model *model);

// The name without its parameter list: "Shop.Cart.AddAsync (async)" for "Shop.Cart.AddAsync(int) (async)". `head` is
// what stands before the list, `tail` what comes after.
void format_short_name(struct text name, struct text *head, struct text *tail);
// Writes a method's name in what is left of the terminal's width after `used` columns, as view->names asks. Where it does not
// fit, `(...)` first stands for the parameters, then `...` for the namespace and the outer types, as far as needed; then the
// parameters and at last the type are left out, the method never. Returns the columns written.
size_t format_method(const struct view *view, struct text name, size_t used);
// The columns that it takes at least.
size_t format_method_least(const struct view *view, struct text name);
// Writes text from outside (base/foreign.h), cut to what is left of the terminal's width after `used` columns.
void format_name(const struct view *view, struct text name, size_t used);
// A line of a source, in the same way: tabs are widened where there is an edge.
void format_source(const struct view *view, struct text line, size_t used);
// The same for text that has been through foreign_append() already.
void format_written(const struct view *view, struct text written, size_t used);
// The whole of such text, and blanks up to `width` columns.
void format_column(const struct view *view, struct text written, size_t width);
// The whole of such text, broken between words where the terminal ends; further lines begin with `indent` blanks.
void format_words(const struct view *view, struct text text, size_t indent);
// Whether tables get narrower columns: a terminal of less than 100.
bool format_is_narrow(const struct view *view);
// The cells of a row of the tree and of the hot methods, right-aligned, and two blanks: a share, two times, a count. Returns the
// columns taken.
size_t format_cells(const struct view *view, const char *share, const char *time, const char *other_time,
                    const char *count);
// The whole of it, however wide the terminal is.
void format_foreign(const struct view *view, struct text text);
// Appends "Program.cs:12" as it is printed, in at most `width` columns: the file's name is cut.
void format_place(struct buffer *into, struct text path, uint32_t line, size_t width);
// Two spaces a level. Beyond 64 levels it is "(+N) " instead, so that what is 100,000 levels deep stays readable and smaller
// than its levels squared. Returns the levels that are spaces.
uint32_t format_indent(const struct view *view, uint32_t level);
// The end of a path of Unix or Windows: "Program.cs".
struct text format_file_name(struct text path);
// "async"
const char *format_kind(uint32_t kind);

enum format_style { FORMAT_BOLD, FORMAT_DIM, FORMAT_WARNING, FORMAT_PLAIN };
// An escape sequence where colours are on, else "".
const char *format_style(const struct view *view, enum format_style style);

// "Share: of 1.234 ms, the time of all threads", a dim line above a table that has shares.
void format_whole(const struct view *view, const char *whole, const char *what);
// Command, duration, clock, counts; then a line for each thing that a reader has to know about them: lost, open, cut,
// damaged, not recorded.
void format_header(const struct view *view, const struct model *model);
// These lines alone, each behind `prefix`.
void format_caveats(const struct view *view, const struct model *model, const char *prefix);
uint64_t format_elapsed_ns(const struct model *model);

#endif
