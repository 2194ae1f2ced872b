// See report_tree_rows.h.
#include "view/report/report_tree_rows.h"

#include <string.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "model/requests.h"
#include "view/text/columns.h"
#include "view/text/format_async.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"
#include "view/text/value.h"

enum { MORE_MAX = 7 }; // width of "(+123) "

// "-": no sample was taken there, which may be less than the time between two samples.
static const char *format_cpu(char room[FORMAT_CELL], uint64_t ns)
{
    return ns ? format_ns(room, ns) : "-";
}

void tree_rows_head(const struct tree_walk *walk)
{
    if (walk->sampled && !format_is_narrow(walk->view)) {
        (void)fputs("CPU: sampled, with all callees\n", walk->view->out);
    }
    (void)fputs(format_style(walk->view, FORMAT_BOLD), walk->view->out);
    (void)format_cells(walk->view, "Share", "Total", "Own", walk->sampled ? "CPU" : NULL, "Calls");
    (void)fprintf(walk->view->out, "Method%s\n", format_style(walk->view, FORMAT_PLAIN));
}

// Indents a row. On a terminal, indentation takes at most a third of the space after `used` columns, and leaves room
// for `least` columns; a number says how many levels are not shown. Returns the columns printed.
static size_t indent(const struct tree_walk *walk, int64_t depth, size_t used, size_t least)
{
    size_t width = walk->view->width, room = width > used ? width - used : 0,
           step = format_is_narrow(walk->view) ? 1 : 2;
    size_t most = least + MORE_MAX < room ? room - least - MORE_MAX : 0, levels = depth > 0 ? (size_t)depth : 0;
    most = most < room / 3 ? most : room / 3;
    bool fits = width == 0 || (levels * step <= room / 3 && levels * step + least <= room);
    size_t shown = fits ? levels : most / step;
    char more[FORMAT_CELL] = "";
    if (shown < levels) {
        (void)snprintf(more, sizeof more, "(+%zu) ", levels - shown);
    }
    (void)fprintf(walk->view->out, "%*s%s", (int)(step * shown), "", more);
    return step * shown + strlen(more);
}

enum {
    TYPE_WIDTH = 40, // of the name of an exception's type
    MARKS_MAX = 8 * FORMAT_CELL + 96 + 4 * TYPE_WIDTH
};

static void mark(char marks[MARKS_MAX], uint64_t count, const char *what)
{
    char number[FORMAT_CELL];
    size_t size = strlen(marks);
    if (count) {
        (void)snprintf(marks + size, MARKS_MAX - size, "  [%s %s]", format_count(number, count), what);
    }
}

// Appends the name of an exception's type without its namespace, and without "Exception" at its end.
static void append_type(struct buffer *into, struct text type)
{
    static const char ending[] = "Exception";
    struct buffer name = {0}, written = {0};
    value_short_type(&name, type);
    size_t left = name.size > sizeof ending - 1 ? name.size - (sizeof ending - 1) : 0;
    bool ends = left && memcmp(name.data + left, ending, sizeof ending - 1) == 0;
    foreign_append(&written, (struct text){(const char *)name.data, ends ? left : name.size}, FOREIGN_TEXT);
    struct text whole = text_in(&written), shown = columns_cut(whole, TYPE_WIDTH);
    buffer_append(into, shown.at, shown.size);
    buffer_text(into, shown.size < whole.size ? "..." : "");
    into->failed = into->failed || name.failed || written.failed;
    buffer_free(&name);
    buffer_free(&written);
}

// "[400 by InsufficientFunds and 3 more]": the most frequent type, and how many others ended by others, or by what is not known.
static void mark_endings(const struct tree_walk *walk, char marks[MARKS_MAX], const struct tree_node *node)
{
    char number[FORMAT_CELL];
    struct buffer what = {0};
    enum clew_error error = endings_of(walk->model, walk->from, tree_walk_index(walk, node), walk->endings);
    *walk->error = *walk->error == CLEW_OK ? error : *walk->error;
    const struct ending *first = walk->endings->count ? walk->endings->endings : NULL;
    if (!first || error != CLEW_OK || first->count > node->exceptions) {
        mark(marks, node->exceptions, "by exception");
        return;
    }
    buffer_text(&what, "by ");
    append_type(&what, first->type);
    if (node->exceptions > first->count) {
        buffer_printf(&what, " and %s more", format_count(number, node->exceptions - first->count));
    }
    buffer_u8(&what, 0);
    mark(marks, first->count, what.failed ? "by exception" : (const char *)what.data);
    buffer_free(&what);
}

// Marks after a method's name: open activations, exits by exception; of an async method those that wait or were cancelled.
static void write_marks(const struct tree_walk *walk, char marks[MARKS_MAX], const struct tree_node *node)
{
    const struct tree_run *run = tree_run(walk->tree, tree_walk_index(walk, node));
    bool narrow = format_is_narrow(walk->view);
    marks[0] = '\0';
    mark(marks, node->open, "open");
    mark(marks, run ? tree_pending(node, run) : 0, run && run->fails_unseen ? "pending or failed" : "pending");
    if (narrow) {
        mark(marks, node->exceptions, "exc");
    } else {
        mark_endings(walk, marks, node);
    }
    mark(marks, run ? run->cancelled : 0, "cancelled");
    if (node->method == METHOD_UNKNOWN_CALLER && !narrow) {
        (void)snprintf(marks, MARKS_MAX, "  [async methods whose caller is not known]");
    }
}

// Prints a dim line below a row.
static void print_below(const struct tree_walk *walk, int64_t depth, const char *time, const char *count,
                        struct text text)
{
    (void)fputs(format_style(walk->view, FORMAT_DIM), walk->view->out);
    size_t used = format_cells(walk->view, "", time, "", walk->sampled ? "" : NULL, count);
    used += indent(walk, depth, used, text.size);
    format_written(walk->view, text, used);
    (void)fprintf(walk->view->out, "%s\n", format_style(walk->view, FORMAT_PLAIN));
}

// Prints below a row what has started it.
static void print_start(const struct tree_walk *walk, uint32_t node, int64_t depth)
{
    struct buffer line = {0};
    struct text by;
    if (requests_is_started(walk->model, walk->from, node, &by)) {
        buffer_text(&line, "started by ");
        foreign_append(&line, by.size ? by : text_of("several methods, or one that is not known"), FOREIGN_TEXT);
        print_below(walk, depth, "", "", text_in(&line));
    }
    *walk->error = *walk->error == CLEW_OK && line.failed ? CLEW_NO_MEMORY : *walk->error;
    buffer_free(&line);
}

// Prints a place of await. On narrow terminals its figures are in the columns, where they are never cut.
static void print_wait(const struct tree_walk *walk, const struct wait *wait, int64_t depth, struct buffer *line)
{
    char time[FORMAT_CELL], count[FORMAT_CELL];
    bool narrow = format_is_narrow(walk->view);
    buffer_clear(line);
    format_wait(line, walk->model, wait, narrow);
    print_below(walk, depth, narrow ? format_ticks(time, walk->model, wait->awaiting) : "",
                narrow ? format_count(count, wait->count) : "", text_in(line));
}

// Prints the places where activations of a row waited. Those with next to no time are only counted.
static void print_waits(const struct tree_walk *walk, uint32_t node, int64_t depth, struct buffer *line)
{
    uint32_t shown = 0;
    char number[FORMAT_CELL];
    enum clew_error error = waits_of(walk->model, walk->from, node, walk->waits);
    *walk->error = *walk->error == CLEW_OK ? error : *walk->error;
    if (error != CLEW_OK) {
        return;
    }
    const struct wait *waits = walk->waits->waits;
    uint32_t count = walk->waits->count;
    for (; shown < count && waits[shown].awaiting >= walk->least_awaiting; shown++) {
        print_wait(walk, &waits[shown], depth, line);
    }
    if (shown < count && !walk->brief) {
        buffer_clear(line);
        buffer_printf(line, "... %s shorter await%s", format_count(number, count - shown),
                      format_plural(count - shown));
        print_below(walk, depth, "", "", text_in(line));
    }
}

// Prints the times of an async method below its row, where there was no room for them in it.
static void print_latency(const struct tree_walk *walk, uint32_t node, int64_t depth, struct text latency)
{
    const struct tree_run *run = tree_run(walk->tree, node);
    uint64_t mean = tree_latency(run), awaiting = tree_awaiting(walk->tree, node);
    char time[FORMAT_CELL];
    if (!format_is_narrow(walk->view)) {
        print_below(walk, depth, "", "", latency);
        return;
    }
    if (mean) {
        print_below(walk, depth, format_ticks(time, walk->model, mean), "",
                    text_of(tree_ended(run) > 1 ? "mean latency" : "latency"));
    }
    if (awaiting) {
        print_below(walk, depth, format_ticks(time, walk->model, awaiting), "", text_of("awaiting"));
    }
}

// Ends the row. `marks`: those for which it had no room.
static void end_row(const struct tree_walk *walk, int64_t depth, struct text marks)
{
    (void)fputc('\n', walk->view->out);
    if (marks.size) {
        print_below(walk, depth, "", "", marks);
    }
}

// Prints the end of the row of an async method, whose name and marks end at column `used`, and the lines below it.
static void print_async(const struct tree_walk *walk, uint32_t node, int64_t depth, size_t used, struct text marks)
{
    struct buffer line = {0};
    format_latency(&line, walk->model, walk->tree, node);
    bool fits = walk->view->width == 0 || used + line.size + 4 <= walk->view->width;
    if (line.size && fits) {
        (void)fprintf(walk->view->out, "  [%.*s]", (int)line.size, (const char *)line.data);
    }
    end_row(walk, depth, marks);
    if (line.size && !fits) {
        print_latency(walk, node, depth, text_in(&line));
    }
    print_waits(walk, node, depth, &line);
    *walk->error = *walk->error == CLEW_OK && line.failed ? CLEW_NO_MEMORY : *walk->error;
    buffer_free(&line);
}

// The share of a path, or of several; "-": no sample was taken there, or there are no times.
static const char *share_of(char room[FORMAT_CELL], const struct tree_walk *walk, struct tree_time time)
{
    bool known = walk->by_cpu ? time.cpu_ns > 0 : model_has_times(walk->model);
    return format_share(room, walk->by_cpu ? time.cpu_ns : time.total, known ? walk->whole : 0);
}

void tree_rows_node(const struct tree_walk *walk, const struct tree_node *node, int64_t depth)
{
    char share[FORMAT_CELL], total[FORMAT_CELL], own[FORMAT_CELL], cpu[FORMAT_CELL], calls[FORMAT_CELL],
        marks[MARKS_MAX];
    const struct catalog *catalog = &walk->model->catalog;
    bool context = tree_is_context(walk->tree, tree_walk_index(walk, node));
    struct text name = catalog->methods[catalog_find_method(catalog, walk->from->process, node->method)].record.name;
    size_t used = format_cells(
        walk->view, share_of(share, walk, tree_walk_time(walk, tree_walk_index(walk, node))),
        format_ticks(total, walk->model, node->total), context ? "-" : format_ticks(own, walk->model, tree_own(node)),
        walk->sampled ? format_cpu(cpu, tree_cpu_ns(walk->tree, tree_walk_index(walk, node))) : NULL,
        context ? "-" : format_count(calls, node->calls));
    write_marks(walk, marks, node);
    const char *as = walk->tree->nodes[node->parent].method == METHOD_CONTINUES ? "continues as " : "";
    size_t ends = columns_of(text_of(marks)), least = strlen(as) + format_method_least(walk->view, name);
    used += indent(walk, depth, used, least + ends);
    bool fits = walk->view->width == 0 || used + least + ends <= walk->view->width;
    ends = fits ? ends : 0;
    (void)fputs(as, walk->view->out);
    used += strlen(as);
    used += format_method(walk->view, name, used + ends) + ends;
    (void)fputs(fits ? marks : "", walk->view->out);
    const struct text below = fits ? (struct text){0} : text_trimmed(text_of(marks));
    if (tree_run(walk->tree, tree_walk_index(walk, node))) {
        print_async(walk, tree_walk_index(walk, node), depth + 1, used, below);
    } else {
        end_row(walk, depth + 1, below);
    }
    print_start(walk, tree_walk_index(walk, node), depth + 1);
}

void tree_rows_folded(const struct tree_walk *walk, int64_t depth, struct tree_time time, const char *what,
                      uint64_t count)
{
    char share[FORMAT_CELL], total[FORMAT_CELL], number[FORMAT_CELL];
    (void)fputs(format_style(walk->view, FORMAT_DIM), walk->view->out);
    size_t used = format_cells(walk->view, share_of(share, walk, time), format_ticks(total, walk->model, time.total),
                               "", walk->sampled ? "" : NULL, "");
    (void)format_count(number, count);
    (void)indent(walk, depth, used, strlen("... ") + strlen(number) + 1 + strlen(what));
    (void)fprintf(walk->view->out, "... %s %s%s\n", number, what, format_style(walk->view, FORMAT_PLAIN));
}
