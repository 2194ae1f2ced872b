// See story_line.h.
#include "view/story/story_line.h"

#include <string.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "view/text/columns.h"
#include "view/text/format_number.h"

// -- Columns ----------------------------------------------------------------------------------------------------------

void story_moment(const struct view *view, const struct model *model, uint64_t clock)
{
    char room[FORMAT_CELL];
    const char *dim = format_style(view, FORMAT_DIM), *plain = format_style(view, FORMAT_PLAIN);
    uint64_t ns = model_since_start_ns(model, clock);
    (void)snprintf(room, sizeof room, "%llu.%09llu s", (unsigned long long)(ns / 1000000000u),
                   (unsigned long long)(ns % 1000000000u));
    (void)fprintf(view->out, "%s%16s%s ", dim, model_has_times(model) ? room : "-", plain);
}

const char *story_thread_text(char room[FORMAT_CELL], const struct model *model, uint32_t process, uint32_t thread)
{
    if (model->catalog.process_count > 1) {
        (void)snprintf(room, FORMAT_CELL, "[%u:%u]", process, thread);
    } else {
        (void)snprintf(room, FORMAT_CELL, "[%u]", thread);
    }
    return room;
}

void story_thread(const struct view *view, const struct model *model, const struct event_thread *thread)
{
    char room[FORMAT_CELL];
    (void)story_thread_text(room, model, thread->process, thread->thread);
    if (view->colour) {
        (void)fprintf(view->out, "\033[%um%8s\033[0m ", 31 + (thread->thread - 1) % 6, room);
    } else {
        (void)fprintf(view->out, "%8s ", room);
    }
}

// A duration of a millisecond or more is highlighted.
static void print_duration(const struct view *view, const struct model *model, uint64_t ticks, bool known)
{
    enum { SLOW_NS = 1000000 };
    char room[FORMAT_CELL];
    const char *text = known ? format_ticks(room, model, ticks) : "";
    bool slow = known && view->colour && model_ns(model, ticks) >= SLOW_NS;
    (void)fprintf(view->out, "%s%12s%s | ", slow ? format_style(view, FORMAT_WARNING) : "", text,
                  slow ? format_style(view, FORMAT_PLAIN) : "");
}

// -- The open line ----------------------------------------------------------------------------------------------------

void story_line_end(struct story_line *line)
{
    if (line->open) {
        (void)fputc('\n', line->view->out); // errors show in ferror()
    }
    line->open = NULL;
}

void story_line_leave_open(struct story_line *line, const struct event_thread *thread, size_t column)
{
    CLEW_ASSERT(!line->open && column >= STORY_PREFIX && "one line is open at a time");
    line->open = line->last = thread;
    line->statement = NULL;
    line->column = column;
    line->values_from = column + 2;
    line->has_values = false;
    line->takes_values = true;
}

void story_line_begin(struct story_line *line, const struct event_thread *thread, uint64_t clock, uint64_t duration,
                      bool has_duration)
{
    story_line_end(line);
    line->any = true;
    story_moment(line->view, line->model, clock);
    story_thread(line->view, line->model, thread);
    print_duration(line->view, line->model, duration, has_duration);
}

void story_line_begin_site(struct story_line *line, const struct event_thread *thread, uint32_t level)
{
    story_line_end(line);
    line->any = true;
    (void)fprintf(line->view->out, "%16s ", "");
    if (line->last != thread) {
        story_thread(line->view, line->model, thread);
    } else {
        (void)fprintf(line->view->out, "%8s ", "");
    }
    print_duration(line->view, line->model, 0, false);
    uint32_t shown = format_indent(line->view, level + 1);
    story_line_leave_open(line, thread, STORY_PREFIX + 2 * (size_t)shown);
}

// -- Text -------------------------------------------------------------------------------------------------------------

void story_line_put(struct story_line *line, struct text text, enum format_style style)
{
    FILE *out = line->view->out;
    (void)fputs(style == FORMAT_PLAIN ? "" : format_style(line->view, style), out);
    for (bool more = text.size > 0; more;) {
        const char *tab = text.size ? memchr(text.at, '\t', text.size) : NULL;
        struct text part = {text.at, tab ? (size_t)(tab - text.at) : text.size};
        format_written(line->view, part, line->column);
        (void)fputs(tab ? " " : "", out);
        line->column += columns_of(part) + (tab != NULL);
        more = tab != NULL;
        text = (struct text){part.at + part.size + more, text.size - part.size - more};
    }
    (void)fputs(style == FORMAT_PLAIN ? "" : format_style(line->view, FORMAT_PLAIN), out);
}

void story_line_put_foreign(struct story_line *line, struct text text, enum format_style style)
{
    struct buffer written = {0};
    foreign_append(&written, text, FOREIGN_TEXT);
    story_line_put(line, text_in(&written), style);
    buffer_free(&written);
}

void story_line_put_spaces(struct story_line *line, size_t count)
{
    CLEW_ASSERT(line->open);
    (void)fprintf(line->view->out, "%*s", (int)count, "");
    line->column += count;
}
