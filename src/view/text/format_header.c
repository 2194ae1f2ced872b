// See format_header.h. All text reports and the story begin with these lines.
#include "view/text/format_header.h"

#include "base/foreign.h"
#include "trace/instrument.h"
#include "view/text/format_caveats.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

void format_whole(const struct view *view, const char *whole, const char *what)
{
    (void)fprintf(view->out, "%sShare: of %s, %s%s\n", format_style(view, FORMAT_DIM), whole, what,
                  format_style(view, FORMAT_PLAIN));
}

// Names the clock, and what its times are worth.
static void write_clock(struct buffer *into, const struct model *model)
{
    enum clock_kind clock = model->session.clock;
    buffer_printf(into, "clock %s (%s)", clock_name(clock),
                  clock == CLOCK_KIND_NONE   ? "counts only, no times"
                  : clock == CLOCK_KIND_TICK ? "wall time, timer resolution 100 us"
                                             : "wall time");
}

// Duration, clock and counts on one line, wrapped on narrow terminals.
static void print_session(const struct view *view, const struct model *model)
{
    char count[FORMAT_CELL], time[FORMAT_CELL], size[FORMAT_CELL], lost[FORMAT_LOST];
    struct buffer line = {0};
    if (model_has_times(model)) {
        buffer_printf(&line, "%s, ", format_ns(time, format_elapsed_ns(model)));
    }
    write_clock(&line, model);
    if (!model->options.names_only && model->session.instruments & (INSTRUMENT_TREE | INSTRUMENT_STREAMS)) {
        buffer_printf(&line, ", %s call%s", format_count(count, model->calls), format_plural(model->calls));
    }
    buffer_printf(&line, ", %u thread%s", model->catalog.thread_count, format_plural(model->catalog.thread_count));
    if (model->catalog.process_count > 1) {
        buffer_printf(&line, ", %u processes", model->catalog.process_count);
    }
    buffer_printf(&line, ", %s event%s in %s", format_count(count, model->events), format_plural(model->events),
                  format_size(size, model->file_size));
    buffer_printf(&line, ", %s", format_lost(lost, model));
    format_words(view, text_in(&line), 2);
    (void)fputc('\n', view->out);
    buffer_free(&line);
}

// " calls of A or B" for the patterns of a kind, after what is there for another.
static void write_choices(struct buffer *into, const struct choices *choices, enum choice_kind kind, const char *lead)
{
    bool any = false;
    for (uint32_t i = 0; i < choices->count; i++) {
        if (choices->items[i].kind == kind) {
            buffer_text(into, any ? " or " : lead);
            foreign_append(into, choices->items[i].pattern, FOREIGN_TEXT);
            any = true;
        }
    }
}

static void print_choices(const struct view *view, const struct choices *choices)
{
    struct buffer line = {0};
    uint32_t kinds = choices_kinds(choices);
    if (kinds & (CHOICE_METHOD | CHOICE_UNDER)) {
        write_choices(&line, choices, CHOICE_METHOD, "only calls of ");
        write_choices(&line, choices, CHOICE_UNDER, kinds & CHOICE_METHOD ? " below those of " : "only calls of ");
        buffer_text(&line, " with all below them");
        buffer_text(&line, kinds & CHOICE_METHOD ? "; their callers have - for calls and own time" : "");
    }
    if (kinds & CHOICE_HIDE) {
        write_choices(&line, choices, CHOICE_HIDE, line.size ? "; without calls of " : "without calls of ");
        buffer_text(&line, ", whose own time is in their callers");
    }
    if (kinds & CHOICE_CALLERS) {
        write_choices(&line, choices, CHOICE_CALLERS, line.size ? "; callers of " : "callers of ");
        buffer_text(&line, ": below a row is what called it; figures are those of the first row's calls");
    }
    if (line.size) {
        format_words(view, text_in(&line), 2);
        (void)fputc('\n', view->out);
    }
    buffer_free(&line);
}

// Names the range and the threads, if the report is limited to some.
static void print_cut(const struct view *view, const struct model *model)
{
    const struct model_options *options = &model->options;
    char from[FORMAT_CELL], to[FORMAT_CELL];
    struct buffer line = {0};
    if (!model_is_cut(model)) {
        return;
    }
    buffer_printf(&line, "only");
    for (uint32_t i = 0; i < options->threads.count; i++) {
        buffer_printf(&line, "%s %u",
                      i > 0                        ? ","
                      : options->threads.count > 1 ? " threads"
                                                   : " thread",
                      options->threads.items[i].thread);
    }
    if (model_has_range(model)) {
        buffer_printf(&line, "%s from %s to %s", options->threads.count ? "," : "", format_ns(from, options->from_ns),
                      options->to_ns ? format_ns(to, options->to_ns) : "the end");
        buffer_printf(&line, "; times are those within the range, calls those that begin in it");
    }
    format_words(view, text_in(&line), 2);
    (void)fputc('\n', view->out);
    buffer_free(&line);
}

void format_header(const struct view *view, const struct model *model)
{
    (void)fputs(format_style(view, FORMAT_BOLD), view->out);
    format_name(view, model->session.command.size ? model->session.command : text_of("(command unknown)"), 0);
    (void)fprintf(view->out, "%s\n", format_style(view, FORMAT_PLAIN));
    print_session(view, model);
    print_cut(view, model);
    print_choices(view, &model->options.choices);
    format_caveats(view, model, "note: ");
}
