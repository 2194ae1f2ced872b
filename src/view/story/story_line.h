// The lines of a story: their columns, and the last line, which stays open so that values may follow on it.
#ifndef CLEW_VIEW_STORY_LINE_H
#define CLEW_VIEW_STORY_LINE_H

#include "model/sites.h"
#include "model/timeline.h"
#include "view/text/format_text.h"

// Columns.
enum {
    STORY_PREFIX = 42,                // moment, thread and duration
    STORY_GUTTER = 6,                 // a line number and two blanks
    STORY_VALUES = STORY_PREFIX + 48, // where values begin on level 0; further right behind longer statements
    STORY_WIDTH = STORY_PREFIX + 120, // of lines with values, where there is no terminal
};

struct story_line {
    const struct view *view;
    const struct model *model;
    const struct timeline_thread *open; // whose line still lacks its break; NULL: none
    const struct timeline_thread *last; // whose line was the last
    const struct site *statement;       // of the last line; NULL: that was none
    size_t column;                      // of the open line: columns so far
    size_t values_from;                 // column of its first value
    bool has_values, takes_values;
};

// The columns of the moment and the thread.
void story_moment(const struct view *view, const struct model *model, uint64_t clock);
void story_thread(const struct view *view, const struct model *model, const struct timeline_thread *thread);

// Ends the open line, if there is one.
void story_line_end(struct story_line *line);
// Ends the open line, and prints moment, thread and duration of the next one.
void story_line_begin(struct story_line *line, const struct timeline_thread *thread, uint64_t clock, uint64_t duration,
                      bool has_duration);
// What was printed since story_line_begin() ends in this column; more may follow.
void story_line_leave_open(struct story_line *line, const struct timeline_thread *thread, size_t column);
// The same for a line of a statement or of values, which has no moment of its own; its thread is named where it is not that
// of the line before. `level` is that of its activation.
void story_line_begin_site(struct story_line *line, const struct timeline_thread *thread, uint32_t level);

// Append to the open line. Text is clew's own or has been through foreign_append(); a terminal's line is cut at its end; a
// tab becomes a blank.
void story_line_put(struct story_line *line, struct text text, enum format_style style);
// The same of text from outside.
void story_line_put_foreign(struct story_line *line, struct text text, enum format_style style);
void story_line_put_spaces(struct story_line *line, size_t count);

#endif
