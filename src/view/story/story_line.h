// Prints the lines of a story. The last line stays open, without a line break, so that values can be appended to it.
#ifndef CLEW_VIEW_STORY_LINE_H
#define CLEW_VIEW_STORY_LINE_H

#include "model/events/timeline.h"
#include "model/sites.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

// Widths and positions in columns.
enum {
    STORY_PREFIX = 42,                // time, thread and duration
    STORY_GUTTER = 6,                 // a line number and two blanks
    STORY_VALUES = STORY_PREFIX + 48, // where values begin on level 0, unless the statement is longer
    STORY_WIDTH = STORY_PREFIX + 120, // maximal width of lines with values, without a terminal
};

// The line printed last. Values are appended while `takes_values`.
struct story_line {
    const struct view *view;
    const struct model *model;
    const struct event_thread *open; // the thread of the open line; NULL: no line is open
    const struct event_thread *last; // the thread of the last line
    const struct site *statement;    // the statement on the last line; NULL: none
    size_t column;                   // columns printed on the open line
    size_t values_from;              // the column of its first value
    bool has_values, takes_values;
    bool any; // a line was printed
};

// "[7]", or "[2:7]" of several processes. Returns `room`.
const char *story_thread_text(char room[FORMAT_CELL], const struct model *model, uint32_t process, uint32_t thread);
// Print the columns of the time and the thread.
void story_moment(const struct view *view, const struct model *model, uint64_t clock);
void story_thread(const struct view *view, const struct model *model, const struct event_thread *thread);

// Ends the open line, if there is one.
void story_line_end(struct story_line *line);
// Ends the open line, and begins the next with time, thread and duration.
void story_line_begin(struct story_line *line, const struct event_thread *thread, uint64_t clock, uint64_t duration,
                      bool has_duration);
// Declares the line that was printed since story_line_begin() open; `column` is its width so far.
void story_line_leave_open(struct story_line *line, const struct event_thread *thread, size_t column);
// Begins a line of a statement or of values, which has no time of its own and is left open. Names the thread only if it
// differs from the last line's. `level`: the level of the activation.
void story_line_begin_site(struct story_line *line, const struct event_thread *thread, uint32_t level);

// Appends to the open line. The text must be clew's own, or have been through foreign_append(). On a terminal it is cut
// at the right edge. A tab becomes a blank.
void story_line_put(struct story_line *line, struct text text, enum format_style style);
// The same for text from the recording.
void story_line_put_foreign(struct story_line *line, struct text text, enum format_style style);
void story_line_put_spaces(struct story_line *line, size_t count);

#endif
