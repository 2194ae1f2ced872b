// See format_text.h.
#include "view/text/format_text.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "view/text/columns.h"

enum { TAB_WIDTH = 4 };

size_t format_cut(const struct view *view, struct text written, size_t most)
{
    static const char dots[] = "...";
    struct text shown = most == SIZE_MAX ? written : columns_cut(written, most);
    if (shown.size > 0) {                                 // otherwise it can be NULL
        (void)fwrite(shown.at, 1, shown.size, view->out); // errors show in ferror()
    }
    CLEW_ASSERT(shown.size <= written.size);
    bool cut = shown.size < written.size;
    (void)fputs(cut ? dots : "", view->out);
    return columns_of(shown) + (cut ? strlen(dots) : 0);
}

void format_written(const struct view *view, struct text written, size_t used)
{
    bool fits = view->width == 0 || used + columns_of(written) <= view->width;
    (void)format_cut(view, written, fits ? SIZE_MAX : view->width > used + 23 ? view->width - used - 3 : 20);
}

void format_name(const struct view *view, struct text name, size_t used)
{
    struct buffer written = {0};
    if (view->width == 0) {
        format_foreign(view, name);
        return;
    }
    foreign_append(&written, name, FOREIGN_TEXT);
    format_written(view, text_in(&written), used);
    buffer_free(&written);
}

// The end of the text that takes at most `columns`. It begins after a blank if its first half has one.
static struct text end_of(struct text text, size_t columns)
{
    size_t cut = columns_of(text) - columns, skipped = columns_cut(text, cut).size;
    if (columns_of((struct text){text.at, skipped}) < cut) { // half of a wide character
        skipped = columns_cut(text, cut + 1).size;
    }
    struct text end = {text.at + skipped, text.size - skipped};
    const char *blank = memchr(end.at, ' ', end.size / 2);
    size_t taken = blank ? (size_t)(blank - end.at) + 1 : 0;
    return (struct text){end.at + taken, end.size - taken};
}

// The beginning of the text that takes at most `columns`. It ends before a blank if its second half has one.
static struct text beginning_of(struct text text, size_t columns)
{
    struct text start = columns_cut(text, columns);
    for (size_t size = start.size; size > start.size / 2; size--) {
        if (start.at[size - 1] == ' ') {
            return (struct text){start.at, size - 1};
        }
    }
    return start;
}

// The command without the folders of its program, if the program's path alone takes more than `columns`.
static struct text without_folders(struct text command, size_t columns)
{
    const char *blank = memchr(command.at, ' ', command.size);
    struct text program = {command.at, blank ? (size_t)(blank - command.at) : command.size};
    size_t folders = columns_of(program) > columns ? program.size - format_file_name(program).size : 0;
    return (struct text){command.at + folders, command.size - folders};
}

// Prints a command that is wider than `room`: without its program's folders, or else its beginning and its end.
static void print_shortened(const struct view *view, struct text command, size_t room)
{
    struct text short_form = without_folders(command, room / 2);
    if (columns_of(short_form) <= room) {
        format_column(view, short_form, 0);
        return;
    }
    format_column(view, beginning_of(short_form, room / 2), 0);
    (void)fputs(" ... ", view->out);
    format_column(view, end_of(command, room - room / 2 - 5), 0);
}

void format_command(const struct view *view, struct text command, size_t used)
{
    enum { WIDTH = 100, LEAST = 40 };
    struct buffer written = {0};
    size_t width = view->width ? view->width : WIDTH, room = width > used + LEAST ? width - used : LEAST;
    foreign_append(&written, command, FOREIGN_TEXT);
    struct text shown = text_in(&written);
    if (view->verbose || columns_of(shown) <= room) {
        format_column(view, shown, 0);
    } else {
        print_shortened(view, shown, room);
    }
    buffer_free(&written);
}

void format_column(const struct view *view, struct text written, size_t width)
{
    size_t columns = columns_of(written);
    if (written.size > 0) {
        (void)fwrite(written.at, 1, written.size, view->out); // errors show in ferror()
    }
    (void)fprintf(view->out, "%*s", columns < width ? (int)(width - columns) : 0, "");
}

bool format_is_narrow(const struct view *view)
{
    enum { NARROW = 100 };
    return view->width && view->width < NARROW;
}

size_t format_cells(const struct view *view, const char *share, const char *time, const char *other_time,
                    const char *cpu, const char *count)
{
    bool narrow = format_is_narrow(view), column = cpu && !narrow;
    int times = narrow ? 10 : 12;
    return (size_t)fprintf(view->out, "%*s %*s %*s%*s %*s  ", narrow ? 7 : 8, share, times, time, times, other_time,
                           column ? times + 1 : 0, column ? cpu : "", narrow ? 9 : 10, count);
}

// On a terminal the width has to be known, so tabs are replaced by blanks up to the next tab stop.
void format_source(const struct view *view, struct text line, size_t used)
{
    struct buffer wide = {0};
    if (view->width == 0) {
        format_foreign(view, line);
        return;
    }
    for (size_t i = 0; i < line.size; i++) {
        size_t blanks = line.at[i] == '\t' ? TAB_WIDTH - wide.size % TAB_WIDTH : 0;
        buffer_append(&wide, blanks ? "    " : line.at + i, blanks ? blanks : 1);
    }
    format_name(view, text_in(&wide), used);
    buffer_free(&wide);
}

void format_foreign(const struct view *view, struct text text)
{
    foreign_write(view->out, text, FOREIGN_TEXT);
}

uint32_t format_indent(const struct view *view, uint32_t level)
{
    enum { LEVELS_MAX = 64 };
    uint32_t shown = level < LEVELS_MAX ? level : LEVELS_MAX;
    CLEW_ASSERT(shown <= level);
    (void)fprintf(view->out, "%*s", (int)(2 * shown), ""); // errors show in ferror()
    if (level > shown) {
        (void)fprintf(view->out, "(+%u) ", level - shown);
    }
    return shown;
}

struct text format_file_name(struct text path)
{
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/' && path.at[start - 1] != '\\') {
        start--;
    }
    return (struct text){path.at + start, path.size - start};
}

void format_place(struct buffer *into, struct text path, uint32_t line, size_t width)
{
    char number[16]; // a colon and a number of 32 bits
    struct buffer file = {0};
    size_t size = (size_t)snprintf(number, sizeof number, ":%u", line);
    CLEW_ASSERT(size < width && "the number of the line is never cut");
    foreign_append(&file, format_file_name(path), FOREIGN_TEXT);
    struct text shown = columns_cut(text_in(&file), width - size);
    buffer_append(into, shown.at, shown.size);
    buffer_text(into, number);
    into->failed |= file.failed;
    buffer_free(&file);
}

const char *format_style(const struct view *view, enum format_style style)
{
    static const char *const sequences[] = {"\033[1m", "\033[2m", "\033[33m", "\033[0m"};
    static_assert(sizeof sequences / sizeof *sequences == FORMAT_PLAIN + 1, "a sequence for each style");
    return view->colour ? sequences[style] : "";
}

void format_words(const struct view *view, struct text text, size_t indent)
{
    size_t at = 0;
    for (bool first = true; text.size > 0; first = false) {
        const char *blank = memchr(text.at, ' ', text.size);
        struct text word = {text.at, blank ? (size_t)(blank - text.at) : text.size};
        size_t columns = columns_of(word), taken = word.size + (blank != NULL);
        if (!first && view->width && at + 1 + columns > view->width) {
            (void)fprintf(view->out, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        (void)fputs(first ? "" : " ", view->out);
        format_column(view, word, 0);
        at += columns + !first;
        text = (struct text){text.at + taken, text.size - taken};
    }
}
