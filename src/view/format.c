// See format.h.
#include "view/format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/foreign.h"
#include "model/name.h"
#include "view/columns.h"

enum {
    TICK_NS = 100000, // how often the collector refreshes the tick word
    TAB_WIDTH = 4,
};

const char *format_ns(char room[FORMAT_CELL], uint64_t ns)
{
    static const struct {
        double limit, unit;
        const char *name;
    } scales[] = {{999999.5, 1e3, "us"}, {999999500, 1e6, "ms"}, {1e300, 1e9, "s"}};
    if (ns < 1000) {
        (void)snprintf(room, FORMAT_CELL, "%u ns", (unsigned)ns);
        return room;
    }
    size_t i = 0;
    while ((double)ns >= scales[i].limit) {
        i++;
    }
    (void)snprintf(room, FORMAT_CELL, "%.3f %s", (double)ns / scales[i].unit, scales[i].name);
    return room;
}

const char *format_ticks(char room[FORMAT_CELL], const struct model *model, uint64_t ticks)
{
    return format_extreme(room, model, ticks, true);
}

const char *format_extreme(char room[FORMAT_CELL], const struct model *model, uint64_t ticks, bool known)
{
    if (!known || !model_has_times(model)) {
        (void)snprintf(room, FORMAT_CELL, "-");
        return room;
    }
    return format_by_clock(room, model->session.clock, model_ns(model, ticks));
}

const char *format_by_clock(char room[FORMAT_CELL], enum clock_kind clock, uint64_t ns)
{
    if (clock == CLOCK_KIND_TICK && ns < TICK_NS) {
        (void)snprintf(room, FORMAT_CELL, "< %u us", TICK_NS / 1000);
        return room;
    }
    return format_ns(room, ns);
}

const char *format_mean(char room[FORMAT_CELL], const struct model *model, const struct table_method *row)
{
    return format_extreme(room, model, row->calls ? row->sum / row->calls : 0, row->calls > 0);
}

const char *format_count(char room[FORMAT_CELL], uint64_t count)
{
    char digits[FORMAT_CELL];
    size_t size = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count), to = 0;
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0) {
            room[to++] = ',';
        }
        room[to++] = digits[i];
    }
    room[to] = '\0';
    return room;
}

const char *format_share(char room[FORMAT_CELL], uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        (void)snprintf(room, FORMAT_CELL, "-");
    } else {
        (void)snprintf(room, FORMAT_CELL, "%.1f %%", 100.0 * (double)part / (double)whole);
    }
    return room;
}

const char *format_size(char room[FORMAT_CELL], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        (void)snprintf(room, FORMAT_CELL, "%u bytes", (unsigned)bytes);
        return room;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1024 && unit < 3) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(room, FORMAT_CELL, "%.1f %s", value, units[unit]);
    return room;
}

const char *format_lost(char room[FORMAT_LOST], const struct model *model)
{
    char count[FORMAT_CELL];
    if (!model->has_end && model->lost == 0) {
        return "losses not known";
    }
    (void)snprintf(room, FORMAT_LOST, "%s%s lost", format_count(count, model->lost), model->has_end ? "" : " or more");
    return room;
}

void format_short_name(struct text name, struct text *head, struct text *tail)
{
    struct name_parts parts = name_parts(name);
    *head = (struct text){name.at, parts.owner.size + parts.method.size};
    *tail = parts.kind;
}

void format_written(const struct view *view, struct text written, size_t used)
{
    struct text shown = written;
    if (view->width > 0 && used + columns_of(written) > view->width) {
        shown = columns_cut(written, view->width > used + 23 ? view->width - used - 3 : 20);
    }
    if (shown.size > 0) {                                 // else it may be nowhere
        (void)fwrite(shown.at, 1, shown.size, view->out); // errors show in ferror()
    }
    (void)fputs(shown.size < written.size ? "..." : "", view->out);
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

static void append_foreign(struct buffer *into, struct text text)
{
    foreign_append(into, text, FOREIGN_TEXT);
}

enum list { LIST_WHOLE, LIST_SHORT, LIST_NONE }; // of parameters

// The name with what is left of its parts; its columns.
static size_t write_parts(struct buffer *into, const struct name_parts *parts, bool dots, enum list list)
{
    bool any = parts->parameters.size > 2;
    struct text shortened = any ? text_of("(...)") : parts->parameters;
    buffer_clear(into);
    buffer_text(into, dots ? "..." : "");
    append_foreign(into, parts->owner);
    append_foreign(into, parts->method);
    append_foreign(into, list == LIST_WHOLE ? parts->parameters : list == LIST_SHORT ? shortened : text_of(""));
    append_foreign(into, parts->kind);
    return columns_of(text_in(into));
}

// The last of the owner's components.
static struct text type_in(struct text owner)
{
    struct text type = owner;
    for (struct text rest = owner; rest.size; name_drop_component(&rest)) {
        type = rest;
    }
    return type;
}

static size_t shorten(struct buffer *into, struct name_parts parts, size_t room)
{
    struct text type = type_in(parts.owner);
    bool dots = false;
    size_t columns = write_parts(into, &parts, dots, LIST_WHOLE);
    if (columns > room) {
        columns = write_parts(into, &parts, dots, LIST_SHORT);
    }
    while (columns > room && parts.owner.size > type.size) {
        name_drop_component(&parts.owner);
        dots = true;
        columns = write_parts(into, &parts, dots, LIST_SHORT);
    }
    if (columns > room) {
        columns = write_parts(into, &parts, dots, LIST_NONE);
    }
    if (columns > room && parts.owner.size) {
        parts.owner.size = 0;
        columns = write_parts(into, &parts, true, LIST_NONE);
    }
    return columns;
}

size_t format_method_least(const struct view *view, struct text name)
{
    struct buffer written = {0};
    struct name_parts parts = name_parts(name);
    bool fits = view->names == VIEW_NAMES_FIT;
    parts.owner = fits ? (struct text){0} : view->names == VIEW_NAMES_SHORT ? type_in(parts.owner) : parts.owner;
    size_t columns = write_parts(&written, &parts, fits, fits ? LIST_NONE : LIST_SHORT);
    buffer_free(&written);
    return columns;
}

size_t format_method(const struct view *view, struct text name, size_t used)
{
    struct buffer written = {0};
    struct name_parts parts = name_parts(name);
    size_t columns;
    if (view->names == VIEW_NAMES_SHORT) {
        parts.owner = type_in(parts.owner);
        columns = write_parts(&written, &parts, false, LIST_SHORT);
    } else if (view->names == VIEW_NAMES_FIT && view->width) {
        columns = shorten(&written, parts, view->width > used ? view->width - used : 0);
    } else {
        columns = write_parts(&written, &parts, false, LIST_WHOLE);
    }
    format_column(view, text_in(&written), 0);
    buffer_free(&written);
    return columns;
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
                    const char *count)
{
    bool narrow = format_is_narrow(view);
    int times = narrow ? 10 : 12;
    return (size_t)fprintf(view->out, "%*s %*s %*s %*s  ", narrow ? 7 : 8, share, times, time, times, other_time,
                           narrow ? 9 : 10, count);
}

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
    char number[FORMAT_CELL];
    struct buffer file = {0};
    size_t size = (size_t)snprintf(number, sizeof number, ":%u", line);
    foreign_append(&file, format_file_name(path), FOREIGN_TEXT);
    struct text shown = columns_cut(text_in(&file), width - size);
    buffer_append(into, shown.at, shown.size);
    buffer_text(into, number);
    into->failed |= file.failed;
    buffer_free(&file);
}

const char *format_kind(uint32_t kind)
{
    // In the order of the ring's enum ring_method_kind, whose values recordings carry.
    static const char *const kinds[] = {"method", "async",       "iterator",           "async_iterator", "lambda",
                                        "local",  "constructor", "static_constructor", "accessor"};
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "method";
}

const char *format_style(const struct view *view, enum format_style style)
{
    static const char *const sequences[] = {"\033[1m", "\033[2m", "\033[33m", "\033[0m"};
    return view->colour ? sequences[style] : "";
}

uint64_t format_elapsed_ns(const struct model *model)
{
    return model_since_start_ns(model, model->ended_clock);
}

void format_whole(const struct view *view, const char *whole, const char *what)
{
    (void)fprintf(view->out, "%sShare: of %s, %s%s\n", format_style(view, FORMAT_DIM), whole, what,
                  format_style(view, FORMAT_PLAIN));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
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

static void write_clock(struct buffer *into, const struct model *model)
{
    enum clock_kind clock = model->session.clock;
    buffer_printf(into, "clock %s (%s)", clock_name(clock),
                  clock == CLOCK_KIND_NONE   ? "counts only, no times"
                  : clock == CLOCK_KIND_TICK ? "wall time, grained"
                                             : "wall time");
}

static void print_session(const struct view *view, const struct model *model)
{
    char count[FORMAT_CELL], time[FORMAT_CELL], size[FORMAT_CELL], lost[FORMAT_LOST];
    struct buffer line = {0};
    if (model_has_times(model)) {
        buffer_printf(&line, "%s, ", format_ns(time, format_elapsed_ns(model)));
    }
    write_clock(&line, model);
    if (!model->options.names_only && model->session.instruments & (RECORDING_TREE | RECORDING_STREAMS)) {
        buffer_printf(&line, ", %s call%s", format_count(count, model->calls), plural(model->calls));
    }
    buffer_printf(&line, ", %u thread%s", model->catalog.thread_count, plural(model->catalog.thread_count));
    if (model->catalog.process_count > 1) {
        buffer_printf(&line, ", %u processes", model->catalog.process_count);
    }
    buffer_printf(&line, ", %s event%s in %s", format_count(count, model->events), plural(model->events),
                  format_size(size, model->file_size));
    buffer_printf(&line, ", %s", format_lost(lost, model));
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
    format_caveats(view, model, "note: ");
}

struct caveats {
    const struct view *view;
    const char *prefix;
};

__attribute__((format(printf, 2, 3))) static void say(const struct caveats *to, const char *format, ...)
{
    va_list arguments;
    char *sentence = NULL;
    struct buffer line = {0};
    va_start(arguments, format);
    int size = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (size >= 0) {
        buffer_text(&line, to->prefix);
        foreign_append(&line, (struct text){sentence, (size_t)size}, FOREIGN_TEXT);
        free(sentence);
    }
    (void)fputs(format_style(to->view, FORMAT_WARNING), to->view->out);
    format_words(to->view, size < 0 ? text_of("?") : text_in(&line), strlen(to->prefix));
    (void)fprintf(to->view->out, "%s\n", format_style(to->view, FORMAT_PLAIN));
    buffer_free(&line);
}

static void say_file(const struct caveats *to, const struct model *model)
{
    char count[FORMAT_CELL], size[FORMAT_CELL];
    if (model->health.damaged) {
        say(to, "the file is damaged: %s stretch%s (%s) passed over", format_count(count, model->health.damaged),
            model->health.damaged == 1 ? "" : "es", format_size(size, model->health.damaged_bytes));
    }
    if (!model->has_end) {
        say(to, "the session was not closed in order; this is what had been written");
    }
    if (model->session.part > 1) {
        say(to, "this is part %u of a recording; what came before is in earlier parts", model->session.part);
    }
    if (model->health.unknown) {
        say(to, "%s block%s of a newer clew not shown", format_count(count, model->health.unknown),
            plural(model->health.unknown));
    }
}

// A crash is a signal that the program sent itself.
static void say_killed(const struct caveats *to, const struct recording_process *process)
{
    int number = WIFSIGNALED(process->exit_status) ? WTERMSIG(process->exit_status) : 0;
    const char *name = sigabbrev_np(number);
    if (number == 0) {
        say(to, "process %u was killed", process->process);
    } else {
        say(to, "process %u: ended by signal %d%s%s", process->process, number, name ? ", SIG" : "", name ? name : "");
    }
}

static void say_process(const struct caveats *to, const struct recording_process *process, bool one_of_several)
{
    char whose[FORMAT_CELL] = "", count[FORMAT_CELL], time[FORMAT_CELL];
    if (one_of_several) {
        (void)snprintf(whose, sizeof whose, "process %u: ", process->process);
    }
    if (process->state == RECORDING_PROCESS_DORMANT) {
        say(to, "process %u was not recorded: its agent stayed dormant", process->process);
    }
    if (process->state == RECORDING_PROCESS_KILLED) {
        say_killed(to, process);
    }
    if (process->state == RECORDING_PROCESS_CUT) {
        say(to, "process %u was still running when its recording ended", process->process);
    }
    if (process->threads_refused) {
        say(to, "%s%s thread%s found no room and left no trace", whose, format_count(count, process->threads_refused),
            plural(process->threads_refused));
    }
    if (process->dynamic_methods) {
        say(to, "%s%s dynamic method%s ran; such time is the callers' own", whose,
            format_count(count, process->dynamic_methods), plural(process->dynamic_methods));
    }
    if (process->pauses) {
        say(to, "%sthreads waited %s time%s for the recording, %s in all", whose, format_count(count, process->pauses),
            plural(process->pauses), format_ns(time, process->paused_ns));
    }
}

static void say_times(const struct caveats *to, const struct model *model)
{
    char count[FORMAT_CELL];
    if (model->open) {
        say(to, "%s activation%s still ran at the end: open, with time up to the last moment seen",
            format_count(count, model->open), plural(model->open));
    }
    if (model->adjusted) {
        say(to, "times are adjusted: the calibrated cost of the probes is subtracted");
    } else if (model->options.adjust) {
        say(to, "times are not adjusted: the recording does not know the cost of its probes");
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        total += model->trees[i].tree.nodes[TREE_ROOT].total;
    }
    if (model_has_times(model) && model_ns(model, total) > format_elapsed_ns(model)) {
        say(to, "times of threads that ran at once add up: totals exceed the elapsed time");
    }
}

void format_caveats(const struct view *view, const struct model *model, const char *prefix)
{
    struct caveats to = {view, prefix};
    char count[FORMAT_CELL];
    say_file(&to, model);
    if (model->lost) {
        say(&to, "%s event%s lost: counts and times are too low", format_count(count, model->lost),
            model->lost == 1 ? " is" : "s are");
    }
    if (model->gaps) {
        say(&to, "streams have %s gap%s", format_count(count, model->gaps), plural(model->gaps));
    }
    if (model->over_cap) {
        say(&to, "there were more call paths than room: the rest is in (over the cap)");
    }
    if (model->folded) {
        say(&to,
            "there are more call paths than a report has room for: the rest is in (over the cap) here; clew replay "
            "has them all");
    }
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        say_process(&to, &model->catalog.processes[i], model->catalog.process_count > 1);
    }
    if (model->catalog.not_woven_count) {
        say(&to, "%s method%s or module%s in scope not recorded; clew info says which and why",
            format_count(count, model->catalog.not_woven_count), plural(model->catalog.not_woven_count),
            plural(model->catalog.not_woven_count));
    }
    say_times(&to, model);
    for (uint32_t i = 0; i < model->catalog.note_count; i++) {
        say(&to, "%.*s", (int)model->catalog.notes[i].text.size, model->catalog.notes[i].text.at);
    }
}

void view_caveats(const struct view *view, const struct model *model)
{
    bool known = model->has_end || model->lost > 0;
    (void)fprintf(view->out, "clew: clock %s, ", clock_name(model->session.clock));
    (void)(known ? fprintf(view->out, "%llu events lost\n", (unsigned long long)model->lost)
                 : fputs("losses not known\n", view->out)); // errors show in ferror()
    format_caveats(view, model, "clew: ");
}
